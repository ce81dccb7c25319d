import Bridge
import Testing

@testable import Daemon

@Suite struct LimitTests {
    @Test func `a throttle lets so many through in each interval, and counts the rest`() {
        var throttle = Throttle(limit: 3, interval: .seconds(10))
        let start = ContinuousClock.now
        let first = (0..<5).map { throttle.allows(at: start + .seconds($0)) }
        #expect(first == [true, true, true, false, false])
        let counts = [throttle.takeSuppressed(), throttle.takeSuppressed()]
        #expect(counts == [2, 0])
        let isAllowedLater = throttle.allows(at: start + .seconds(10))
        #expect(isAllowedLater)
    }

    @Test func `what never stops gets through ever more seldom, and at once again after a quiet time`() {
        var throttle = Throttle(limit: 20, interval: .seconds(10))
        let start = ContinuousClock.now
        let allowed = (0..<6 * 36_000).map { throttle.allows(at: start + .milliseconds($0 * 100)) }
        // Twenty in each ten minutes, and some more until it has come to that.
        #expect(allowed.count { $0 } < 6 * 6 * 20 + 200)
        #expect(throttle.interval == .seconds(600))
        let later = start + .seconds(6 * 3600 + 1200)
        let isAllowed = (0..<20).allSatisfy { _ in throttle.allows(at: later) }
        #expect(isAllowed && throttle.interval == .seconds(10))
    }

    @Test func `what comes no faster than the limit is never held back`() {
        var throttle = Throttle(limit: 20, interval: .seconds(10))
        let start = ContinuousClock.now
        let allowed = (0..<10_000).map { throttle.allows(at: start + .milliseconds($0 * 500)) }
        #expect(!allowed.contains(false))
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
