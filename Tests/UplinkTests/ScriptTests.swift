import Framing
import TestSupport
import Testing
import Uplink

/// Lists of events, and the exact effects of each.
struct ScriptTests {
    static let start = ContinuousClock.now
    static let unresolved = Uplink.Reason.unresolved("no", isLasting: false)
    static let refused = Uplink.Reason.system(call: "connect", errno: 111)

    static func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    static func uplink(
        endpoints: Int = 1, timeout: Duration? = .seconds(10), failBack: Duration? = nil
    ) -> Uplink {
        Uplink(
            Uplink.Settings(
                endpoints: (0..<endpoints).map { .host("host\($0)", port: 80) }, connectTimeout: timeout,
                reconnect: Backoff.Settings(min: .milliseconds(250), max: .seconds(30)), failBack: failBack))
    }

    /// An event, at so many milliseconds; jitter is 0, so that delays are `min`.
    enum Event {
        case started
        case resolved(step: UInt64, candidates: Int)
        case opened(step: UInt64)
        case secured(step: UInt64)
        case greeted(step: UInt64, count: Int)
        case failed(step: UInt64, Uplink.Reason)
        case timerFired
        case reconnect
        case networkChanged
        case completed(step: UInt64, isWanted: Bool = false)
        case wanted
        case cancelled
    }

    static func apply(_ event: Event, at milliseconds: Int, to uplink: inout Uplink) -> [Uplink.Effect] {
        let now = at(milliseconds)
        return switch event {
        case .started: uplink.started(now: now)
        case .resolved(let step, let count): uplink.resolved(step: step, candidates: count, now: now)
        case .opened(let step): uplink.opened(step: step, now: now)
        case .secured(let step): uplink.secured(step: step, now: now)
        case .greeted(let step, let count): uplink.greeted(step: step, count: count, now: now)
        case .failed(let step, let reason): uplink.failed(step: step, reason, now: now, jitter: 0)
        case .timerFired: uplink.timerFired(now: now, jitter: 0)
        case .reconnect: uplink.reconnect(now: now)
        case .networkChanged: uplink.networkChanged(now: now)
        case .completed(let step, let isWanted):
            uplink.completed(step: step, isWanted: isWanted, now: now, jitter: 0)
        case .wanted: uplink.wanted(now: now)
        case .cancelled: uplink.cancelled()
        }
    }

    func play(
        _ uplink: inout Uplink, _ script: [(Int, Event, [Uplink.Effect])],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (number, (milliseconds, event, effects)) in script.enumerated() {
            let got = Self.apply(event, at: milliseconds, to: &uplink)
            #expect(got == effects, "line \(number), \(event)", sourceLocation: sourceLocation)
        }
    }

    // What a step begins with, under the default timeout of 10 s.
    func resolving(_ step: UInt64, _ endpoint: Int = 0, at now: Int) -> [Uplink.Effect] {
        [
            .armTimer(at: Self.at(now + 10_000)), .announce(.preparing(.resolving(endpoint: endpoint))),
            .resolve(step: step, endpoint: endpoint),
        ]
    }

    /// The timer is for the connection's own limit, unless another one starts before.
    func connecting(
        _ step: UInt64, _ endpoint: Int = 0, _ candidate: Int = 0, at now: Int, timer: Int? = nil
    ) -> [Uplink.Effect] {
        [
            .armTimer(at: Self.at(timer ?? now + 10_000)),
            .announce(.preparing(.connecting(endpoint: endpoint, candidate: candidate))),
            .connect(step: step, endpoint: endpoint, candidate: candidate),
        ]
    }

    func waiting(_ reason: Uplink.Reason, _ endpoint: Int = 0, until: Int) -> [Uplink.Effect] {
        let failure = Uplink.Failure(endpoint: endpoint, reason: reason)
        return [
            .abandon, .armTimer(at: Self.at(until)), .announce(.waiting(failure, until: Self.at(until))),
        ]
    }

    func goingOn(after endpoint: Int, _ reason: Uplink.Reason) -> [Uplink.Effect] {
        [.abandon, .goOn(after: Uplink.Failure(endpoint: endpoint, reason: reason))]
    }

    let ready: [Uplink.Effect] = [.disarmTimer, .announce(.ready)]

