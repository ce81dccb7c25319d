import COpenSSL

/// The other side, for the simulated upstream.
public final class TLSServer {
    private let context: Context

    /// - Parameters:
    ///   - certificate: A PEM file with the server's certificate, and those between it and its root.
    ///   - key: A PEM file with its key.
    ///   - clientCA: Who vouches for clients, in a PEM file; `nil` when they need no certificate.
    /// - Throws: What is wrong with one of the files.
    public init(certificate: String, key: String, clientCA: String?) throws(TLSError) {
        context = try Context(isServer: true, minimum: .tls12)
        _ = try FileState(certificate, key: "certificate")
        _ = try FileState(key, key: "key")
        try context.use(certificate: certificate, key: key)
        var identifier = Array("trunkline".utf8)
        _ = unsafe SSL_CTX_set_session_id_context(context.raw, &identifier, UInt32(identifier.count))
        guard let clientCA else { return }
        context.trust(try TrustStore(file: clientCA).store())
        unsafe SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }

    /// Begins TLS on a connection.
    ///
    /// - Parameter descriptor: A connected non-blocking socket, lent for the life of the session.
    /// - Returns: Its session, whose `handshake` is next.
    public func accept(_ descriptor: Int32) -> TLSSession {
        TLSSession(context, on: descriptor, TLSSession.Policy(), isServer: true)
    }
}
