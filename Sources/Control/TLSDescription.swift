/// What TLS has agreed upon. Names and units are those of `Interface.bridge`.
public struct TLSDescription: Codable, Equatable, Sendable {
    public var version: String
    public var cipher: String
    public var alpn: String?
    public var resumed: Bool
    public var verified: Bool
    public var subject: String
    public var issuer: String
    public var names: [String]
    public var notAfter: Int
    public var pin: String

    public init(
        version: String, cipher: String, alpn: String?, resumed: Bool, verified: Bool, subject: String,
        issuer: String, names: [String], notAfter: Int, pin: String
    ) {
        self.version = version
        self.cipher = cipher
        self.alpn = alpn
        self.resumed = resumed
        self.verified = verified
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notAfter = notAfter
        self.pin = pin
    }
}
