import COpenSSL

/// Our side of TLS with one server, or with several that do the same: what is the same for all connections.
public final class TLSClient {
    public struct Settings: Equatable, Sendable {
        /// The only certificates that are trusted, in a PEM file; `nil` for those that the system trusts.
        public var caFile: String?
        /// Whether the server's certificate is verified, its chain and its name.
        public var isVerified: Bool
        /// PEM files with a certificate of ours and its key.
        public var certificate: String?
        public var key: String?
        public var minimum: TLSVersion
        /// The protocols that are offered, by preference, of 1 to 255 bytes each.
        public var alpn: [String]
        /// The server's key must be one of these, if there are any: SHA-256 of the SubjectPublicKeyInfo in base64.
        public var pins: [String]

        public init(
            caFile: String? = nil, isVerified: Bool = true, certificate: String? = nil, key: String? = nil,
            minimum: TLSVersion = .tls12, alpn: [String] = [], pins: [String] = []
        ) {
            self.caFile = caFile
            self.isVerified = isVerified
            self.certificate = certificate
            self.key = key
            self.minimum = minimum
            self.alpn = alpn
            self.pins = pins
        }
    }

    private let settings: Settings
    private let trust: TrustStore
    private let sessions = SessionStore()
    /// The files as they were for the last connection: what others allowed is no matter then.
    private var files: [FileState] = []

    public init(_ settings: Settings) {
        self.settings = settings
        trust = TrustStore(file: settings.caFile)
    }

    /// Begins TLS on a connection. All files are read anew.
    ///
    /// - Parameters:
    ///   - descriptor: A connected non-blocking socket, lent for the life of the session.
    ///   - serverName: Which server that should be: a name or an IP address in digits; `nil` if it is not verified.
    /// - Returns: Its session, whose `handshake` is next.
    /// - Throws: What is wrong with one of the files.
    public func connect(_ descriptor: Int32, serverName: String?) throws(TLSError) -> TLSSession {
        let (context, files) = try read()
        if files != self.files { sessions.forgetAll() }
        self.files = files
        offer(on: context)
        let policy = TLSSession.Policy(
            serverName: serverName.map { ServerName($0) }, isVerified: settings.isVerified,
            pins: settings.pins,
            sessions: sessions)
        return TLSSession(context, on: descriptor, policy, isServer: false)
    }

    /// Looks at all files, as `connect` would.
    ///
    /// - Throws: What is wrong with one of them.
    public func examine() throws(TLSError) { _ = try read() }

    private func read() throws(TLSError) -> (Context, [FileState]) {
        let context = try Context(isServer: false, minimum: settings.minimum)
        var files: [FileState] = []
        if let file = settings.caFile { files.append(try FileState(file, key: "ca-file")) }
        if settings.isVerified { context.trust(try trust.store()) }
        if let certificate = settings.certificate {
            let key = settings.key ?? certificate
            files.append(try FileState(certificate, key: "certificate"))
            files.append(try FileState(key, key: "key"))
            try context.use(certificate: certificate, key: key)
        }
        return (context, files)
    }

    private func offer(on context: Context) {
        unsafe tl_ssl_context_offer_sessions(context.raw)
        unsafe SSL_CTX_sess_set_new_cb(context.raw) { ssl, session in
            if let session = unsafe session { unsafe TLSSession.of(ssl)?.newSession(session) }
            return 0
        }
        let list = settings.alpn.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !list.isEmpty { _ = unsafe SSL_CTX_set_alpn_protos(context.raw, list, UInt32(list.count)) }
    }
}
