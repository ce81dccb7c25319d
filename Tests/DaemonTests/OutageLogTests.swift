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
                    .upstreamAway, .notice,
                    "connection to \(Self.address) lost: the upstream closed it after 1 min 30 s; next attempt at once",
                    [.upstream(Self.address), .reason("closed")]))
        #expect(
            log.line(for: Self.refused(at: 91), now: Self.at(91))
                == LogLine(
                    .upstreamAway, .warning,
                    "cannot connect to \(Self.address): Connection refused (errno 111); next attempt in 4.0 s",
                    [.upstream(Self.address), .reason("connect"), JournalField("ERRNO", "111")]))
        for second in 92..<1000 {
            #expect(log.line(for: Self.refused(at: Double(second)), now: Self.at(Double(second))) == nil)
        }
        #expect(
            log.line(for: .ready(Self.address, attempts: 909), now: Self.at(1000))
                == LogLine(
                    .connected, .notice, "connected to \(Self.address) after 15 min 10 s and 909 attempts",
                    [.upstream(Self.address)]))
        #expect(log.due == nil)
    }

    private static func resting(at seconds: Double) -> UplinkState {
        .resting(address, until: at(seconds + 10))
    }

    @Test func `connections that are complete are told once, however many there are`() {
        var log = OutageLog()
        #expect(log.line(for: .ready(Self.address, attempts: 1), now: Self.at(0))?.level == .notice)
        #expect(
            log.line(for: Self.resting(at: 1), now: Self.at(1))
                == LogLine(
                    .upstreamComplete, .info,
                    "what \(Self.address) sends is complete; next connection in 10 s, or when a client sends something",
                    [.upstream(Self.address)]))
        for second in stride(from: 11.0, to: 10_000, by: 10) {
            let ready = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(second))
            #expect(
                ready
                    == LogLine(.connected, .debug, "connected to \(Self.address)", [.upstream(Self.address)]))
            #expect(log.line(for: Self.resting(at: second), now: Self.at(second)) == nil)
            #expect(log.due == nil)
        }
    }

    @Test func `a connection that is complete lasts, however short it was`() {
        var log = OutageLog()
        _ = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(0))
        _ = log.line(for: Self.resting(at: 1), now: Self.at(1))
        // One that breaks off at once may be one of many.
        #expect(
            log.line(for: Self.lost(after: .milliseconds(5), at: 11), now: Self.at(11))?.level == .notice)
        #expect(log.line(for: .ready(Self.address, attempts: 1), now: Self.at(12)) == nil)
        #expect(log.line(for: Self.resting(at: 12.1), now: Self.at(12.1)) == nil)
        #expect(log.due == Self.at(14))
        #expect(log.line(for: .ready(Self.address, attempts: 1), now: Self.at(13)) == nil)
        #expect(
            log.timerFired(now: Self.at(14))?.text
                == "connected to \(Self.address) after 1.0 s and 2 attempts")
        #expect(log.due == nil)
        #expect(log.line(for: Self.refused(at: 22), now: Self.at(22))?.level == .warning)
        #expect(log.line(for: .ready(Self.address, attempts: 2), now: Self.at(23))?.level == .notice)
        #expect(log.line(for: Self.resting(at: 23), now: Self.at(23)) == nil)
    }

    @Test func `where every other connection is lost, the log is not flooded`() {
        var log = OutageLog()
        var lines: [LogLine] = []
        func at(_ seconds: Double, _ state: UplinkState) {
            while let due = log.due, due <= Self.at(seconds) {
                guard let line = log.timerFired(now: due) else { break }
                lines.append(line)
            }
            if let line = log.line(for: state, now: Self.at(seconds)), line.level < .info {
                lines.append(line)
            }
        }
        // For three hours.
        for second in stride(from: 0.0, to: 3 * 3600, by: 20) {
            at(second, .ready(Self.address, attempts: 1))
            at(second + 0.1, Self.resting(at: second + 0.1))
            at(second + 10, .ready(Self.address, attempts: 1))
            at(second + 10.1, Self.lost(after: .milliseconds(100), at: second + 10.1))
        }
        #expect(lines.count < 20, "\(lines.map(\.text))")
    }

    @Test func `a reason that only a person can mend is told again, once, when attempts have become rare`() {
        var log = OutageLog()
        func refused(at seconds: Double, next delay: Double, isLasting: Bool = true) -> String? {
            let reason = Uplink.Reason.tls("no", isLasting: isLasting)
            let state = UplinkState.waiting(
                reason, address: Self.address, until: Self.at(seconds + delay), lifetime: nil)
            return log.line(for: state, now: Self.at(seconds))?.text
        }
        #expect(refused(at: 0, next: 0.4)?.hasSuffix("next attempt in 400 ms") == true)
        #expect(refused(at: 1, next: 5) == nil)
        #expect(refused(at: 6, next: 200)?.hasSuffix("next attempt in 3 min 20 s") == true)
        #expect(refused(at: 206, next: 300) == nil)
        log = OutageLog()
        #expect(refused(at: 0, next: 0.4, isLasting: false) != nil)
        #expect(refused(at: 1, next: 30, isLasting: false) == nil)
    }

    @Test func `an upstream that accepts and closes is one outage until a connection lasts`() {
        var log = OutageLog()
        var lines: [LogLine] = []
        for second in 0..<1000 {
            let due = log.due.map { $0 <= Self.at(Double(second)) } ?? false
            if due { lines += [log.timerFired(now: Self.at(Double(second)))].compactMap { $0 } }
            let ready = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(Double(second)))
            let lost = log.line(
                for: Self.lost(after: .milliseconds(100), at: Double(second)),
                now: Self.at(Double(second) + 0.1))
            lines += [ready, lost].compactMap { $0 }
        }
        #expect(
            lines.map(\.kind) == [.connected, .upstreamAway, .upstreamStillAway, .upstreamStillAway],
            "\(lines)")
        #expect(log.line(for: .ready(Self.address, attempts: 1), now: Self.at(1000)) == nil)
        #expect(log.due == Self.at(1002))
        #expect(
            log.timerFired(now: Self.at(1002))?.text
                == "connected to \(Self.address) after 16 min 39 s and 1000 attempts")
        #expect(log.due == nil)
    }

    @Test func `ever new reasons do not fill the log`() {
        var log = OutageLog()
        let lines = (0..<100).compactMap { number in
            log.line(
                for: .waiting(
                    .unresolved("words \(number)", isLasting: false), address: "x", until: Self.at(1),
                    lifetime: nil),
                now: Self.at(0))
        }
        #expect(lines.count == 10)
    }

    /// Fails an attempt every ten seconds, and calls the timer when it is due.
    private static func away(_ log: inout OutageLog, from start: Int, to end: Int) -> [(Int, LogLine)] {
        var told: [(Int, LogLine)] = []
        for second in stride(from: start, to: end, by: 10) {
            if let due = log.due, due <= at(Double(second)) {
                told += log.timerFired(now: at(Double(second))).map { [(second, $0)] } ?? []
            }
            told +=
                log.line(for: refused(at: Double(second)), now: at(Double(second))).map { [(second, $0)] }
                ?? []
        }
        return told
    }

    @Test func `that an outage goes on is told after 1, 10 and 60 minutes, then hourly`() {
        var log = OutageLog()
        let told = Self.away(&log, from: 0, to: 6 * 3600 + 600)
        #expect(told.map(\.0) == [0, 60, 600, 3600, 2 * 3600, 3 * 3600, 4 * 3600, 5 * 3600, 6 * 3600])
        #expect(told.dropFirst().allSatisfy { $0.1.kind == .upstreamStillAway && $0.1.level == .warning })
        #expect(told[1].1.assignments == ["UPSTREAM=\(Self.address)", "REASON=connect", "ERRNO=111"])
        #expect(
            told[1].1.text
                == "still not connected after 1 min 0 s and 6 attempts: cannot connect to \(Self.address): "
                + "Connection refused (errno 111); next attempt in 4.0 s")
        #expect(told[8].1.text.hasPrefix("still not connected after 6 h 0 min and 2160 attempts: "))
    }

    @Test func `a month of an outage is a line an hour`() {
        var log = OutageLog()
        #expect(Self.away(&log, from: 0, to: 30 * 24 * 3600).count == 30 * 24 + 2)
    }

    @Test func `a timer that comes late tells once, and keeps to the hours`() {
        var log = OutageLog()
        _ = log.line(for: Self.refused(at: 0), now: Self.at(0))
        #expect(log.due == Self.at(60))
        // The machine slept.
        #expect(log.timerFired(now: Self.at(5 * 3600 + 7)) != nil)
        #expect(log.timerFired(now: Self.at(5 * 3600 + 8)) == nil)
        #expect(log.due == Self.at(6 * 3600))
    }

    @Test func `a loss needs a person only when the first attempt has failed`() {
        var log = OutageLog()
        _ = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(0))
        let lost = log.line(for: Self.lost(after: .seconds(90), at: 90), now: Self.at(90))
        let back = log.line(for: .ready(Self.address, attempts: 1), now: Self.at(90.2))
        #expect([lost?.level, back?.level] == [.notice, .notice])
        // The next one comes soon.
        let again = log.line(for: Self.lost(after: .seconds(90), at: 180), now: Self.at(180))
        #expect(again?.level == .warning)
    }

    @Test func `a server that sends garbage needs a person at once`() {
        var log = OutageLog()
        let line = log.line(
            for: .waiting(
                .framing(.tooLong(limit: 5)), address: "x:1", until: Self.at(0), lifetime: .seconds(90)),
            now: Self.at(0))
        #expect(line?.level == .warning)
        #expect(line?.assignments == ["UPSTREAM=x:1", "REASON=framing"])
    }

    @Test(
        arguments: [
            (
                .unresolved("Name or service not known", isLasting: false),
                "cannot resolve x:1: Name or service not known"
            ),
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
