import TestSupport
import Testing
import Uplink

/// A thousand daemons that lose the same server at the same moment.
struct FleetTests {
    private static let daemons = 1000
    private static let start = ContinuousClock.now

    /// When they try, in seconds from the loss: the server is away for so long.
    private static func attempts(seed: UInt64, awayFor outage: Int) -> (
        attempts: [Double], connections: [Double]
    ) {
        var attempts: [Double] = []
        var connections: [Double] = []
        for number in 0..<daemons {
            var world = World(
                .refused, faults: 0, seed: seed &* 1009 &+ UInt64(number),
                settings: Uplink.Settings(
                    endpoints: [.host("server", port: 1)], connectTimeout: .seconds(10),
                    reconnect: Backoff.Settings(min: .milliseconds(250), max: .seconds(30))),
                start: start)
            world.start()
            while world.uplink.state != .ready { _ = world.step() }
            // All have been connected for an hour.
            let loss = start + .seconds(3600)
            world.loseServer(at: loss, for: .seconds(outage))
            while world.uplink.state != .ready || world.now < loss { _ = world.step() }
            attempts += world.attempts.dropFirst().map { ($0 - loss) / .seconds(1) }
            connections.append((world.now - loss) / .seconds(1))
        }
        return (attempts, connections)
    }

    /// How many fall into each interval of so many seconds.
    private static func counts(_ times: [Double], from first: Double, to last: Double, each width: Double)
        -> [Int]
    {
        var counts = [Int](repeating: 0, count: Int((last - first) / width))
        for time in times where time >= first && time < last {
            counts[min(Int((time - first) / width), counts.count - 1)] += 1
        }
        return counts
    }

    @Test(arguments: seeds)
    func `they spread out evenly, and the server that is back is not overrun`(seed: UInt64) {
        let (attempts, connections) = Self.attempts(seed: seed, awayFor: 300)
        // Each tries once at the moment of the loss; the rest is spread.
        #expect(attempts.count { $0 < 0.25 } == Self.daemons)
        // In the long run each tries every 15 s on the average: 66 a second, of which the deviation is 8.
        let seconds = Self.counts(attempts, from: 100, to: 300, each: 1)
        #expect(seconds.allSatisfy { (20...115).contains($0) }, "\(seconds), seed \(seed)")
        // They come back within the longest delay, in no crowd.
        #expect(connections.allSatisfy { $0 >= 300 && $0 < 330.1 }, "seed \(seed)")
        let back = Self.counts(connections, from: 300, to: 330, each: 1)
        #expect(back.allSatisfy { $0 < 115 }, "\(back), seed \(seed)")
    }
}
