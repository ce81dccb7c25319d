import Configuration
import Systemd
import TLS
import Testing

@testable import Daemon

@Suite struct TLSLineTests {
    private static let now = 1_796_040_000

    private static func certificate(days: Int) -> Certificate {
        Certificate(
            subject: "CN=a", issuer: "CN=b", names: ["a"], notBefore: 0, notAfter: now + days * 86400 + 60,
            pin: "")
    }

    private static func details(
        isVerified: Bool = true, isResumed: Bool = false, days: Int = 30
    ) -> TLSDetails {
        TLSDetails(
            version: "TLSv1.3", cipher: "C", alpn: "chat", isResumed: isResumed, isVerified: isVerified,
            certificate: certificate(days: days))
    }

    @Test func `a line about a connection tells of its TLS, in words and in fields`() {
        let line = LogLine(.connected, .notice, "connected to a:1", [.upstream("a:1")])
        #expect(line.with(Self.details(), isPinned: true).text == "connected to a:1 (TLSv1.3)")
        let other = line.with(Self.details(isVerified: false, isResumed: true), isPinned: false)
        #expect(other.text == "connected to a:1 (TLSv1.3, resumed, not verified)")
        #expect(
            line.with(Self.details(isVerified: false), isPinned: true).text
                == "connected to a:1 (TLSv1.3, not verified but for its key)")
        let fields = Dictionary(uniqueKeysWithValues: other.fields.map { ($0.name, $0.value) })
        #expect(
            fields == [
                "UPSTREAM": "a:1", "TLS_VERSION": "TLSv1.3", "TLS_CIPHER": "C", "TLS_RESUMED": "yes",
                "TLS_VERIFIED": "no", "TLS_ALPN": "chat", "TLS_SUBJECT": "CN=a", "TLS_ISSUER": "CN=b",
                "TLS_NOT_AFTER": "2026-12-30 12:01 UTC",
            ])
    }

    @Test
    func `a verified certificate is warned of from 14 days before its end, once a day, with what to do`() {
        var log = ExpiryLog()
        #expect(log.line(for: Self.details(isVerified: false, days: 13), of: "a:1", now: Self.now) == nil)
        #expect(log.line(for: Self.details(days: 14), of: "a:1", now: Self.now) == nil)
        let line = log.line(for: Self.details(days: 13), of: "a:1", now: Self.now)
        #expect(
            line?.text == "the certificate of a:1, of CN=a, expires in 13 days, on 2026-12-13 12:01 UTC:"
                + " no connection can be made then, unless it is renewed on the server")
        #expect(line?.level == .warning)
        #expect(log.line(for: Self.details(days: 13), of: "a:1", now: Self.now + 86399) == nil)
        #expect(log.line(for: Self.details(days: 13), of: "a:1", now: Self.now + 86400) != nil)
        // The clock was set back.
        #expect(
            log.line(for: Self.details(days: 0), of: "a:1", now: Self.now)?.text.contains("within a day")
                == true)
        #expect(log.line(for: Self.details(days: 1), of: "a:1", now: Self.now) == nil)
    }

    @Test func `what verification that is turned off means is told`() {
        #expect(
            LogLine(unverified: TLSSettings(verify: .insecure)).text.hasSuffix("read and change everything"))
        #expect(
            LogLine(unverified: TLSSettings(verify: .insecure, pins: ["x"])).text.hasSuffix(
                "only its key is compared with pin"))
    }
}
