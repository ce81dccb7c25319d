import TestSupport
import Testing
import Uplink

/// Several endpoints: in which order they are tried, and which one is gone back to.
extension ScriptTests {
    @Test func `another endpoint than the first is given up for it after a while, if asked`() {
        var uplink = Self.uplink(endpoints: 2, failBack: .seconds(60))
        play(
            &uplink,
            [
                (0, .started, resolving(1, 0, at: 0)),
                (
                    0, .failed(step: 1, Self.unresolved),
                    goingOn(after: 0, Self.unresolved) + resolving(2, 1, at: 0)
                ),
                (0, .resolved(step: 2, candidates: 1), connecting(3, 1, at: 0)),
                (0, .opened(step: 3), [.armTimer(at: Self.at(60_000)), .announce(.ready)]),
                (60_000, .timerFired, waiting(.failBack, 1, until: 60_000)),
                (60_000, .timerFired, resolving(4, 0, at: 60_000)),
                (60_000, .resolved(step: 4, candidates: 1), connecting(5, 0, at: 60_000)),
                // The first one stays.
                (60_000, .opened(step: 5), ready),
                (90_000, .timerFired, []),
            ])
    }

    @Test(arguments: seeds)
    func `in random order each attempt goes once through all endpoints, and the orders differ`(seed: UInt64) {
        var uplink = Uplink(
            Uplink.Settings(
                endpoints: (0..<4).map { .host("host\($0)", port: 80) }, connectTimeout: nil,
                reconnect: Backoff.Settings(min: .milliseconds(10), max: .milliseconds(10)), failover: .random
            ),
            seed: seed)
        var effects = uplink.started(now: Self.start)
        var orders: Set<[Int]> = []
        for _ in 0..<50 {
            var order: [Int] = []
            while case .resolve(let step, let endpoint)? = effects.last {
                order.append(endpoint)
                effects = uplink.failed(
                    step: step, Self.unresolved, now: Self.start, jitter: 0)
            }
            #expect(order.sorted() == [0, 1, 2, 3], "seed \(seed)")
            orders.insert(order)
            effects = uplink.timerFired(now: Self.start, jitter: 0)
        }
        #expect(orders.count > 10, "seed \(seed)")
    }

    @Test func `every endpoint is tried in turn, and each attempt begins with the first`() {
        var uplink = Self.uplink(endpoints: 3)
        play(
            &uplink,
            [
                (0, .started, resolving(1, 0, at: 0)),
                (
                    1, .failed(step: 1, Self.unresolved),
                    goingOn(after: 0, Self.unresolved) + resolving(2, 1, at: 1)
                ),
                (2, .resolved(step: 2, candidates: 2), connecting(3, 1, 0, at: 2, timer: 252)),
                (
                    3, .failed(step: 3, Self.refused),
                    [.close(step: 3, because: Self.refused)] + connecting(4, 1, 1, at: 3)
                ),
                (4, .failed(step: 4, Self.refused), goingOn(after: 1, Self.refused) + resolving(5, 2, at: 4)),
                (10_004, .timerFired, waiting(.resolutionTimedOut, 2, until: 10_254)),
                (10_254, .timerFired, resolving(6, 0, at: 10_254)),
            ])
        #expect(uplink.attempts == 2)
    }

    @Test func `the second endpoint can be the one that is lost`() {
        var uplink = Self.uplink(endpoints: 2)
        play(
            &uplink,
            [
                (0, .started, resolving(1, 0, at: 0)),
                (
                    1, .failed(step: 1, Self.unresolved),
                    goingOn(after: 0, Self.unresolved) + resolving(2, 1, at: 1)
                ),
                (2, .resolved(step: 2, candidates: 1), connecting(3, 1, at: 2)),
                (3, .opened(step: 3), ready),
                (4, .failed(step: 3, .ended), waiting(.ended, 1, until: 254)),
                (254, .timerFired, resolving(4, 0, at: 254)),
            ])
    }
}
