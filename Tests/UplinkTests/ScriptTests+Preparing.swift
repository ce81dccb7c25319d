import Testing
import Uplink

/// TLS and the dialogue, between the connection and ready.
extension ScriptTests {
    static let expired = Uplink.Reason.tls("the certificate has expired", isLasting: true)
    static let refusedLogin = Uplink.Reason.greeting(step: 1, .unexpected("ok"), said: "go away")

    private static func preparing(
        endpoints: Int = 1, isSecured: Bool = true, greeting: [Int] = [1000, 2000]
    ) -> Uplink {
        Uplink(
            Uplink.Settings(
                endpoints: (0..<endpoints).map { .host("host\($0)", port: 80) },
                connectTimeout: .seconds(10),
                reconnect: Backoff.Settings(
                    min: .milliseconds(250), max: .seconds(30), lasting: .seconds(300)),
                isSecured: isSecured, greeting: greeting.map { .milliseconds($0) }))
    }

    private func securing(_ step: UInt64, _ endpoint: Int = 0, at now: Int) -> [Uplink.Effect] {
        [
            .armTimer(at: Self.at(now + 10_000)), .announce(.preparing(.securing(endpoint: endpoint))),
            .secure(step: step),
        ]
    }

    private func greeting(_ index: Int, _ endpoint: Int = 0, until: Int) -> [Uplink.Effect] {
        [
            .armTimer(at: Self.at(until)),
            .announce(.preparing(.greeting(endpoint: endpoint, step: index))),
        ]
    }

    /// Looked up at once, as step 1, and connected, as step 2.
    private func connected(_ uplink: inout Uplink, candidates: Int = 1) {
        _ = uplink.started(now: Self.at(0))
        _ = uplink.resolved(step: 1, candidates: candidates, now: Self.at(0))
    }

    @Test func `ready comes after TLS and after each step of the dialogue, once`() {
        var uplink = Self.preparing()
        connected(&uplink)
        play(
            &uplink,
            [
                (1, .secured(step: 2), []),
                (1, .greeted(step: 2, count: 1), []),
                (1, .opened(step: 2), securing(2, at: 1)),
                (2, .opened(step: 2), []),
                (2, .secured(step: 1), []),
                (3, .secured(step: 2), greeting(0, until: 1003) + [.greet(step: 2)]),
                (4, .secured(step: 2), []),
                (4, .greeted(step: 2, count: 2), []),
                (5, .greeted(step: 2, count: 1), greeting(1, until: 2005)),
                (5, .greeted(step: 2, count: 1), []),
                (6, .greeted(step: 2, count: 2), ready),
                (7, .greeted(step: 2, count: 3), []),
            ])
    }

    @Test func `without TLS the dialogue comes at once, and without a dialogue ready does`() {
        var plain = Self.preparing(isSecured: false)
        connected(&plain)
        play(&plain, [(1, .opened(step: 2), greeting(0, until: 1001) + [.greet(step: 2)])])
        var silent = Self.preparing(greeting: [])
        connected(&silent)
        play(&silent, [(1, .opened(step: 2), securing(2, at: 1)), (2, .secured(step: 2), ready)])
    }

    @Test func `each phase has a limit of its own`() {
        var uplink = Self.preparing()
        connected(&uplink)
        play(
            &uplink,
            [
                (5000, .opened(step: 2), securing(2, at: 5000)),
                (15_000, .timerFired, waiting(.handshakeTimedOut, until: 15_250)),
                (15_250, .timerFired, resolving(3, at: 15_250)),
                (15_250, .resolved(step: 3, candidates: 1), connecting(4, at: 15_250)),
                (15_251, .opened(step: 4), securing(4, at: 15_251)),
                (15_252, .secured(step: 4), greeting(0, until: 16_252) + [.greet(step: 4)]),
                (15_253, .greeted(step: 4, count: 1), greeting(1, until: 17_253)),
                (
                    17_253, .timerFired,
                    waiting(.greeting(step: 1, .timedOut, said: ""), until: 17_503)
                ),
            ])
    }

    @Test func `an address whose TLS fails is followed by the next one of its name`() {
        var uplink = Self.preparing()
        connected(&uplink, candidates: 2)
        play(
            &uplink,
            [
                (1, .opened(step: 2), securing(2, at: 1)),
                (
                    9, .failed(step: 2, Self.expired),
                    [.close(step: 2, because: Self.expired)] + connecting(3, 0, 1, at: 9)
                ),
                (10, .secured(step: 2), []),
                (10, .opened(step: 3), securing(3, at: 10)),
            ])
    }

    @Test func `a refused login is not tried at the other addresses of the server, but at the next server`() {
        var uplink = Self.preparing(endpoints: 2, isSecured: false)
        connected(&uplink, candidates: 2)
        play(
            &uplink,
            [
                (1, .opened(step: 2), greeting(0, until: 1001) + [.greet(step: 2)]),
                (2, .greeted(step: 2, count: 1), greeting(1, until: 2002)),
                (
                    3, .failed(step: 2, Self.refusedLogin),
                    goingOn(after: 0, Self.refusedLogin) + resolving(3, 1, at: 3)
                ),
            ])
    }

    @Test func `whoever asks for a new connection gets it during TLS and during the dialogue`() {
        var uplink = Self.preparing()
        connected(&uplink)
        play(
            &uplink,
            [
                (1, .opened(step: 2), securing(2, at: 1)),
                (2, .reconnect, [.abandon] + resolving(3, at: 2)),
                (2, .resolved(step: 3, candidates: 1), connecting(4, at: 2)),
                (3, .opened(step: 4), securing(4, at: 3)),
                (4, .secured(step: 4), greeting(0, until: 1004) + [.greet(step: 4)]),
                (5, .reconnect, [.abandon] + resolving(5, at: 5)),
                (6, .cancelled, [.abandon, .disarmTimer, .announce(.cancelled)]),
            ])
    }

    /// The delays after so many attempts, of which each goes the same way; the jitter is 0.
    private func delays(_ uplink: inout Uplink, _ reasons: [[Uplink.Reason]]) -> [Int] {
        var now = 0
        var effects = uplink.started(now: Self.at(0))
        return reasons.map { reasons in
            for reason in reasons {
                effects = uplink.failed(
                    step: ScheduleTests.step(in: effects) ?? 0, reason, now: Self.at(now), jitter: 0)
            }
            guard case .waiting(_, let until) = uplink.state else { return -1 }
            let delay = Int((until - Self.at(now)) / .milliseconds(1))
            now += delay
            effects = uplink.timerFired(now: Self.at(now), jitter: 0)
            return delay
        }
    }

    @Test func `what only a person can mend is tried slowly, from the second time in a row on`() {
        var uplink = Self.preparing()
        let noName = Uplink.Reason.unresolved("no such name", isLasting: true)
        #expect(
            delays(&uplink, [[noName], [Self.expired], [Self.refusedLogin], [Self.refused], [noName]])
                == [250, 150_000, 150_000, 250, 250])
    }

    @Test func `an attempt is hopeless only when every endpoint of it is`() {
        var uplink = Self.preparing(endpoints: 2)
        let noName = Uplink.Reason.unresolved("no such name", isLasting: true)
        let (mixed, all) = ([noName, .resolutionTimedOut], [noName, Self.expired])
        #expect(
            delays(&uplink, [mixed, mixed, mixed.reversed(), all, all]) == [250, 250, 250, 250, 150_000])
    }
}
