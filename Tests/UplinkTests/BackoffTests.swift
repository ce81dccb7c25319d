import TestSupport
import Testing
import Uplink

struct BackoffTests {
    /// The delay after so many failures in a row.
    static func delay(_ settings: Backoff.Settings, after failures: Int, jitter: Double) -> Duration {
        var backoff = Backoff(settings)
        var delay = Duration.zero
        for _ in 0..<failures { delay = backoff.failed(jitter: jitter) }
        return delay
    }

    @Test(arguments: [
        (1, 250, 375, 500), (2, 250, 625, 1000), (3, 250, 1125, 2000), (4, 250, 2125, 4000),
        (5, 250, 4125, 8000),
        (6, 250, 8125, 16000), (7, 250, 15125, 30000), (8, 250, 15125, 30000), (1000, 250, 15125, 30000),
    ])
    func `the range doubles from min to max`(failures: Int, least: Int, middle: Int, most: Int) {
        let settings = Backoff.Settings(min: .milliseconds(250), max: .seconds(30))
        #expect(Self.delay(settings, after: failures, jitter: 0) == .milliseconds(least))
        #expect(Self.delay(settings, after: failures, jitter: 0.5) == .milliseconds(middle))
        #expect(Self.delay(settings, after: failures, jitter: 1) == .milliseconds(most))
    }

    @Test(arguments: [0, 0.5, 1], [1, 2, 50])
    func `where min is max, every delay is the same`(jitter: Double, failures: Int) {
        let settings = Backoff.Settings(min: .seconds(3), max: .seconds(3))
        #expect(Self.delay(settings, after: failures, jitter: jitter) == .seconds(3))
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(9), .seconds(-1)], [0, 0.5, 1])
    func `no setting makes a delay below 10 ms`(short: Duration, jitter: Double) {
        let settings = Backoff.Settings(min: short, max: short)
        #expect(settings.min == .milliseconds(10))
        #expect(settings.max == .milliseconds(10))
        #expect(Self.delay(settings, after: 1, jitter: jitter) == .milliseconds(10))
        #expect(Self.delay(settings, after: 50, jitter: jitter) == .milliseconds(10))
    }

    @Test func `a max below min is min`() {
        let settings = Backoff.Settings(min: .milliseconds(250), max: .milliseconds(200))
        #expect(settings.max == .milliseconds(250))
        #expect(Self.delay(settings, after: 5, jitter: 1) == .milliseconds(250))
    }

    @Test(arguments: [-1, -Double.infinity, 2, Double.infinity])
    func `jitter outside 0 to 1 stays within the range`(jitter: Double) {
        let settings = Backoff.Settings(min: .milliseconds(250), max: .seconds(30))
        #expect(Self.delay(settings, after: 1, jitter: jitter) == .milliseconds(jitter < 0 ? 250 : 500))
    }

    @Test(arguments: seeds)
    func `every delay is within its range, to the attosecond`(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<200 {
            let least = Duration.nanoseconds(Int64.random(in: 10_000_000...9_000_000_000, using: &random))
            let most = least + .nanoseconds(Int64.random(in: 0...90_000_000_000, using: &random))
            var backoff = Backoff(Backoff.Settings(min: least, max: most))
            for _ in 0..<10 {
                let delay = backoff.failed(
                    jitter: [0, 1, .random(in: 0...1, using: &random)][Int.random(in: 0...2, using: &random)])
                #expect(delay >= least && delay <= most, "min \(least), max \(most), seed \(seed)")
            }
        }
    }

    @Test func `a connection that outlived 2 s and the last delay starts the schedule over`() {
        var backoff = Backoff(Backoff.Settings(min: .milliseconds(250), max: .seconds(30)))
        for _ in 0..<5 { _ = backoff.failed(jitter: 1) }
        #expect(backoff.lost(after: .milliseconds(8001), jitter: 1) == .zero)
        #expect(backoff.failures == 0)
        // The last delay is forgotten with the schedule, so that 2 s decide.
        #expect(backoff.lost(after: .milliseconds(2001), jitter: 1) == .zero)
        #expect(backoff.failed(jitter: 1) == .milliseconds(500))
        #expect(backoff.lost(after: .milliseconds(2001), jitter: 1) == .zero)
    }

    @Test(arguments: [
        (0, 1900, 500), (0, 2000, 500), (1, 1900, 1000), (5, 2001, 16000), (5, 7999, 16000), (5, 8000, 16000),
        (0, 0, 500),
    ])
    func `a shorter one counts as one more failure`(failures: Int, life: Int, delay: Int) {
        var backoff = Backoff(Backoff.Settings(min: .milliseconds(250), max: .seconds(30)))
        for _ in 0..<failures { _ = backoff.failed(jitter: 1) }
        #expect(backoff.lost(after: .milliseconds(life), jitter: 1) == .milliseconds(delay))
        #expect(backoff.failures == failures + 1)
    }

    @Test func `a server that drops every connection early is met with growing delays`() {
        var backoff = Backoff(Backoff.Settings(min: .milliseconds(250), max: .seconds(1)))
        let delays = (0..<4).map { _ in backoff.lost(after: .milliseconds(1), jitter: 1) }
        #expect(delays == [.milliseconds(500), .seconds(1), .seconds(1), .seconds(1)])
    }

    @Test(.timeLimit(.minutes(minutesToHang)), arguments: [Duration.seconds(30), .seconds(Int64.max)])
    func `after thousands of failures the next delay is still found at once`(most: Duration) {
        var backoff = Backoff(Backoff.Settings(min: .milliseconds(10), max: most))
        for _ in 0..<30_000 { _ = backoff.failed(jitter: 0) }
        #expect(backoff.failures == 30_000)
        #expect(backoff.failed(jitter: 0) == .milliseconds(10))
        #expect(backoff.failed(jitter: 1) == most)
    }
}
