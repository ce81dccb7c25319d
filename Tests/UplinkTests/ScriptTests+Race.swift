import Testing
import Uplink

/// The addresses of a name race.
extension ScriptTests {
    @Test func `every address of a name is tried before the attempt has failed`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (1, .resolved(step: 1, candidates: 3), connecting(2, 0, 0, at: 1, timer: 251)),
                // One that has failed is followed at once.
                (
                    2, .failed(step: 2, Self.refused),
                    [.close(step: 2, because: Self.refused)] + connecting(3, 0, 1, at: 2, timer: 252)
                ),
                // One that has no answer yet is followed after a while, and goes on.
                (252, .timerFired, connecting(4, 0, 2, at: 252, timer: 10_002)),
                (
                    10_002, .timerFired,
                    [.close(step: 3, because: .connectTimedOut), .armTimer(at: Self.at(10_252))]
                ),
                (10_003, .failed(step: 4, Self.refused), waiting(Self.refused, until: 10_253)),
            ])
        #expect(uplink.attempts == 1)
    }

    @Test func `the first connection that stands wins, and the others are closed`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (0, .resolved(step: 1, candidates: 4), connecting(2, 0, 0, at: 0, timer: 250)),
                (250, .timerFired, connecting(3, 0, 1, at: 250, timer: 500)),
                (500, .timerFired, connecting(4, 0, 2, at: 500, timer: 750)),
                (600, .opened(step: 3), [.close(step: 2), .close(step: 4)] + ready),
                (601, .opened(step: 2), []),
                (602, .failed(step: 4, Self.refused), []),
                (750, .timerFired, []),
            ])
        #expect(uplink.state == .ready)
    }

    @Test func `when the newest of several has failed, people are told of one that goes on`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (0, .resolved(step: 1, candidates: 2), connecting(2, 0, 0, at: 0, timer: 250)),
                (250, .timerFired, connecting(3, 0, 1, at: 250, timer: 10_000)),
                (
                    300, .failed(step: 3, Self.refused),
                    [
                        .close(step: 3, because: Self.refused), .armTimer(at: Self.at(10_000)),
                        .announce(.preparing(.connecting(endpoint: 0, candidate: 0))),
                    ]
                ),
                (10_000, .timerFired, waiting(.connectTimedOut, until: 10_250)),
            ])
    }

    @Test func `six at once are the most, and the next waits for one of them to end`() {
        var uplink = Self.uplink()
        var now = 0
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (0, .resolved(step: 1, candidates: 9), connecting(2, 0, 0, at: 0, timer: 250)),
            ])
        for number in 1..<6 {
            now += 250
            let next = number < 5 ? now + 250 : 10_000
            play(
                &uplink, [(now, .timerFired, connecting(UInt64(2 + number), 0, number, at: now, timer: next))]
            )
        }
        play(
            &uplink,
            [
                (1500, .timerFired, [.armTimer(at: Self.at(10_000))]),
                (
                    2000, .failed(step: 4, Self.refused),
                    [.close(step: 4, because: Self.refused)] + connecting(8, 0, 6, at: 2000, timer: 10_000)
                ),
                (
                    10_000, .timerFired,
                    [.close(step: 2, because: .connectTimedOut)]
                        + connecting(9, 0, 7, at: 10_000, timer: 10_250)
                ),
            ])
    }

    @Test func `without a time limit the next address is tried all the same`() {
        var uplink = Self.uplink(timeout: nil)
        _ = uplink.started(now: Self.at(0))
        play(
            &uplink,
            [
                (0, .resolved(step: 1, candidates: 2), connecting(2, 0, 0, at: 0, timer: 250)),
                (
                    250, .timerFired,
                    [
                        .disarmTimer, .announce(.preparing(.connecting(endpoint: 0, candidate: 1))),
                        .connect(step: 3, endpoint: 0, candidate: 1),
                    ]
                ),
            ])
    }
}
