import TestSupport

/// A server that speaks TLS, with the certificates for it in files.
final class TLSUpstream {
    /// One connection with it.
    final class Connection {
        let stream: Stream
        let peer: TLSPeer

        fileprivate init(_ stream: Stream, _ server: TLSPeer.Server) throws {
            self.stream = stream
            peer = try TLSPeer(server, on: stream.raw)
        }

        /// Ends it in good order.
        func close() throws {
            try peer.closeNotify()
            stream.close()
        }
    }

    let authority = CertificateAuthority()
    let upstream: FakeUpstream
    let directory: TemporaryDirectory
    /// Of the next connections.
    var server: TLSPeer.Server
    let identity: Identity

    init(clientCA: String? = nil, tickets: Int = 2, isOld: Bool = false, receiveBuffer: Int32? = nil) throws {
        upstream = try FakeUpstream(receiveBuffer: receiveBuffer)
        directory = try TemporaryDirectory()
        let host = upstream.address.split(separator: ":")[0]
        identity = authority.issue("server", .init(names: "DNS:feed.test,IP:\(host)"))
        server = try TLSPeer.Server(identity, clientCA: clientCA, tickets: tickets, isOld: isOld)
        try directory.write(authority.certificate, to: "ca.pem")
    }

    /// A configuration for it, with further keys of `tls` and of `upstream`.
    func configuration(_ tls: String = "", upstream more: String = "", verifies: Bool = true) -> String {
        let trust = verifies ? ["ca-file: \(directory("ca.pem"))"] : ["verify: insecure"]
        let settings = (trust + (tls.isEmpty ? [] : [tls])).joined(separator: ", ")
        let others = more.isEmpty ? "" : ", \(more)"
        return """
            upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}, tls: {\(settings)}\(others)}

            """
    }

    /// The next connection, before its handshake.
    func accept() throws -> Connection { try Connection(upstream.accept(), server) }

    /// The next connection, ready.
    func acceptReady() throws -> Connection {
        let connection = try accept()
        try connection.peer.handshake()
        return connection
    }
}
