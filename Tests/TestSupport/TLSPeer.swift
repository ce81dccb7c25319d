import COpenSSL
import Glibc

/// The server's side of TLS on one connection, which can misbehave: what it encrypts can be sent in part, or not at all.
public final class TLSPeer {
    /// What is the same for all connections: tickets of one are taken by the next.
    public final class Server {
        fileprivate let context: OpaquePointer

        /// Clients need a certificate that one in `clientCA`, PEM, has signed. After each full handshake so many tickets are
        /// sent. Where protocols are offered, `chat` is
        /// chosen. An old one speaks TLS 1.2.
        public init(
            _ identity: Identity, clientCA: String? = nil, tickets: Int = 2, isOld: Bool = false
        ) throws {
            guard let context = SSL_CTX_new(TLS_server_method()) else { throw TLSTrouble() }
            self.context = context
            SSL_CTX_ctrl(
                context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(isOld ? TLS1_2_VERSION : TLS1_3_VERSION), nil)
            SSL_CTX_set_num_tickets(context, tickets)
            SSL_CTX_set_session_id_context(context, "test", 4)
            let directory = try TemporaryDirectory()
            for (name, text) in [
                ("certificate", identity.certificate), ("key", identity.key), ("ca", clientCA ?? ""),
            ] {
                try write(text, to: directory(name))
            }
            guard SSL_CTX_use_certificate_chain_file(context, directory("certificate")) == 1,
                SSL_CTX_use_PrivateKey_file(context, directory("key"), SSL_FILETYPE_PEM) == 1
            else { throw TLSTrouble() }
            if clientCA != nil {
                guard SSL_CTX_load_verify_file(context, directory("ca")) == 1 else { throw TLSTrouble() }
                SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            }
            SSL_CTX_set_alpn_select_cb(
                context,
                { _, chosen, length, offered, count, _ in
                    let known: [UInt8] = Array("\u{4}chat".utf8)
                    var result: UnsafeMutablePointer<UInt8>?
                    let outcome = SSL_select_next_proto(
                        &result, length, offered, count, known, UInt32(known.count))
                    // It lies in what was offered.
                    chosen?.pointee = UnsafePointer(result)
                    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
                }, nil)
        }

        deinit { SSL_CTX_free(context) }
    }

    private let ssl: OpaquePointer
    private let input: OpaquePointer
    private let output: OpaquePointer
    private let descriptor: Int32
    private var hasEnded = false

    /// On a connected socket, which stays the caller's.
    public init(_ server: Server, on descriptor: Int32) throws {
        guard let ssl = SSL_new(server.context), let input = BIO_new(BIO_s_mem()),
            let output = BIO_new(BIO_s_mem())
        else { throw TLSTrouble() }
        (self.ssl, self.input, self.output, self.descriptor) = (ssl, input, output, descriptor)
        SSL_set_bio(ssl, input, output)
        SSL_set_accept_state(ssl)
    }

    deinit { SSL_free(ssl) }

    public var isResumed: Bool { SSL_session_reused(ssl) == 1 }
    /// The name that the client has asked for.
    public var requestedName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }
    /// Whether the client has sent a certificate.
    public var hasClientCertificate: Bool { SSL_get0_peer_certificate(ssl) != nil }

    // MARK: Steps, which do not wait

    /// Takes what has arrived, and sends what there is to say.
    public func turn() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { hasEnded = true }
            guard count > 0 else { break }
            BIO_write(input, buffer, Int32(count))
        }
        if SSL_is_init_finished(ssl) == 0 {
            ERR_clear_error()
            let result = SSL_do_handshake(ssl)
            let error = SSL_get_error(ssl, result)
            try flush()
            if result != 1 && error != SSL_ERROR_WANT_READ { throw TLSTrouble() }
        }
    }

    public var isReady: Bool { SSL_is_init_finished(ssl) == 1 }

    /// What the client has sent by now; `nil` when it has said that nothing more comes.
    public func receiveNow() throws -> [UInt8]? {
        try turn()
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            if count > 0 {
                bytes += buffer[..<Int(count)]
                continue
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ: return bytes
            case SSL_ERROR_ZERO_RETURN: return bytes.isEmpty ? nil : bytes
            default: throw TLSTrouble()
            }
        }
    }

    /// Encrypts bytes into records of at most `size`; what comes out is not sent.
    public func seal(_ bytes: [UInt8], recordSize size: Int = 1 << 14) -> [UInt8] {
        var start = 0
        while start < bytes.count {
            let end = min(start + size, bytes.count)
            SSL_write(ssl, Array(bytes[start..<end]), Int32(end - start))
            start = end
        }
        return takeOutput()
    }

    /// Says that nothing more comes.
    public func closeNotify() throws {
        SSL_shutdown(ssl)
        try flush()
    }

    /// Sends with a new key from now on, and asks the client for the same.
    public func updateKey() throws {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(ssl)
        try flush()
    }

    /// Sends another ticket.
    public func sendTicket() throws {
        SSL_new_session_ticket(ssl)
        SSL_do_handshake(ssl)
        try flush()
    }

    // MARK: Waiting

    public func handshake() throws { try wait { isReady } }

    public func send(_ bytes: [UInt8], recordSize: Int = 1 << 14) throws {
        try sendRaw(seal(bytes, recordSize: recordSize))
    }

    /// Exactly so many bytes.
    public func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try wait(turning: false) {
            guard let more = try receiveNow() else { throw TLSTrouble() }
            bytes += more
            return bytes.count >= count
        }
        return bytes
    }

    /// Whether the client says that nothing more comes before the connection ends.
    public func receivesCloseNotify() throws -> Bool {
        var isClosed = false
        try wait(turning: false) {
            isClosed = try receiveNow() == nil
            return isClosed || hasEnded
        }
        return isClosed
    }

    /// Bytes as they are, encrypted or not.
    public func sendRaw(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        let deadline = ContinuousClock.now + .seconds(15) * slowdown
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 { rest = rest.dropFirst(count) }
            guard count < 0 else { continue }
            guard errno == EAGAIN, ContinuousClock.now < deadline else { throw TLSTrouble() }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wanted, 1, 100)
        }
    }

    private func wait(turning: Bool = true, until condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(15) * slowdown
        while true {
            if turning { try turn() }
            if try condition() { return }
            if hasEnded { throw TLSTrouble(what: "the client has ended the connection") }
            guard ContinuousClock.now < deadline else {
                throw TLSTrouble(what: "waited in vain for the client")
            }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&wanted, 1, 100)
        }
    }

    private func flush() throws {
        let bytes = takeOutput()
        if !bytes.isEmpty { try sendRaw(bytes) }
    }

    private func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(output)))
        if !bytes.isEmpty { BIO_read(output, &bytes, Int32(bytes.count)) }
        return bytes
    }
}

/// What went wrong, in OpenSSL's words.
public struct TLSTrouble: Error, CustomStringConvertible {
    public let description: String

    init(what: String? = nil) {
        let code = ERR_get_error()
        let words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "TLS failed"
        description = what ?? words
        ERR_clear_error()
    }
}

private func write(_ text: String, to path: String) throws {
    let bytes = Array(text.utf8)
    guard let file = fopen(path, "w") else { throw TLSTrouble(what: "cannot write \(path)") }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
}
