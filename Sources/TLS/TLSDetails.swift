import COpenSSL

/// What a handshake has agreed upon, and with whom.
public struct TLSDetails: Equatable, Sendable {
    /// As in `TLSv1.3`.
    public let version: String
    public let cipher: String
    /// The protocol that was agreed upon; `nil` when none was offered or chosen.
    public let alpn: String?
    /// An earlier session goes on, and no certificate was sent.
    public let isResumed: Bool
    /// The certificate was verified, its chain and its name.
    public let isVerified: Bool
    /// The peer's, which it has sent now or when the session began.
    public let certificate: Certificate?

    public init(
        version: String, cipher: String, alpn: String?, isResumed: Bool, isVerified: Bool,
        certificate: Certificate?
    ) {
        self.version = version
        self.cipher = cipher
        self.alpn = alpn
        self.isResumed = isResumed
        self.isVerified = isVerified
        self.certificate = certificate
    }

    /// - Parameters:
    ///   - ssl: A connection whose handshake is done, lent for the call.
    ///   - isVerified: Whether a certificate that is not the server's would have been refused.
    init(_ ssl: OpaquePointer, isVerified: Bool) {
        version = unsafe String(cString: SSL_get_version(ssl))
        cipher =
            unsafe SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { unsafe String(cString: $0) } ?? ""
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        unsafe SSL_get0_alpn_selected(ssl, &name, &length)
        alpn =
            length == 0
            ? nil : unsafe printable(UnsafeBufferPointer(start: name, count: Int(length)))
        isResumed = unsafe SSL_session_reused(ssl) == 1
        self.isVerified = isVerified
        certificate = unsafe SSL_get0_peer_certificate(ssl).map { unsafe Certificate($0) }
    }
}
