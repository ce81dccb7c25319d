import Testing

@testable import Daemon

/// How often lines of a kind are let through.
struct ThrottleTests {
    @Test func `so many get through in each interval, and the rest is counted`() {
        var throttle = Throttle(limit: 2, interval: .seconds(10))
        let start = ContinuousClock.now
        let allowed = [0, 9, 9.999, 10, 11, 12, 30].map { throttle.allows(at: start + .seconds($0)) }
        #expect(allowed == [true, true, false, true, true, false, true])
        let counts = [throttle.takeSuppressed(), throttle.takeSuppressed()]
        #expect(counts == [2, 0])
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
}
