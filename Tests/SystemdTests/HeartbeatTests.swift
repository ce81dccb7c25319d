import Linux
import Systemd
import Testing

/// When the loop tells that it turns.
struct HeartbeatTests {
    @Test func `it beats at once, then at its interval, until it is stopped`() throws {
        let loop = try EventLoop()
        var beats: [ContinuousClock.Instant] = []
        let heartbeat = Heartbeat(every: .milliseconds(20), on: loop) { beats.append(loop.now) }
        #expect(beats.count == 1)
        _ = try loop.turn { beats.count == 4 ? true : nil }
        for (earlier, later) in zip(beats, beats.dropFirst()) {
            #expect(later - earlier >= .milliseconds(20))
        }
        heartbeat.stop()
        let bell = Bell()
        _ = loop.arm(at: .now + .milliseconds(60), handler: bell)
        _ = try loop.turn { bell.hasRung ? true : nil }
        #expect(beats.count == 4)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, "7", nil), ("30000000", nil, .seconds(15)),
            ("30000000", "7", .seconds(15)),
            // Another process is watched.
            ("30000000", "8", nil), ("30000000", "all", nil),
            ("1", "7", .nanoseconds(500)), ("0", "7", nil), ("-1", "7", nil), ("1s", "7", nil),
            // UINT64_MAX is the manager's word for no watchdog.
            ("18446744073709551615", "7", nil),
        ] as [(String?, String?, Duration?)])
    func `half of what the environment says`(microseconds: String?, pid: String?, expected: Duration?) {
        let environment = ["WATCHDOG_USEC": microseconds, "WATCHDOG_PID": pid]
        #expect(Heartbeat.watchdogInterval(pid: 7) { environment[$0] ?? nil } == expected)
    }
}
