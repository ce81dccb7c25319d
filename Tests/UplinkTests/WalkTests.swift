import Framing
import TestSupport
import Testing
import Uplink

/// Random events, sensible and not, and what must hold after each.
struct WalkTests {
    /// Carries the effects out as the bridge would, and checks what it is told.
    struct Shell {
        var uplink: Uplink
        let settings: Uplink.Settings
        var now = ContinuousClock.now
        var timer: ContinuousClock.Instant?
        /// Looked up or connected: one at a time; or connecting: several at once.
        var live: Set<UInt64> = []
        var isResolving = false
        /// What there was has just been given up: something like it may begin anew.
        var isAbandoned = false
        var candidates = 0
        var lastStep: UInt64 = 0
        /// The connection on which TLS was begun, and the one on which the dialogue was.
        var secured: UInt64?
        var greeted: UInt64?
        /// Steps of the dialogue that are done.
        var stepsDone = 0
        var readySince: ContinuousClock.Instant?
        /// No attempt may begin before.
        var earliest: ContinuousClock.Instant?
        /// The next look-up begins an attempt.
        var isAttemptDue = true
        var announced = Uplink.State.setup
        /// When the last attempt began, and whether a connection was complete since.
        var begun = ContinuousClock.now
        var isResting = false
        /// A new connection was asked for, at this moment.
        var requested: ContinuousClock.Instant?
        /// When the attempts began that the network's changes must have begun, for nothing else did.
        var begunByChange: [ContinuousClock.Instant] = []
        /// The network changes all the time, and hardly anything succeeds.
        var isRestless = false

        init(_ settings: Uplink.Settings) {
            self.settings = settings
            uplink = Uplink(settings)
        }

        mutating func carryOut(_ effects: [Uplink.Effect], seed: UInt64) {
            isAbandoned = false
            let wasCancelled = announced == .cancelled
            #expect(!wasCancelled || effects.isEmpty, "cancelled, and still \(effects), seed \(seed)")
            for effect in effects { carryOut(effect, seed: seed) }
            #expect(announced == uplink.state, "every change is announced, seed \(seed)")
            switch uplink.state {
            case .waiting(_, let until):
                #expect(timer.map { $0 <= until } ?? false, "waiting without its timer, seed \(seed)")
                #expect(live.isEmpty, "waiting with a live step, seed \(seed)")
            case .resting(_, let until):
                #expect(timer.map { $0 <= until } ?? false, "resting without its timer, seed \(seed)")
                #expect(live.isEmpty, "resting with a live step, seed \(seed)")
            case .preparing:
                #expect((1...6).contains(live.count), "seed \(seed)")
                #expect(timer != nil || settings.connectTimeout == nil, "seed \(seed)")
            case .ready:
                #expect(live.count == 1, "seed \(seed)")
                #expect(timer == nil || settings.failBack != nil, "a timer left over, seed \(seed)")
            case .setup, .cancelled:
                #expect(live.isEmpty && timer == nil, "seed \(seed)")
            }
        }

        private mutating func carryOut(_ effect: Uplink.Effect, seed: UInt64) {
            switch effect {
            case .resolve(let step, let endpoint):
                begin(step, seed: seed)
                #expect(settings.endpoints.indices.contains(endpoint), "seed \(seed)")
                #expect(live.count == 1, "a look-up beside other steps, seed \(seed)")
                isResolving = true
                guard isAttemptDue else { return }
                isAttemptDue = false
                if let earliest, now < earliest {
                    #expect(!isResting, "a storm of connections, seed \(seed)")
                    expectAllowance(seed: seed)
                }
                begun = now
                isResting = false
            case .connect(let step, let endpoint, let candidate):
                begin(step, seed: seed)
                #expect(settings.endpoints.indices.contains(endpoint), "seed \(seed)")
                #expect(candidate < candidates, "seed \(seed)")
                isResolving = false
            case .secure(let step):
                #expect(settings.isSecured && live == [step] && step != secured, "seed \(seed)")
                secured = step
            case .greet(let step):
                #expect(!settings.greeting.isEmpty && live == [step], "seed \(seed)")
                #expect(step != greeted, "the dialogue begins twice, seed \(seed)")
                #expect(!settings.isSecured || secured == step, "seed \(seed)")
                greeted = step
                stepsDone = 0
            case .close(let step, _):
                #expect(live.remove(step) != nil, "closed twice, seed \(seed)")
            case .goOn(let failure):
                #expect(settings.endpoints.count > 1 && live.isEmpty, "seed \(seed)")
                #expect(settings.endpoints.indices.contains(failure.endpoint), "seed \(seed)")
            case .abandon:
                live = []
                isAbandoned = true
            case .armTimer(let at):
                #expect(at >= now, "seed \(seed)")
                timer = at
            case .disarmTimer: timer = nil
            case .announce(let state):
                #expect(state != announced || isAbandoned, "announced twice, seed \(seed)")
                announce(state)
            }
        }

