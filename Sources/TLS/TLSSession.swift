import COpenSSL
import Glibc

/// TLS on one connection: what is received is decrypted straight into the caller's memory; what is to be sent is encrypted
/// here, and the caller sends it.
@safe public final class TLSSession {
    /// How far the handshake is.
    public enum Handshake: Equatable, Sendable {
        /// It goes on when the descriptor is readable.
        case underWay
        case done
        /// The peer has closed the connection.
        case closed
        /// The descriptor has failed.
        case broken(errno: Int32)
        case failed(TLSError)
    }

    /// What came of an attempt to receive.
    public enum Received: Equatable, Sendable {
        case moved(Int)
        case wouldBlock
        /// The peer has said that it sends nothing more.
        case ended
        /// The stream ended without the peer saying so: what came last may have been cut off by anybody.
        case truncated
        /// The descriptor has failed; it can be tried again if the error passes.
        case broken(errno: Int32)
        case failed(TLSError)
    }

    /// The most memory that one takes together with what is kept from one to the next, twice what was measured with a
    /// `ca-file` of 140 certificates. A larger file takes four times its size.
    public static let longestMemory = 3 << 20

    /// One record is at most so large (RFC 8446, section 5.1).
    private static let recordSize = 16 << 10
    /// So many wait at the most until they are sent.
    private static let mostRecords = 4
    /// One read decrypts so many at the most, so that tiny ones cannot hold everything else up.
    private static let mostReads = 512
    /// A key is for 2^24.5 records at the most (RFC 8446, section 5.5).
    private static let recordsOfKey = 1 << 23

    private let ssl: OpaquePointer
    private let output = Ciphertext()
    private let policy: Policy
    /// What the certificate was refused for.
    private var fault: CertificateFault?
    /// Where records end that wait to be sent, and how much each encrypts.
    private var records: [(end: Int, plaintext: Int)] = []
    private var sealed = 0
    /// How it ended, once it has.
    private var end: Received?
    /// There may be more to read that the descriptor does not tell of.
    public private(set) var hasMore = false
    /// What the handshake has agreed upon; `nil` before it is done.
    public private(set) var details: TLSDetails?

    /// What is demanded of the peer.
    struct Policy {
        var serverName: ServerName?
        var isVerified = false
        /// Its key must be one of these, if there are any.
        var pins: [String] = []
        /// Where sessions are kept.
        var sessions: SessionStore?
    }

    /// - Parameters:
    ///   - context: What was settled before.
    ///   - descriptor: A connected non-blocking socket, from which it reads; lent for its life.
    ///   - policy: What is demanded of the peer.
    ///   - isServer: Which side we are.
    init(_ context: Context, on descriptor: Int32, _ policy: Policy, isServer: Bool) {
        guard let ssl = unsafe SSL_new(context.raw),
            let input = unsafe BIO_new_socket(descriptor, BIO_NOCLOSE)
        else { preconditionFailure("no memory for TLS") }
        unsafe self.ssl = unsafe ssl
        self.policy = policy
        records.reserveCapacity(Self.mostRecords)
        unsafe SSL_set_bio(ssl, input, output.makeBIO())
        _ = unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        guard !isServer else {
            unsafe SSL_set_accept_state(ssl)
            return
        }
        unsafe SSL_set_connect_state(ssl)
        begin()
    }

