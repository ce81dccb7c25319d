import Glibc
import Linux
import TestSupport
import Testing

@testable import TLS

/// Whom a connection is made with, and what is said when it is not.
@Suite struct HandshakeTests {
    private let authority = CertificateAuthority()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(authority.certificate, to: "ca")
    }

    private func client(_ change: (inout TLSClient.Settings) -> Void = { _ in }) -> TLSClient {
        var settings = TLSClient.Settings(caFile: directory("ca"))
        change(&settings)
        return TLSClient(settings)
    }

    private func outcome(
        _ client: TLSClient, _ server: TLSPeer.Server, name: String? = "localhost"
    ) throws -> TLSSession.Handshake {
        try Pair(client, server, name: name, in: directory).handshake()
    }

    private func failure(
        _ client: TLSClient, _ identity: Identity, name: String? = "localhost"
    ) throws -> TLSError? {
        guard case .failed(let error) = try outcome(client, TLSPeer.Server(identity), name: name) else {
            return nil
        }
        #expect(error.isLasting)
        return error
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func
        `a server is accepted whose certificate is for the name or address, and signed by one that is trusted`(
            name: String
        ) throws
    {
        let pair = try Pair(client(), TLSPeer.Server(authority.issue()), name: name, in: directory)
        #expect(try pair.handshake() == .done)
        #expect(pair.server.requestedName == (name == "localhost" ? name : nil))
        let details = try #require(pair.session.details)
        #expect(
            details.version == "TLSv1.3" && details.isVerified && !details.isResumed && details.alpn == nil)
        #expect(details.certificate?.subject == "CN=server" && details.certificate?.issuer == "CN=Test CA")
        #expect(details.certificate?.names == ["localhost", "127.0.0.1"])
    }

    @Test func `a certificate below another one is accepted when the server sends that, too`() throws {
        let below = CertificateAuthority("Below", signedBy: authority)
        #expect(try outcome(client(), TLSPeer.Server(below.issue())) == .done)
        let error = try #require(try failure(client(), below.issue().alone))
        #expect(error.message.contains("is signed by CN=Below, whom nobody here vouches for"))
        #expect(error.message.contains("else the server leaves out one of its chain"))
    }

    @Test func `a certificate for other names is refused, and its names are told`() throws {
        let identity = authority.issue("server", .init(names: "DNS:a.test,DNS:*.b.test,IP:192.0.2.7"))
        let error = try #require(try failure(client(), identity))
        #expect(
            error.message
                == "the server's certificate, of CN=server, is not for localhost, but for a.test, *.b.test,"
                + " 192.0.2.7: set server-name if that is the right server")
        #expect(
            try failure(client(), identity, name: "192.0.2.8")?.message.contains("not for 192.0.2.8") == true)
        #expect(try outcome(client(), TLSPeer.Server(identity), name: "x.b.test.") == .done)
        #expect(try outcome(client(), TLSPeer.Server(identity), name: "192.0.2.7") == .done)
    }

    @Test func `a file that cannot be read for a shortage is not a person's matter`() {
        func error(_ code: Int32) -> TLSError {
            FileState.error("/ca", "ca-file", SystemError(call: "open", code: code))
        }
        for code in [EMFILE, ENFILE, ENOMEM] { #expect(!error(code).isLasting) }
        let missing = error(ENOENT)
        #expect(missing.isLasting)
        #expect(missing.message == "cannot read ca-file /ca: No such file or directory (errno 2)")
    }

    @Test func `what breaks TLS off after the handshake is lasting only if the server says so`() {
        let broken = TLSError(
            afterHandshake: .init(tlsReason: 267, text: "wrong version number"), with: "server")
        #expect(broken == TLSError("TLS was broken off: wrong version number", isLasting: false))
        let refused = TLSError(afterHandshake: .init(tlsReason: 1042, text: ""), with: "server")
        #expect(
            refused.isLasting
                && refused.message.hasSuffix("the server refuses our certificate (alert 42, bad certificate)")
        )
        #expect(TLSError(inHandshake: .init(tlsReason: 267, text: ""), with: "server").isLasting)
    }

    @Test func `an alert is told in words, whatever its number`() {
        // Of OpenSSL's reasons those of alerts begin here (SSL_AD_REASON_OFFSET).
        let first: Int32 = 1000
        #expect(Alert(reason: first)?.words == "refuses (alert 0, close notify)")
        #expect(Alert(reason: first + 255)?.words == "refuses (alert 255, unknown)")
        #expect(Alert(reason: first + 256) == nil)
    }

    @Test func `a certificate that has expired, or is not valid yet, is refused with the date`() throws {
        let expired = authority.issue("server", .init(validFrom: -86400 * 400, validUntil: -86400))
        let early = authority.issue("server", .init(validFrom: 86400))
        let error = try #require(try failure(client(), expired)?.message)
        #expect(error.contains(/expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC: it must be renewed on the server/))
        let other = try #require(try failure(client(), early)?.message)
        #expect(other.contains(/is not valid before .* UTC, and here it is .* UTC: check the clock/))
    }

    @Test func `the certificate of a CA that has expired is told as such`() throws {
        let old = CertificateAuthority("Old", signedBy: authority, validUntil: -3600)
        let error = try #require(try failure(client(), old.issue())?.message)
        #expect(error.contains("a certificate above the server's (depth 1), of CN=Old, expired on"))
    }

    @Test func `one that has signed itself, or that an unknown one has signed, is refused with a way out`()
        throws
    {
        let identity = CertificateAuthority.selfSigned()
        #expect(
            try failure(client(), identity)?.message.hasSuffix(
                "is signed by itself: if it is the right one, name a file with it as ca-file") == true)
        let other = CertificateAuthority("Other").issue()
        #expect(
            try failure(client(), other)?.message.contains(
                "is signed by CN=Other, whom nobody here vouches for")
                == true)
        try directory.write(identity.certificate, to: "itself")
        let trusting = client { $0.caFile = directory("itself") }
        #expect(try outcome(trusting, TLSPeer.Server(identity)) == .done)
    }

    @Test func `nothing of a certificate can break a line or steer a terminal, and it is not endless`() throws
    {
        let name = "a\u{1B}[2J\n\u{202E}\(String(repeating: "x", count: 40))"
        let error = try #require(try failure(client(), CertificateAuthority.selfSigned(name))?.message)
        #expect(error.utf8.allSatisfy { 0x20...0x7E ~= $0 } && error.count < 500, "\(error)")
        let names = (0..<200).map { "DNS:\($0).test" }.joined(separator: ",")
        let many = try #require(
            try failure(client(), authority.issue("server", .init(names: names)))?.message)
        #expect(many.count < 1000)
    }

    @Test func `verification that is turned off takes anybody, but for one without the pinned key`() throws {
        let identity = CertificateAuthority.selfSigned()
        let server = try TLSPeer.Server(identity)
        let pair = try Pair(
            client {
                $0.isVerified = false; $0.caFile = nil
            }, server, name: nil, in: directory)
        #expect(try pair.handshake() == .done)
        #expect(pair.session.details?.isVerified == false)
        let pin = try #require(pair.session.details?.certificate?.pin)
        let pinning = client {
            $0.isVerified = false; $0.caFile = nil; $0.pins = ["x", pin]
        }
        #expect(try outcome(pinning, server, name: nil) == .done)
        let error = try #require(try failure(pinning, CertificateAuthority.selfSigned(), name: nil))
        #expect(
            error.message.contains(/the server's key is sha256\/\/.{44} of CN=server, which is not in pin/))
    }

    @Test func `the pin of a verified server is demanded beside the rest`() throws {
        let identity = authority.issue()
        let pair = try Pair(client(), TLSPeer.Server(identity), in: directory)
        #expect(try pair.handshake() == .done)
        let pin = try #require(pair.session.details?.certificate?.pin)
        #expect(try outcome(client { $0.pins = [pin] }, TLSPeer.Server(identity)) == .done)
        #expect(
            try failure(client { $0.pins = [pin] }, authority.issue())?.message.contains("not in pin") == true
        )
        let unknown = CertificateAuthority("Other").issue()
        #expect(try failure(client { $0.pins = [pin] }, unknown)?.message.contains("vouches for") == true)
    }

    @Test func `protocols are offered, and what is chosen is told; a server that knows none refuses`() throws
    {
        let server = try TLSPeer.Server(authority.issue())
        let pair = try Pair(client { $0.alpn = ["other", "chat"] }, server, in: directory)
        #expect(try pair.handshake() == .done)
        #expect(pair.session.details?.alpn == "chat")
        guard case .failed(let error) = try refusal(client { $0.alpn = ["other"] }, server) else {
            Issue.record("not refused")
            return
        }
        #expect(error.message.contains("speaks none of the protocols in alpn"), "\(error.message)")
    }

    @Test func `a server that speaks only an older version than minimum is told`() throws {
        let server = try TLSPeer.Server(authority.issue(), isOld: true)
        #expect(try outcome(client(), server) == .done)
        guard case .failed(let error) = try refusal(client { $0.minimum = .tls13 }, server) else {
            Issue.record("not refused")
            return
        }
        #expect(error.isLasting && error.message.contains("minimum"), "\(error.message)")
    }

    /// The server refuses, and says so.
    private func refusal(_ client: TLSClient, _ server: TLSPeer.Server) throws -> TLSSession.Handshake {
        let pair = try Pair(client, server, in: directory)
        _ = try? pair.handshake()
        return pair.session.handshake()
    }

    @Test func `a server that demands a certificate gets it; without one its refusal is told when it comes`()
        throws
    {
        let own = authority.issue("client", .init(names: ""))
        try directory.write(own.certificate, to: "certificate")
        try directory.write(own.key, to: "key")
        for isOld in [true, false] {
            let server = try TLSPeer.Server(authority.issue(), clientCA: authority.certificate, isOld: isOld)
            let pair = try Pair(
                client {
                    $0.certificate = directory("certificate"); $0.key = directory("key")
                }, server,
                in: directory)
            #expect(try pair.handshake() == .done)
            #expect(pair.server.hasClientCertificate)
            let without = try Pair(client(), server, in: directory)
            let words = try refusalWords(without)
            #expect(words.contains("certificate"), "\(words)")
        }
    }

    /// TLS 1.3 refuses after the handshake, as we see it.
    private func refusalWords(_ pair: Pair) throws -> String {
        _ = try? pair.handshake()
        switch pair.session.details == nil ? pair.session.handshake() : .done {
        case .failed(let error): return error.message
        case .done:
            guard case .failed(let error) = pair.receiveAll().end else { return "" }
            #expect(error.isLasting)
            return error.message
        default: return ""
        }
    }

    @Test func `files are read anew for each connection, and what is wrong with one is told`() throws {
        let client = client {
            $0.certificate = directory("certificate"); $0.key = directory("key")
        }
        let server = try TLSPeer.Server(authority.issue(), clientCA: authority.certificate)
        func words() -> String {
            do {
                _ = try Pair(client, server, in: directory)
                return ""
            } catch { return (error as? TLSError)?.message ?? "\(error)" }
        }
        #expect(
            words()
                == "cannot read certificate \(directory("certificate")): No such file or directory (errno 2)")
        let own = authority.issue("client")
        try directory.write("nonsense", to: "certificate")
        try directory.write(own.key, to: "key")
        #expect(words().hasPrefix("cannot read certificate \(directory("certificate")): "))
        try directory.write(authority.issue("client").certificate, to: "certificate")
        #expect(words().hasPrefix("cannot use key \(directory("key")) for certificate"))
        try directory.write(own.certificate, to: "certificate")
        #expect(words() == "")
        #expect(try Pair(client, server, in: directory).handshake() == .done)
        try directory.write("nonsense", to: "ca")
        #expect(words().hasPrefix("cannot read ca-file \(directory("ca")): "))
        try directory.write(CertificateAuthority("Other").certificate, to: "ca")
        guard case .failed = try outcome(client, server) else {
            Issue.record("the old ca-file is still trusted")
            return
        }
    }

    @Test func `a key that is encrypted is refused, and nobody is asked for the password`() throws {
        let key = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj4Neu+f4xViQICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEK2+i2SBgFOX68KQrky5dBkEQL6j
            ks7AR/l9Ap5PogqfT+8CX/KLOxRs214YZRM8TZMSoWgGaoWfrfQBg8mItJ+9YHfM
            DRW0kAMwlCnFSHZf9O4=
            -----END ENCRYPTED PRIVATE KEY-----

            """
        try directory.write(authority.issue().certificate, to: "certificate")
        try directory.write(key, to: "key")
        let client = client {
            $0.certificate = directory("certificate"); $0.key = directory("key")
        }
        let error = #expect(throws: TLSError.self) {
            try Pair(client, TLSPeer.Server(authority.issue()), in: directory)
        }
        #expect(error?.message.hasSuffix(": interrupted or cancelled") == true)
    }
}
