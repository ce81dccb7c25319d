/// How the connection to the upstream is encrypted, and whom it is with.
public struct TLSSettings: Equatable, Sendable {
    /// The only certificates that are trusted; `nil` for those that the system trusts.
    public var caFile: FileSource?
    /// Who the server must prove to be: a name, or an IP address in digits; `nil` for the host of the address.
    public var serverName: String?
    public var verify: Verification
    /// A certificate of ours, in PEM, with those between it and its root.
    public var certificate: FileSource?
    /// Its key; `nil` if that is in the same file.
    public var key: FileSource?
    public var minimum: Minimum
    /// The protocols that are offered, by preference.
    public var alpn: [String]
    /// The server's key must be one of these, if there are any: the SHA-256 of its SubjectPublicKeyInfo, in base64.
    public var pins: [String]

    public enum Verification: String, Equatable, Sendable, CaseIterable {
        /// The certificate's chain and name.
        case full
        /// Neither: anybody could be the server, but who has not the key of `pins`.
        case insecure
    }

    /// The oldest version of TLS.
    public enum Minimum: String, Equatable, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    public init(
        caFile: FileSource? = nil, serverName: String? = nil, verify: Verification = .full,
        certificate: FileSource? = nil, key: FileSource? = nil, minimum: Minimum = .tls12,
        alpn: [String] = [],
        pins: [String] = []
    ) {
        self.caFile = caFile
        self.serverName = serverName
        self.verify = verify
        self.certificate = certificate
        self.key = key
        self.minimum = minimum
        self.alpn = alpn
        self.pins = pins
    }
}
