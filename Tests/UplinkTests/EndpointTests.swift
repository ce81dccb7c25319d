import TestSupport
import Testing
import Uplink

struct EndpointTests {
    @Test(arguments: [
        ("feed.example.org:10110", Endpoint.host("feed.example.org", port: 10110)),
        ("localhost:1", .host("localhost", port: 1)),
        ("192.0.2.1:65535", .host("192.0.2.1", port: 65535)),
        ("[2001:db8::1]:10110", .host("2001:db8::1", port: 10110)),
        ("[::]:80", .host("::", port: 80)),
        ("[fe80::1%eth0]:80", .host("fe80::1%eth0", port: 80)),
        ("unix:/run/feed", .unix(path: "/run/feed")),
        ("unix:/with space:80", .unix(path: "/with space:80")),
        ("unix:/é", .unix(path: "/é")),
    ])
    func `an address is read and written in the same words`(text: String, endpoint: Endpoint) {
        #expect(Endpoint(text) == endpoint)
        #expect(endpoint.description == text)
    }

    @Test(arguments: [
        "", ":", "host", "host:", ":80", "host:0", "host:65536", "host:-1", "host:+80", "host: 80",
        "host:80 ",
        "host:8o", "host:٣", "host:00080", " host:80", "ho st:80", "host\n:80", "host\0:80", "a/b:80",
        "http://host:80",
        "2001:db8::1:80", "::1", "[::1]", "[::1]:", "[]:80", "[host]:80", "[192.0.2.1]:80", "[::1:80",
        "::1]:80",
        "[[::1]]:80", "[ ::1]:80", "[::1\0]:80", "x[::1]:80", "host:80:90", "unix:", "unix:relative",
        "unix: /run/feed",
        "unix:/run/\0feed", "UNIX:/run/feed", "/run/feed",
    ])
    func `anything else is refused`(text: String) {
        #expect(Endpoint(text) == nil)
    }

    @Test(arguments: seeds)
    func `what is read is written as it was, whatever it is`(seed: UInt64) {
        var random = Seeded(seed)
        let pieces = [
            "a", "0", "9", ":", "::", "[", "]", ".", "/", "unix:", "é", " ", "%", "80", "\0", "-", "\r\n",
        ]
        for _ in 0..<2000 {
            let count = Int.random(in: 0...8, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let endpoint = Endpoint(text) else { continue }
            #expect(endpoint.description == text, "seed \(seed)")
        }
    }
}