    private func begin() {
        unsafe tl_ssl_set_cleansing(ssl, 1)
        unsafe policy.serverName?.apply(to: ssl)
        if policy.isVerified {
            unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER) { isFine, store in
                if isFine == 0 { unsafe TLSSession.of(store: store)?.refused(store) }
                return isFine
            }
        }
        if let server = policy.serverName { unsafe policy.sessions?.resume(server, on: ssl) }
    }

    deinit { unsafe SSL_free(ssl) }

    /// Nothing secret is received any more: until now, what was received has been wiped from OpenSSL's own memory.
    public func secretsAreOver() { unsafe tl_ssl_set_cleansing(ssl, 0) }

    // MARK: Callbacks

    private static func of(store: OpaquePointer?) -> TLSSession? {
        guard let ssl = unsafe X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()) else {
            return nil
        }
        return unsafe of(OpaquePointer(ssl))
    }

    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        unsafe SSL_get_ex_data(ssl, 0).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private func refused(_ store: OpaquePointer?) {
        guard fault == nil, let certificate = unsafe X509_STORE_CTX_get_current_cert(store) else { return }
        fault = unsafe CertificateFault(
            code: X509_STORE_CTX_get_error(store), depth: X509_STORE_CTX_get_error_depth(store),
            certificate: Certificate(certificate))
    }

    func newSession(_ session: OpaquePointer) {
        guard let server = policy.serverName else { return }
        unsafe policy.sessions?.keep(session, of: server)
    }

    // MARK: Handshake

    /// Goes on as far as it can. Whatever comes of it, `withOutput` may have something to send.
    public func handshake() -> Handshake {
        ErrorQueue.clear()
        errno = 0
        let result = unsafe SSL_do_handshake(ssl)
        let code = errno
        if result == 1 { return finished() }
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .underWay
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            forgetSession()
            return code == 0 ? .closed : .broken(errno: code)
        default:
            forgetSession()
            let entry = ErrorQueue.take()
            if entry?.tlsReason == SSL_R_UNEXPECTED_EOF_WHILE_READING { return .closed }
            if let fault { return .failed(fault.error(serverName: serverName, now: time(nil))) }
            return .failed(TLSError(inHandshake: entry, with: peer))
        }
    }

    private func finished() -> Handshake {
        let details = unsafe TLSDetails(ssl, isVerified: policy.isVerified)
        // A session may begin at once with what was kept of an earlier one.
        if !policy.pins.isEmpty, !policy.pins.contains(details.certificate?.pin ?? "") {
            forgetSession()
            let found = details.certificate.map { "sha256//\($0.pin) of \($0.subject)" } ?? "none"
            return .failed(
                TLSError("the server's key is \(found), which is not in pin", isLasting: true))
        }
        self.details = details
        return .done
    }

    private func forgetSession() {
        if let server = policy.serverName { policy.sessions?.forget(server) }
    }

    private var peer: String { unsafe SSL_is_server(ssl) == 1 ? "client" : "server" }

    private var serverName: String {
        switch policy.serverName {
        case .host(let name), .address(let name): name
        case nil: ""
        }
    }

    // MARK: Receiving

    /// Decrypts what has arrived into `bytes`, which is not empty.
    public func receive(into bytes: inout MutableSpan<UInt8>) -> Received {
        if let end { return end }
        var count = 0
        for _ in 0..<Self.mostReads where count < bytes.count {
            let (moved, code) = read(into: &bytes, at: count)
            guard moved == 0 else {
                count += moved
                continue
            }
            switch unsafe SSL_get_error(ssl, 0) {
            case SSL_ERROR_WANT_READ:
                // Otherwise it was a record that is not for us: a key, or a session.
                guard code == EAGAIN else { continue }
                hasMore = false
                return count > 0 ? .moved(count) : .wouldBlock
            case SSL_ERROR_SYSCALL where code != 0 && !output.hasOverflowed:
                hasMore = true
                return count > 0 ? .moved(count) : .broken(errno: code)
            case let error:
                let ending = ending(error)
                end = ending
                hasMore = true
                return count > 0 ? .moved(count) : ending
            }
        }
        let isBuffered = unsafe SSL_has_pending(ssl) == 1
        hasMore = count < bytes.count || isBuffered
        return count > 0 ? .moved(count) : .wouldBlock
    }

    /// - Returns: How much was read, and errno if that is nothing.
    private func read(into bytes: inout MutableSpan<UInt8>, at start: Int) -> (count: Int, code: Int32) {
        ErrorQueue.clear()
        errno = 0
        var moved = 0
        let ssl = unsafe ssl
        let isRead = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe SSL_read_ex(
                ssl, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start, &moved)
        }
        let code = errno
        return (isRead == 1 ? moved : 0, code)
    }

    private func ending(_ error: Int32) -> Received {
        if error == SSL_ERROR_ZERO_RETURN { return .ended }
        if output.hasOverflowed {
            return .failed(
                TLSError("the \(peer) asks for new keys and takes none of the answers", isLasting: false))
        }
        guard let entry = ErrorQueue.take(), entry.tlsReason != SSL_R_UNEXPECTED_EOF_WHILE_READING else {
            return .truncated
        }
        return .failed(TLSError(afterHandshake: entry, with: peer))
    }

    // MARK: Sending

    /// Whether nothing waits to be sent.
    public var isOutputEmpty: Bool { output.isEmpty }

    /// Whether what waits to be sent has bytes in it that count.
    public var hasSealed: Bool { records.contains { $0.plaintext > 0 } }

    /// Lends what waits to be sent; `moved` then tells how much of it was.
    public func withOutput<R, E>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try output.withRest(body)
    }

    /// So much of the output was sent.
    ///
    /// - Returns: How many bytes of those sealed that count were in records that are thereby sent whole. Of what is in
    ///   a record that is cut off, the peer sees nothing.
    public func moved(_ count: Int) -> Int {
        let gone = output.gone + count
        output.moved(count)
        var plaintext = 0
        while let record = records.first, record.end <= gone {
            plaintext += record.plaintext
            records.removeFirst()
        }
        return plaintext
    }

    /// Encrypts as much of the beginning of `bytes` as may wait at once, when nothing waits any more.
    ///
    /// - Parameters:
    ///   - bytes: What is to be sent.
    ///   - counts: Whether `moved` tells of it.
    /// - Returns: How much; `nil` when nothing can be sent any more.
    public func seal(_ bytes: Span<UInt8>, counts: Bool = true) -> Int? {
        precondition(output.isEmpty, "sealed before the last was sent")
        var start = 0
        while start < bytes.count && records.count < Self.mostRecords {
            updateKey()
            let size = min(bytes.count - start, Self.recordSize)
            ErrorQueue.clear()
            var count = 0
            let ssl = unsafe ssl
            let isWritten = unsafe bytes.extracting(start..<start + size).withUnsafeBufferPointer {
                unsafe SSL_write_ex(ssl, $0.baseAddress, $0.count, &count)
            }
            guard isWritten == 1 else { break }
            records.append((output.count, counts ? count : 0))
            sealed += 1
            start += count
        }
        return start > 0 || bytes.isEmpty ? start : nil
    }

    /// OpenSSL leaves this to us.
    private func updateKey() {
        guard sealed >= Self.recordsOfKey, unsafe SSL_version(ssl) == TLS1_3_VERSION else { return }
        sealed = 0
        _ = unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
    }

    /// Says that nothing more is sent: behind what waits.
    public func shutDown() {
        guard details != nil else { return }
        ErrorQueue.clear()
        _ = unsafe SSL_shutdown(ssl)
    }
}