        /// Five at once, and one more in two seconds.
        private mutating func expectAllowance(seed: UInt64) {
            begunByChange.append(now)
            for (index, first) in begunByChange.enumerated() {
                let allowed = 5 + Int((now - first) / .seconds(2))
                #expect(begunByChange.count - index <= allowed, "a storm of attempts, seed \(seed)")
            }
        }

        private mutating func begin(_ step: UInt64, seed: UInt64) {
            #expect(step > lastStep, "a step's number comes again, seed \(seed)")
            live.insert(step)
            lastStep = step
        }

        private mutating func announce(_ state: Uplink.State) {
            if state == .ready {
                readySince = now
                #expect(!settings.isSecured || live == secured.map { [$0] }, "ready without TLS")
                #expect(settings.greeting.isEmpty || live == greeted.map { [$0] }, "ready without a dialogue")
                #expect(settings.greeting.isEmpty || stepsDone == settings.greeting.count)
            }
            if case .waiting = state {
                let outlived = readySince.map { now - $0 > .seconds(2) } ?? false
                isAttemptDue = true
                let isAtOnce = outlived || requested == now || state.isFailBack
                earliest = isAtOnce ? now : now + max(settings.reconnect.min, .milliseconds(10))
                readySince = nil
            }
            if case .resting = state {
                isAttemptDue = true
                isResting = true
                earliest = begun + .milliseconds(10)
                readySince = nil
            }
            announced = state
        }
    }

    static let reasons: [Uplink.Reason] = [
        .unresolved("no", isLasting: true), .tls("expired", isLasting: true), .truncated,
        .greeting(step: 0, .unexpected("ok"), said: "no"), .system(call: "connect", errno: 111), .ended,
        .idle,
        .framing(.tooLong(limit: 1)),
    ]

