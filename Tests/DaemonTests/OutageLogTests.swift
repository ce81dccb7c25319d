import Bridge
import Framing
import Systemd
import Testing
import Uplink

@testable import Daemon

@Suite struct OutageLogTests {
    private static let start = ContinuousClock.now
    private static let address = "192.0.2.7:4433"

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func refused(at seconds: Double) -> UplinkState {
        .waiting(
            .system(call: "connect", errno: 111), address: address, until: at(seconds + 4), lifetime: nil)
    }

    private static func lost(after life: Duration, at seconds: Double) -> UplinkState {
        .waiting(.ended, address: address, until: at(seconds), lifetime: life)
    }

    @Test func `an outage is its start, each new reason, and its end`() {
        var log = OutageLog()
        #expect(
            log.line(for: .ready(Self.address, attempts: 1), now: Self.at(0))?.text
                == "connected to \(Self.address)")
        #expect(
            log.line(for: Self.lost(after: .seconds(90), at: 90), now: Self.at(90))
                == LogLine(
                    .warning,
                    "connection to \(Self.address) lost: the upstream closed it after 1 min 30 s; next attempt at once"
                ))
        #expect(
            log.line(for: Self.refused(at: 91), now: Self.at(91))
                == LogLine(
                    .warning,
                    "cannot connect to \(Self.address): Connection refused (errno 111); next attempt in 4.0 s"
                ))
        for second in 92..<1000 {
            #expect(log.line(for: Self.refused(at: Double(second)), now: Self.at(Double(second))) == nil)
        }
        #expect(
            log.line(for: .ready(Self.address, attempts: 909), now: Self.at(1000))
                == LogLine(.notice, "connected to \(Self.address) after 15 min 10 s and 909 attempts"))
        #expect(log.due == nil)
    }

    @Test func `an upstream that accepts and closes is one outage until a connection lasts`() {
        var log = OutageLog()
        var lines: [LogLine] = []
        for second in 0..<1000 {
            let ready = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(Double(second)))
            let lost = log.line(
                for: Self.lost(after: .milliseconds(100), at: Double(second)),
                now: Self.at(Double(second) + 0.1))
            lines += [ready, lost].compactMap { $0 }
        }
        #expect(lines.count == 2, "\(lines)")
        #expect(log.line(for: .ready(Self.address, attempts: 1), now: Self.at(1000)) == nil)
        #expect(log.due == Self.at(1002))
        #expect(
            log.settled(now: Self.at(1002))
                == LogLine(.notice, "connected to \(Self.address) after 16 min 39 s and 1000 attempts"))
        #expect(log.due == nil)
    }

    @Test func `ever new reasons do not fill the log`() {
        var log = OutageLog()
        let lines = (0..<100).compactMap { number in
            log.line(
                for: .waiting(.unresolved("words \(number)"), address: "x", until: Self.at(1), lifetime: nil),
                now: Self.at(0))
        }
        #expect(lines.count == 10)
    }

    @Test(
        arguments: [
            (.unresolved("Name or service not known"), "cannot resolve x:1: Name or service not known"),
            (.resolutionTimedOut, "cannot resolve x:1: no answer within connect-timeout"),
            (.connectTimedOut, "cannot connect to x:1: no answer within connect-timeout"),
            (
                .system(call: "recv", errno: 104),
                "connection to x:1 lost: Connection reset by peer (errno 104)"
            ),
            (.ended, "connection to x:1 lost: the upstream closed it"),
            (.idle, "connection to x:1 lost: nothing was received for idle-timeout"),
            (
                .framing(.tooLong(limit: 5)),
                "connection to x:1 lost: a message is longer than max-message (5 bytes)"
            ),
        ] as [(Uplink.Reason, String)])
    func `each reason has its words`(reason: Uplink.Reason, text: String) {
        #expect(reason.text(address: "x:1", wasReady: true) == text)
    }

    @Test(
        arguments: [
            (.zero, "0 ms"), (.milliseconds(340), "340 ms"), (.milliseconds(4250), "4.2 s"),
            (.seconds(59), "59 s"),
            (.seconds(200), "3 min 20 s"), (.seconds(7500), "2 h 5 min"),
        ] as [(Duration, String)])
    func `a duration is told as people do`(duration: Duration, text: String) {
        #expect(duration.text == text)
    }
}
