import Bridge
import Testing

@testable import Daemon

/// How often discards are told.
struct DiscardLogTests {
    let amount = Amount(messages: 1, bytes: 10)

    @Test func `each reason is told at once, by itself`() {
        var log = DiscardLog()
        let first = DiscardReason.allCases.map { log.line(for: $0, amount) != nil }
        #expect(first.allSatisfy { $0 })
        let second = DiscardReason.allCases.map { log.line(for: $0, amount) != nil }
        #expect(second.allSatisfy { !$0 })
    }

    @Test func `summaries come one for each reason, in one order`() {
        var log = DiscardLog()
        for reason in DiscardReason.allCases.reversed() {
            for _ in 0..<3 { _ = log.line(for: reason, amount) }
        }
        let sums = log.takeSuppressed().map(\.text)
        #expect(sums.count == DiscardReason.allCases.count)
        #expect(sums.allSatisfy { $0.hasPrefix("discarded 2 messages (20 bytes) ") })
        #expect(sums[0].hasSuffix("cut off") && sums.last?.hasSuffix("stopped") == true)
    }

    @Test func `as long as it goes on, it is told once an interval`() {
        var log = DiscardLog()
        var lines = 0
        for _ in 0..<100 {
            for _ in 0..<50 { lines += log.line(for: .cutOff, amount) == nil ? 0 : 1 }
            #expect(log.isDue)
            lines += log.takeSuppressed().count
        }
        #expect(lines == 101)
    }

    @Test func `after an interval of quiet, it is told at once again`() {
        var log = DiscardLog()
        #expect(!log.isDue)
        for _ in 0..<2 { _ = log.line(for: .cutOff, amount) }
        #expect(log.takeSuppressed().count == 1)
        #expect(log.isDue, "the interval after a summary counts too")
        #expect(log.takeSuppressed().isEmpty)
        #expect(!log.isDue)
        let isToldAtOnce = log.line(for: .cutOff, amount) != nil
        #expect(isToldAtOnce)
        #expect(log.isDue, "even if it stays the only one")
    }

    @Test func `what goes on for long is told ever more seldom, down to hourly`() {
        var log = DiscardLog()
        _ = log.line(for: .upstreamAway, amount)
        var (intervals, lines) = ([log.interval], 0)
        while intervals.reduce(.zero, +) < .seconds(24 * 3600) {
            _ = log.line(for: .upstreamAway, amount)
            lines += log.takeSuppressed().count
            intervals.append(log.interval)
        }
        #expect(intervals.prefix(3) == [.seconds(10), .seconds(20), .seconds(40)])
        #expect(intervals.last == .seconds(3600))
        #expect(lines < 35)
        // Once it is quiet all is as before.
        #expect(log.takeSuppressed().isEmpty)
        #expect(log.interval == .seconds(10))
    }

    @Test func `discards are told at once, then summed up by reason`() {
        var log = DiscardLog()
        let amounts = [1, 2, 3].map { Amount(messages: $0, bytes: $0 * 10) }
        let lines = amounts.map { log.line(for: .upstreamAway, $0)?.text }
        #expect(lines == ["discarded 1 message (10 bytes) from clients, for the upstream is away", nil, nil])
        let other = log.line(for: .cutOff, Amount(bytes: 7))
        #expect(other?.text == "discarded 7 bytes of a message that the end of the connection cut off")
        let sums = log.takeSuppressed().map(\.text)
        #expect(sums == ["discarded 5 messages (50 bytes) from clients, for the upstream is away"])
        #expect(log.takeSuppressed().isEmpty)
        let isToldAgain = log.line(for: .cutOff, Amount(bytes: 7)) != nil
        #expect(isToldAgain)
    }
}
