import Configuration
import Testing
import Uplink

@Suite struct TLSTests {
    private static let pin = String(repeating: "A", count: 43) + "="

    private func tls(_ text: String, address: String = "feed.example.org:443") throws -> TLSSettings? {
        try read("upstream: {address: \(address), tls: \(text)}").upstream.tls
    }

    @Test func `no is no TLS, which is the default, and yes is all of it`() throws {
        #expect(try read("upstream: {address: a:1}").upstream.tls == nil)
        #expect(try tls("no") == nil)
        #expect(try tls("yes") == TLSSettings())
        #expect(try tls("{}") == TLSSettings())
    }

    @Test func `every key is read`() throws {
        let settings = try tls(
            """
            {ca-file: 'credential:ca.pem', server-name: b.example.org, certificate: /c, key: /d, minimum: 1.3, \
            alpn: [chat, h2], pin: [sha256//\(Self.pin), \(Self.pin)]}
            """)
        #expect(
            settings
                == TLSSettings(
                    caFile: .credential("ca.pem"), serverName: "b.example.org", certificate: .path("/c"),
                    key: .path("/d"), minimum: .tls13, alpn: ["chat", "h2"], pins: [Self.pin, Self.pin]))
        #expect(try tls("{verify: insecure, pin: \(Self.pin)}")?.verify == .insecure)
    }

    @Test func `a credential's name may have blanks, as in the dialogue`() throws {
        #expect(try tls("{ca-file: 'credential:a b'}")?.caFile == .credential("a b"))
    }

    @Test(arguments: [
        (
            "maybe",
            "upstream.tls: found \"maybe\"; allowed are yes, no, a mapping with the keys verify, ca-file,"
        ),
        ("[yes]", "upstream.tls: found a list"), ("{verify: no}", "upstream.tls.verify: found \"no\""),
        (
            "{ca-file: ca.pem}",
            "upstream.tls.ca-file: found \"ca.pem\"; allowed are an absolute path, credential:NAME"
        ),
        ("{ca-file: 'credential:'}", "found \"credential:\""),
        ("{ca-file: 'credential:../x'}", "found \"credential:../x\""),
        ("{ca-file: 'credential:..'}", "found \"credential:..\""),
        (
            "{server-name: 'a b'}",
            "upstream.tls.server-name: found \"a b\"; allowed are a host name, an IP address"
        ),
        ("{server-name: a..b}", "found \"a..b\""), ("{minimum: 1.1}", "upstream.tls.minimum: found \"1.1\""),
        ("{alpn: []}", "upstream.tls.alpn: found an empty list"),
        ("{pin: sha256//x}", "upstream.tls.pin: found"),
        ("{pin: \(String(repeating: "A", count: 42))B=}", "upstream.tls.pin: found"),
        ("{key: /k}", "upstream.tls.key: found \"/k\"; allowed with certificate only"),
        (
            "{verify: insecure, ca-file: /c}",
            "upstream.tls.ca-file: found \"/c\"; allowed with verify: full only"
        ),
        ("{cafile: /c}", "did you mean 'ca-file'?"),
    ])
    func `what is wrong, or contradicts itself, is told`(text: String, words: String) {
        let found = errors(in: "upstream: {address: a:1, tls: \(text)}")
        #expect(found.count == 1 && found.first?.contains(words) == true, "\(found)")
    }

    @Test func `a server without a name or an address needs a server-name, unless it is not verified`() throws
    {
        let found = errors(in: "upstream: {address: [a:1, 'unix:/b'], tls: yes}")
        #expect(
            found.first?.hasSuffix(
                "allowed is a mapping with server-name, for the address unix:/b has no name to verify")
                == true,
            "\(found)")
        #expect(try tls("{server-name: a}", address: "unix:/b")?.serverName == "a")
        #expect(try tls("{verify: insecure}", address: "unix:/b") != nil)
    }
}