    @Test func `whoever asks for a new connection gets an attempt at once, whatever is under way`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .reconnect, []),
                (0, .started, resolving(1, at: 0)),
                (1, .reconnect, [.abandon] + resolving(2, at: 1)),
                (2, .resolved(step: 2, candidates: 1), connecting(3, at: 2)),
                (3, .reconnect, [.abandon] + resolving(4, at: 3)),
                (4, .failed(step: 4, Self.refused), waiting(Self.refused, until: 254)),
                (5, .reconnect, resolving(5, at: 5)),
                (6, .resolved(step: 5, candidates: 1), connecting(6, at: 6)),
                (7, .opened(step: 6), ready),
                (8, .reconnect, waiting(.requested, until: 8)),
                (8, .timerFired, resolving(7, at: 8)),
                (9, .cancelled, [.abandon, .disarmTimer, .announce(.cancelled)]),
                (10, .reconnect, []),
            ])
    }

    @Test func `a name is looked up, connected to, and ready`() {
        var uplink = Self.uplink()
        #expect(uplink.state == .setup)
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (5, .resolved(step: 1, candidates: 1), connecting(2, at: 5)),
                (9, .opened(step: 2), ready),
            ])
        #expect(uplink.state == .ready)
    }

    @Test func `a refused connection waits, and the next attempt looks the name up afresh`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (1, .resolved(step: 1, candidates: 1), connecting(2, at: 1)),
                (2, .failed(step: 2, Self.refused), waiting(Self.refused, until: 252)),
                (252, .timerFired, resolving(3, at: 252)),
                (253, .resolved(step: 3, candidates: 1), connecting(4, at: 253)),
                (254, .opened(step: 4), ready),
            ])
    }

    @Test func `a name that cannot be resolved waits`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (
                    1, .failed(step: 1, .unresolved("no such name", isLasting: false)),
                    waiting(.unresolved("no such name", isLasting: false), until: 251)
                ),
                (251, .timerFired, resolving(2, at: 251)),
            ])
    }

    @Test func `a look-up and a connection each have the whole time limit, and then wait`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (10_000, .timerFired, waiting(.resolutionTimedOut, until: 10_250)),
                (10_250, .timerFired, resolving(2, at: 10_250)),
                (20_249, .resolved(step: 2, candidates: 1), connecting(3, at: 20_249)),
                (30_249, .timerFired, waiting(.connectTimedOut, until: 30_499)),
            ])
    }

    @Test func `without a time limit no timer runs while preparing`() {
        var uplink = Self.uplink(timeout: nil)
        play(
            &uplink,
            [
                (
                    0, .started,
                    [
                        .disarmTimer, .announce(.preparing(.resolving(endpoint: 0))),
                        .resolve(step: 1, endpoint: 0),
                    ]
                ),
                (
                    1, .resolved(step: 1, candidates: 1),
                    [
                        .disarmTimer, .announce(.preparing(.connecting(endpoint: 0, candidate: 0))),
                        .connect(step: 2, endpoint: 0, candidate: 0),
                    ]
                ),
            ])
    }

    @Test func `a long connection that is given up makes up for all failures before it`() {
        var uplink = Self.uplink()
        play(&uplink, [(0, .started, resolving(1, at: 0))])
        var (step, now): (UInt64, Int) = (1, 0)
        for _ in 0..<10 {
            guard case .waiting(_, let until) = fail(&uplink, step: step, at: now) else {
                Issue.record("not waiting but \(uplink.state)")
                return
            }
            step += 1
            now = Int((until - Self.start) / .milliseconds(1))
            _ = Self.apply(.timerFired, at: now, to: &uplink)
        }
        _ = Self.apply(.resolved(step: step, candidates: 1), at: now, to: &uplink)
        _ = Self.apply(.opened(step: step + 1), at: now, to: &uplink)
        #expect(uplink.state == .ready)
        now += 3_600_000
        _ = Self.apply(.reconnect, at: now, to: &uplink)
        _ = Self.apply(.timerFired, at: now, to: &uplink)
        // The longest delay after the first failure.
        guard case .waiting(_, let until) = fail(&uplink, step: step + 2, at: now, jitter: 1) else {
            Issue.record("not waiting but \(uplink.state)")
            return
        }
        #expect(until == Self.at(now + 500))
    }

    /// - Returns: The state after the step has failed.
    private func fail(
        _ uplink: inout Uplink, step: UInt64, at now: Int, jitter: Double = 0
    ) -> Uplink.State {
        _ = uplink.failed(step: step, Self.unresolved, now: Self.at(now), jitter: jitter)
        return uplink.state
    }

    @Test func `late results of old steps are ignored`() {
        var uplink = Self.uplink(endpoints: 2)
        play(
            &uplink,
            [
                (0, .started, resolving(1, 0, at: 0)),
                (10_000, .timerFired, goingOn(after: 0, .resolutionTimedOut) + resolving(2, 1, at: 10_000)),
                (10_001, .resolved(step: 1, candidates: 1), []),
                (10_002, .failed(step: 1, .unresolved("late", isLasting: false)), []),
                (10_003, .opened(step: 2), []),
                (10_004, .resolved(step: 2, candidates: 1), connecting(3, 1, at: 10_004)),
                (10_005, .resolved(step: 2, candidates: 1), []),
                (10_006, .failed(step: 2, .unresolved("late", isLasting: false)), []),
                (10_007, .opened(step: 2), []),
                (10_008, .resolved(step: 3, candidates: 1), []),
                (10_009, .failed(step: 3, Self.refused), waiting(Self.refused, 1, until: 10_259)),
                (10_010, .failed(step: 3, Self.refused), []),
                (10_011, .opened(step: 3), []),
                (10_012, .resolved(step: 3, candidates: 1), []),
                (10_259, .timerFired, resolving(4, 0, at: 10_259)),
                (10_260, .resolved(step: 4, candidates: 1), connecting(5, 0, at: 10_260)),
                (10_261, .opened(step: 5), ready),
                (10_262, .opened(step: 5), []),
                (10_263, .failed(step: 4, .unresolved("late", isLasting: false)), []),
                (10_264, .failed(step: 3, .ended), []),
                (10_265, .timerFired, []),
            ])
        #expect(uplink.state == .ready)
    }

    @Test(arguments: [
        Uplink.Reason.ended, .idle, .framing(.tooLong(limit: 10)), .system(call: "recv", errno: 104),
    ])
    func `a long connection that is lost is tried again at once, a short one after a delay`(
        reason: Uplink.Reason
    ) {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .started, resolving(1, at: 0)),
                (0, .resolved(step: 1, candidates: 1), connecting(2, at: 0)),
                (0, .opened(step: 2), ready),
                (2001, .failed(step: 2, reason), waiting(reason, until: 2001)),
                (2001, .timerFired, resolving(3, at: 2001)),
                (2001, .resolved(step: 3, candidates: 1), connecting(4, at: 2001)),
                (2001, .opened(step: 4), ready),
                (3901, .failed(step: 4, reason), waiting(reason, until: 4151)),
                (4151, .timerFired, resolving(5, at: 4151)),
            ])
    }

    @Test func `attempts count the rounds since the connection was last lost`() {
        var uplink = Self.uplink()
        #expect(uplink.attempts == 0)
        _ = uplink.started(now: Self.at(0))
        #expect(uplink.attempts == 1)
        _ = uplink.failed(step: 1, Self.unresolved, now: Self.at(1), jitter: 0)
        #expect(uplink.attempts == 1)
        _ = uplink.timerFired(now: Self.at(251), jitter: 0)
        #expect(uplink.attempts == 2)
        _ = uplink.resolved(step: 2, candidates: 1, now: Self.at(252))
        #expect(uplink.attempts == 2)
        _ = uplink.opened(step: 3, now: Self.at(253))
        #expect(uplink.attempts == 2)
        _ = uplink.failed(step: 3, .ended, now: Self.at(254), jitter: 0)
        #expect(uplink.attempts == 0)
    }

    /// What leads into each stage; the step under way, if there is one, is the last that was begun.
    static let stages: [[Event]] = [
        [],
        [.started],
        [.started, .resolved(step: 1, candidates: 2)],
        [.started, .resolved(step: 1, candidates: 2), .failed(step: 2, refused)],
        [.started, .resolved(step: 1, candidates: 1), .opened(step: 2)],
        [.started, .failed(step: 1, Self.unresolved)],
    ]

    @Test(arguments: stages.indices)
    func `cancelled in any stage, it stays cancelled`(stage: Int) {
        var uplink = Self.uplink()
        for event in Self.stages[stage] { _ = Self.apply(event, at: 0, to: &uplink) }
        #expect(uplink.cancelled() == [.abandon, .disarmTimer, .announce(.cancelled)])
        for step in UInt64(0)...4 {
            play(
                &uplink,
                [
                    (1, .resolved(step: step, candidates: 1), []), (2, .opened(step: step), []),
                    (3, .failed(step: step, .ended), []), (4, .timerFired, []), (5, .cancelled, []),
                ])
        }
        #expect(uplink.state == .cancelled)
    }

    @Test func `before the start nothing has an effect`() {
        var uplink = Self.uplink()
        play(
            &uplink,
            [
                (0, .resolved(step: 0, candidates: 1), []), (1, .opened(step: 0), []),
                (2, .failed(step: 0, .ended), []), (3, .timerFired, []), (4, .started, resolving(1, at: 4)),
            ])
    }
}