    static func settings(using random: inout Seeded) -> Uplink.Settings {
        let shortest = Duration.milliseconds(Int.random(in: 0...500, using: &random))
        return Uplink.Settings(
            endpoints: (0..<Int.random(in: 1...3, using: &random)).map { .host("host\($0)", port: 80) },
            connectTimeout: Bool.random(using: &random)
                ? .milliseconds(Int.random(in: 1...5000, using: &random)) : nil,
            reconnect: Backoff.Settings(
                min: shortest, max: shortest * Int.random(in: 0...200, using: &random),
                lasting: .seconds(Int.random(in: 0...300, using: &random))),
            isSecured: Bool.random(using: &random),
            greeting: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                .milliseconds(Int.random(in: 1...5000, using: &random))
            },
            failover: Bool.random(using: &random) ? .inOrder : .random,
            failBack: Bool.random(using: &random) ? .milliseconds(1500) : nil,
            rest: .milliseconds(Int.random(in: 10...5000, using: &random)))
    }

    /// One event: mostly of the live step, often of some other, sometimes only time passing.
    static func event(_ shell: inout Shell, using random: inout Seeded) -> [Uplink.Effect] {
        let jitter = [0, 1, Double.random(in: 0...1, using: &random)].randomElement(using: &random) ?? 0
        let other = UInt64.random(in: 0...shell.lastStep + 1, using: &random)
        let isOther = Int.random(in: 0..<4, using: &random) == 0
        let step = isOther ? other : shell.live.randomElement(using: &random) ?? other
        switch Int.random(in: 0..<(shell.isRestless ? 24 : 12), using: &random) {
        case 12...17: return change(&shell)
        case 18...: return shell.uplink.failed(step: step, .idle, now: shell.now, jitter: jitter)
        case 0...2:
            let count = Int.random(in: 1...9, using: &random)
            if shell.live.contains(step) && shell.isResolving {
                shell.candidates = count
                // The look-up is over: it holds nothing.
                shell.live = []
            }
            return shell.uplink.resolved(step: step, candidates: count, now: shell.now)
        case 3...5 where shell.uplink.isResting: return shell.uplink.wanted(now: shell.now)
        case 3...5: return advance(&shell, step)
        case 6 where shell.uplink.state == .ready:
            return shell.uplink.completed(
                step: step, isWanted: Bool.random(using: &random), now: shell.now, jitter: jitter)
        case 6, 7:
            let reason = reasons.randomElement(using: &random) ?? .ended
            return shell.uplink.failed(step: step, reason, now: shell.now, jitter: jitter)
        case 8:
            // Whoever asks for an attempt gets it at once.
            shell.requested = shell.now
            shell.earliest = nil
            return shell.uplink.reconnect(now: shell.now)
        case 9: return change(&shell)
        case 10:
            shell.now += .milliseconds(Int.random(in: 0...4000, using: &random))
            fallthrough
        default:
            guard let due = shell.timer else { return [] }
            if due > shell.now { shell.now = due }
            shell.timer = nil
            return shell.uplink.timerFired(now: shell.now, jitter: jitter)
        }
    }

    /// The step has come further, as far as it can tell.
    private static func advance(_ shell: inout Shell, _ step: UInt64) -> [Uplink.Effect] {
        switch shell.uplink.state {
        case .preparing(.securing): return shell.uplink.secured(step: step, now: shell.now)
        case .preparing(.greeting):
            let count = shell.stepsDone + 1
            if shell.live.contains(step) { shell.stepsDone = count }
            return shell.uplink.greeted(step: step, count: count, now: shell.now)
        default: return shell.uplink.opened(step: step, now: shell.now)
        }
    }

    /// Whoever waits begins at once, or within the two seconds in which one more attempt is allowed.
    private static func change(_ shell: inout Shell) -> [Uplink.Effect] {
        let effects = shell.uplink.networkChanged(now: shell.now)
        if case .waiting = shell.uplink.state {
            let timer = effects.compactMap { if case .armTimer(let at) = $0 { at } else { nil } }.last
            let due = timer ?? shell.timer
            #expect(due.map { $0 <= shell.now + .seconds(2) } ?? false, "a change without effect")
        }
        return effects
    }

    @Test(arguments: seeds)
    func `whatever happens, one attempt lives, a timer ends every wait, and no storm begins`(seed: UInt64) {
        var random = Seeded(seed)
        var timesReady = 0
        for _ in 0..<60 {
            var shell = Shell(Self.settings(using: &random))
            shell.isRestless = Bool.random(using: &random)
            shell.carryOut(shell.uplink.started(now: shell.now), seed: seed)
            for _ in 0..<300 {
                shell.carryOut(Self.event(&shell, using: &random), seed: seed)
                if shell.announced == .ready { timesReady += 1 }
                if Int.random(in: 0..<400, using: &random) == 0 {
                    shell.carryOut(shell.uplink.cancelled(), seed: seed)
                }
            }
        }
        #expect(timesReady > 100, "the walk gets everywhere, seed \(seed)")
    }

    @Test(arguments: seeds)
    func `from wherever a walk ends, a server that answers is reached`(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<100 {
            var shell = Shell(Self.settings(using: &random))
            shell.carryOut(shell.uplink.started(now: shell.now), seed: seed)
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                shell.carryOut(Self.event(&shell, using: &random), seed: seed)
            }
            // Waiting ends by the timer; then a look-up; a connection; TLS; at most three steps of the dialogue.
            for _ in 0..<7 where shell.uplink.state != .ready { help(&shell, seed: seed) }
            #expect(shell.uplink.state == .ready, "seed \(seed)")
        }
    }

    private func help(_ shell: inout Shell, seed: UInt64) {
        switch shell.uplink.state {
        case .waiting, .resting:
            shell.now = max(shell.now, shell.timer ?? shell.now)
            shell.timer = nil
            shell.carryOut(shell.uplink.timerFired(now: shell.now, jitter: 1), seed: seed)
        case .preparing(.resolving):
            let step = shell.live.first ?? 0
            shell.live = []
            shell.candidates = 1
            shell.carryOut(shell.uplink.resolved(step: step, candidates: 1, now: shell.now), seed: seed)
        case .preparing(.connecting):
            shell.carryOut(shell.uplink.opened(step: shell.live.first ?? 0, now: shell.now), seed: seed)
        case .preparing(.securing), .preparing(.greeting):
            shell.carryOut(Self.advance(&shell, shell.live.first ?? 0), seed: seed)
        case .setup, .ready, .cancelled: break
        }
    }
}

extension Uplink.State {
    /// A connection was given up for the first endpoint.
    fileprivate var isFailBack: Bool {
        if case .waiting(let failure, _) = self { failure.reason == .failBack } else { false }
    }
}
