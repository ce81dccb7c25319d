import TestSupport
import Testing
import Uplink

/// The whole schedule, on a clock that the test moves.
struct ScheduleTests {
    /// Refuses so many connections in a row, then lets one in; the delays before each attempt but the first.
    func delays(_ settings: Backoff.Settings, refusals: Int, jitter: () -> Double) throws -> [Duration] {
        var uplink = Uplink(
            Uplink.Settings(
                endpoints: [.host("host", port: 80)], connectTimeout: .seconds(10), reconnect: settings))
        var now = ContinuousClock.now
        var effects = uplink.started(now: now)
        var delays: [Duration] = []
        for _ in 0..<refusals {
            let look = try #require(Self.step(in: effects))
            let connection = try #require(Self.step(in: uplink.resolved(step: look, candidates: 1, now: now)))
            let refused = Uplink.Reason.system(call: "connect", errno: 111)
            effects = uplink.failed(step: connection, refused, now: now, jitter: jitter())
            guard case .waiting(_, let until) = uplink.state else {
                Issue.record("not waiting but \(uplink.state)")
                return delays
            }
            #expect(effects.contains(.armTimer(at: until)))
            delays.append(until - now)
            now = until
            effects = uplink.timerFired(now: now, jitter: jitter())
        }
        #expect(uplink.attempts == refusals + 1)
        let look = try #require(Self.step(in: effects))
        let connection = try #require(Self.step(in: uplink.resolved(step: look, candidates: 1, now: now)))
        #expect(uplink.opened(step: connection, now: now) == [.disarmTimer, .announce(.ready)])
        return delays
    }

    static func step(in effects: [Uplink.Effect]) -> UInt64? {
        for effect in effects {
            switch effect {
            case .resolve(let step, _), .connect(let step, _, _): return step
            case .secure, .greet, .close, .goOn, .abandon, .armTimer, .disarmTimer, .announce: continue
            }
        }
        return nil
    }

    @Test func `50 refusals from 250 ms to 30 s`() throws {
        let settings = Backoff.Settings(min: .milliseconds(250), max: .seconds(30))
        let longest = [500, 1000, 2000, 4000, 8000, 16000] + [Int](repeating: 30000, count: 44)
        #expect(try delays(settings, refusals: 50) { 1 } == longest.map { .milliseconds($0) })
        #expect(
            try delays(settings, refusals: 50) { 0 } == [Duration](repeating: .milliseconds(250), count: 50))
        let middle = longest.map { Duration.milliseconds((250 + $0) / 2) }
        #expect(try delays(settings, refusals: 50) { 0.5 } == middle)
    }

    @Test func `50 refusals up to 200 ms`() throws {
        let settings = Backoff.Settings(min: .milliseconds(50), max: .milliseconds(200))
        let longest = [100] + [Int](repeating: 200, count: 49)
        #expect(try delays(settings, refusals: 50) { 1 } == longest.map { .milliseconds($0) })
        // A default min above that max: the delays are all min.
        let contrary = Backoff.Settings(min: .milliseconds(250), max: .milliseconds(200))
        #expect(
            try delays(contrary, refusals: 50) { 1 } == [Duration](repeating: .milliseconds(250), count: 50))
    }

    @Test(arguments: seeds)
    func `jitter spreads the attempts over the whole range`(seed: UInt64) throws {
        var random = Seeded(seed)
        let settings = Backoff.Settings(min: .milliseconds(250), max: .milliseconds(250 * 4))
        let drawn = try delays(settings, refusals: 400) { .random(in: 0...1, using: &random) }.dropFirst()
        #expect(drawn.allSatisfy { $0 >= settings.min && $0 <= settings.max }, "seed \(seed)")
        for quarter in 0..<4 {
            let from = Duration.microseconds(250_000 + quarter * 187_500)
            let count = drawn.count { $0 >= from && $0 < from + .microseconds(187_500) }
            #expect(count > 50, "quarter \(quarter), seed \(seed)")
        }
    }
}
