import Testing
import Uplink

/// The network changes, at every moment of a connection's life.
struct NetworkChangeTests {
    let scripts = ScriptTests()

    @Test func `a change ends the waiting, and the schedule goes on from where it was`() {
        var uplink = ScriptTests.uplink()
        let refused = ScriptTests.refused
        scripts.play(
            &uplink,
            [
                (0, .networkChanged, []),
                (0, .started, scripts.resolving(1, at: 0)),
                (1, .failed(step: 1, refused), scripts.waiting(refused, until: 251)),
                (2, .networkChanged, scripts.resolving(2, at: 2)),
                (3, .failed(step: 2, refused), scripts.waiting(refused, until: 253)),
                (253, .timerFired, scripts.resolving(3, at: 253)),
            ])
        #expect(uplink.attempts == 3)
    }

    @Test func `a connection that stands is none of its business, nor is an end`() {
        var uplink = ScriptTests.uplink()
        scripts.play(
            &uplink,
            [
                (0, .started, scripts.resolving(1, at: 0)),
                (1, .resolved(step: 1, candidates: 1), scripts.connecting(2, at: 1)),
                (2, .opened(step: 2), scripts.ready),
                (3, .networkChanged, []),
                (3000, .failed(step: 2, .ended), scripts.waiting(.ended, until: 3000)),
                (3000, .cancelled, [.abandon, .disarmTimer, .announce(.cancelled)]),
                (3001, .networkChanged, []),
            ])
    }

    @Test func `five changes in a row end the waiting at once, then one in two seconds does`() {
        var uplink = ScriptTests.uplink()
        let refused = ScriptTests.refused
        var script: [(Int, ScriptTests.Event, [Uplink.Effect])] = [
            (0, .started, scripts.resolving(1, at: 0)),
            (0, .failed(step: 1, refused), scripts.waiting(refused, until: 250)),
        ]
        for step in 2...6 as ClosedRange<UInt64> {
            script.append((0, .networkChanged, scripts.resolving(step, at: 0)))
            script.append((0, .failed(step: step, refused), scripts.waiting(refused, until: 250)))
        }
        // The schedule is sooner than the bucket's next token, until the delays grow: there, jitter makes them `min`.
        script.append((0, .networkChanged, []))
        script.append((250, .timerFired, scripts.resolving(7, at: 250)))
        scripts.play(&uplink, script)
    }

    @Test func `a change too many has its effect a little later, and others meanwhile add nothing`() {
        var uplink = Uplink(
            Uplink.Settings(
                endpoints: [.host("host0", port: 80)], connectTimeout: .seconds(10),
                reconnect: Backoff.Settings(min: .seconds(3600), max: .seconds(3600))))
        let refused = ScriptTests.refused
        let hour = 3_600_000
        var script: [(Int, ScriptTests.Event, [Uplink.Effect])] = [
            (0, .started, scripts.resolving(1, at: 0)),
            (0, .failed(step: 1, refused), scripts.waiting(refused, until: hour)),
        ]
        for step in 2...6 as ClosedRange<UInt64> {
            script.append((0, .networkChanged, scripts.resolving(step, at: 0)))
            script.append((0, .failed(step: step, refused), scripts.waiting(refused, until: hour)))
        }
        script += [
            (500, .networkChanged, [.armTimer(at: ScriptTests.at(2000))]),
            (501, .networkChanged, []),
            (1999, .networkChanged, []),
            (2000, .timerFired, scripts.resolving(7, at: 2000)),
            (2000, .failed(step: 7, refused), scripts.waiting(refused, until: 2000 + hour)),
            (2000, .networkChanged, [.armTimer(at: ScriptTests.at(4000))]),
            (4000, .timerFired, scripts.resolving(8, at: 4000)),
            (4000, .failed(step: 8, refused), scripts.waiting(refused, until: 4000 + hour)),
            // Ten seconds of calm are five attempts at once again.
            (14_000, .networkChanged, scripts.resolving(9, at: 14_000)),
            (14_000, .failed(step: 9, refused), scripts.waiting(refused, until: 14_000 + hour)),
            (14_000, .networkChanged, scripts.resolving(10, at: 14_000)),
        ]
        scripts.play(&uplink, script)
    }

    @Test func `an attempt that fails after a change is followed by the next at once`() {
        var uplink = ScriptTests.uplink()
        let refused = ScriptTests.refused
        scripts.play(
            &uplink,
            [
                (0, .started, scripts.resolving(1, at: 0)),
                (1, .resolved(step: 1, candidates: 1), scripts.connecting(2, at: 1)),
                (2, .networkChanged, [.armTimer(at: ScriptTests.at(1000))]),
                (3, .networkChanged, []),
                (4, .failed(step: 2, refused), scripts.waiting(refused, until: 4)),
                (4, .timerFired, scripts.resolving(3, at: 4)),
                (5, .failed(step: 3, refused), scripts.waiting(refused, until: 255)),
            ])
    }

    @Test func `an attempt that hangs is begun anew for a change, each time after twice as long`() {
        var uplink = ScriptTests.uplink()
        let refused = ScriptTests.refused
        scripts.play(
            &uplink,
            [
                (0, .started, scripts.resolving(1, at: 0)),
                (10, .networkChanged, [.armTimer(at: ScriptTests.at(1000))]),
                (1000, .timerFired, [.abandon] + scripts.resolving(2, at: 1000)),
                (1010, .resolved(step: 1, candidates: 1), []),
                (1020, .resolved(step: 2, candidates: 1), scripts.connecting(3, at: 1020)),
                (1500, .networkChanged, [.armTimer(at: ScriptTests.at(3000))]),
                (3000, .timerFired, [.abandon] + scripts.resolving(4, at: 3000)),
                (3000, .networkChanged, [.armTimer(at: ScriptTests.at(7000))]),
                (3001, .resolved(step: 4, candidates: 1), scripts.connecting(5, at: 3001, timer: 7000)),
                (6999, .opened(step: 5), scripts.ready),
                (7100, .failed(step: 5, refused), scripts.waiting(refused, until: 7350)),
                (7350, .timerFired, scripts.resolving(6, at: 7350)),
                (7351, .networkChanged, [.armTimer(at: ScriptTests.at(8350))]),
            ])
    }

    @Test func `one that has hung for long is begun anew at once`() {
        var uplink = ScriptTests.uplink()
        scripts.play(
            &uplink,
            [
                (0, .started, scripts.resolving(1, at: 0)),
                (5000, .networkChanged, [.armTimer(at: ScriptTests.at(5000))]),
                (5000, .timerFired, [.abandon] + scripts.resolving(2, at: 5000)),
            ])
    }

    @Test func `its own limits hold for an attempt that waits to be begun anew`() {
        var uplink = ScriptTests.uplink(timeout: .milliseconds(300))
        let failure = Uplink.Failure(endpoint: 0, reason: .resolutionTimedOut)
        let start = uplink.started(now: ScriptTests.at(0))
        #expect(start.contains(.armTimer(at: ScriptTests.at(300))))
        #expect(uplink.networkChanged(now: ScriptTests.at(1)) == [.armTimer(at: ScriptTests.at(300))])
        let end = uplink.timerFired(now: ScriptTests.at(300), jitter: 0)
        let waiting = Uplink.State.waiting(failure, until: ScriptTests.at(300))
        #expect(end == [.abandon, .armTimer(at: ScriptTests.at(300)), .announce(waiting)])
    }
}
