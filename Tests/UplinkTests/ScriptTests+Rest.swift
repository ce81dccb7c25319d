import TestSupport
import Testing
import Uplink

/// Connections that do what they are for, and end: one follows the other after a while.
extension ScriptTests {
    private static func polling() -> Uplink {
        Uplink(
            Uplink.Settings(
                endpoints: [.host("host", port: 80)], connectTimeout: .seconds(10),
                reconnect: Backoff.Settings(min: .milliseconds(250), max: .seconds(30)), rest: .seconds(10)))
    }

    private func resting(until: Int) -> [Uplink.Effect] {
        [
            .abandon, .armTimer(at: Self.at(until)),
            .announce(.resting(endpoint: 0, until: Self.at(until))),
        ]
    }

    /// Leads to a connection that is ready, in no time.
    private func connecting(_ step: UInt64, at now: Int, by event: Event) -> [(Int, Event, [Uplink.Effect])] {
        [
            (now, event, resolving(step, at: now)),
            (now, .resolved(step: step, candidates: 1), connecting(step + 1, at: now)),
            (now, .opened(step: step + 1), ready),
        ]
    }

    @Test
    func `after a connection that is complete the next one follows when it is time, counted from the end`() {
        var uplink = Self.polling()
        play(
            &uplink,
            connecting(1, at: 0, by: .started) + [
                (100, .completed(step: 2), resting(until: 10_100)),
                (101, .completed(step: 2), []), (102, .failed(step: 2, .ended), []),
            ] + connecting(3, at: 10_100, by: .timerFired) + [
                (10_101, .completed(step: 2), []), (10_150, .completed(step: 4), resting(until: 20_150)),
            ])
        #expect(uplink.isResting)
        #expect(uplink.attempts == 0)
    }

    @Test func `what a client sends ends the rest, but not more often than attempts may begin`() {
        var uplink = Self.polling()
        play(
            &uplink,
            [(0, .wanted, [])] + connecting(1, at: 0, by: .started) + [
                (1, .wanted, []), (5000, .completed(step: 2), resting(until: 15_000)),
            ] + connecting(3, at: 6000, by: .wanted) + [
                (6003, .completed(step: 4), resting(until: 16_003)),
                // The last attempt has begun 7 ms ago.
                (6007, .wanted, [.armTimer(at: Self.at(6010))]),
                (6008, .wanted, [.armTimer(at: Self.at(6010))]),
            ] + connecting(5, at: 6010, by: .timerFired))
    }

    @Test func `what a connection has left that is complete makes another, as soon as after a loss`() {
        var uplink = Self.polling()
        play(
            &uplink,
            connecting(1, at: 0, by: .started) + [
                (5, .completed(step: 2, isWanted: true), resting(until: 255)),
                // It would be a storm: the server ends each before it takes anything.
                (6, .wanted, []),
            ] + connecting(3, at: 255, by: .timerFired) + [
                (260, .completed(step: 4, isWanted: true), resting(until: 510))
            ] + connecting(5, at: 510, by: .timerFired) + [
                (3000, .completed(step: 6, isWanted: true), resting(until: 3000))
            ])
        #expect(uplink.isResting)
    }

    @Test func `one that is complete makes the schedule of failures start over`() {
        var uplink = Self.polling()
        func fail(from step: UInt64, at now: Int) -> Duration? {
            let effects = uplink.failed(step: step, Self.unresolved, now: Self.at(now), jitter: 1)
            return effects.compactMap { if case .armTimer(let at) = $0 { at - Self.at(now) } else { nil } }
                .last
        }
        _ = uplink.started(now: Self.at(0))
        #expect(fail(from: 1, at: 0) == .milliseconds(500))
        _ = uplink.timerFired(now: Self.at(500), jitter: 0)
        #expect(fail(from: 2, at: 500) == .seconds(1))
        play(
            &uplink,
            connecting(3, at: 1500, by: .timerFired) + [(1501, .completed(step: 4), resting(until: 11_501))])
        _ = uplink.timerFired(now: Self.at(11_501), jitter: 0)
        #expect(fail(from: 5, at: 11_501) == .milliseconds(500))
        #expect(!uplink.isResting)
    }

    @Test func `a rest is ended by an operator, by nothing that the network does, and for good by the end`() {
        var uplink = Self.polling()
        play(
            &uplink,
            connecting(1, at: 0, by: .started) + [
                (5, .completed(step: 2), resting(until: 10_005)), (6, .networkChanged, []),
            ] + connecting(3, at: 7, by: .reconnect) + [
                (8, .completed(step: 4), resting(until: 10_008)),
                (9, .cancelled, [.abandon, .disarmTimer, .announce(.cancelled)]),
                (10, .wanted, []), (11, .completed(step: 4), []),
            ])
    }

    @Test(
        arguments: stages.indices.filter {
            stages[$0].last.map { if case .opened = $0 { false } else { true } } ?? true
        })
    func `only a connection that is ready can be complete`(stage: Int) {
        var uplink = Self.uplink()
        for event in Self.stages[stage] { _ = Self.apply(event, at: 0, to: &uplink) }
        for step in UInt64(0)...4 { play(&uplink, [(1, .completed(step: step), []), (1, .wanted, [])]) }
    }
}
