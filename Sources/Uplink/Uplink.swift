/// The life of the connection to the upstream, as a state machine: no I/O, no clock, no randomness.
///
/// An *attempt* is one round of all endpoints; a *step* is one look-up or one connection within it. The addresses that a
/// look-up finds race (RFC 8305). Every step has a number that is never used again: what arrives about a step that is over
/// is ignored. Each event returns effects, which the caller carries out in order. There is one timer: `armTimer` replaces
/// it.
public struct Uplink: Sendable {
    /// So many are under way at once at the most.
    public static var mostConnections: Int { Race.most }

    /// An attempt goes on for so long although the network has changed: what makes a network come back is a handful of
    /// changes, one after the other.
    private static let youth = Duration.seconds(1)

    private enum Stage {
        case setup
        case resolving(step: UInt64, endpoint: Int, until: ContinuousClock.Instant?)
        /// At least one racer is under way.
        case connecting(Race, endpoint: Int)
        /// The winner of the race, which has not ended until that one is ready.
        case securing(Race, step: UInt64, endpoint: Int, until: ContinuousClock.Instant?)
        case greeting(Race, step: UInt64, endpoint: Int, index: Int, until: ContinuousClock.Instant)
        case ready(step: UInt64, endpoint: Int, since: ContinuousClock.Instant)
        case waiting(Failure, until: ContinuousClock.Instant)
        /// What clients send ends it, unless some of it waits already: the connection has ended before it took that.
        case resting(endpoint: Int, until: ContinuousClock.Instant, isWanted: Bool)
        case cancelled
    }

    private let settings: Settings
    private var stage = Stage.setup
    private var backoff: Backoff
    private var steps: UInt64 = 0
    /// The endpoints of this attempt that are still to be tried.
    private var rest: ArraySlice<Int> = []
    private var random: SplitMix64
    /// Every step of the attempt that failed so far failed for a lasting reason.
    private var isHopeless = true
    /// When the attempt began.
    private var begun: ContinuousClock.Instant?
    /// The network has changed since then: a new attempt may begin from this moment on.
    private var change: ContinuousClock.Instant?
    /// How often a change may begin an attempt, however often the network changes.
    private var allowance = Allowance(burst: 5, interval: .seconds(2))
    /// Doubled with each attempt that was begun anew for a change, so that a server which needs long is reached in the end.
    private var youth = Self.youth
    /// Rounds of all endpoints since the connection was last lost, the one under way among them.
    public private(set) var attempts = 0

    /// - Parameters:
    ///   - settings: Where to connect to, and how; at least one endpoint.
    ///   - seed: Decides the orders that `Failover.random` draws.
    public init(_ settings: Settings, seed: UInt64 = 0) {
        precondition(!settings.endpoints.isEmpty, "an uplink without an endpoint")
        random = SplitMix64(seed)
        self.settings = settings
        backoff = Backoff(settings.reconnect)
    }

    public var state: State {
        switch stage {
        case .setup: .setup
        case .resolving(_, let endpoint, _): .preparing(.resolving(endpoint: endpoint))
        case .connecting(let race, let endpoint):
            // The newest.
            .preparing(.connecting(endpoint: endpoint, candidate: race.racers.last?.candidate ?? 0))
        case .securing(_, _, let endpoint, _): .preparing(.securing(endpoint: endpoint))
        case .greeting(_, _, let endpoint, let index, _):
            .preparing(.greeting(endpoint: endpoint, step: index))
        case .ready: .ready
        case .waiting(let failure, let until): .waiting(failure, until: until)
        case .resting(let endpoint, let until, _): .resting(endpoint: endpoint, until: until)
        case .cancelled: .cancelled
        }
    }

    /// The last connection was complete, and the next one is still to come.
    public var isResting: Bool { if case .resting = stage { true } else { false } }

    // MARK: Events

    public mutating func started(now: ContinuousClock.Instant) -> [Effect] {
        guard case .setup = stage else { preconditionFailure("started in \(stage)") }
        return beginAttempt(now: now)
    }

    /// A look-up found so many addresses, at least one.
    public mutating func resolved(step: UInt64, candidates: Int, now: ContinuousClock.Instant) -> [Effect] {
        guard case .resolving(step, let endpoint, _) = stage else { return [] }
        precondition(candidates > 0, "a look-up that found nothing has failed")
        return goOn(Race(candidates: candidates, now: now), endpoint: endpoint, now: now)
    }

    /// The connection stands.
    public mutating func opened(step: UInt64, now: ContinuousClock.Instant) -> [Effect] {
        guard case .connecting(var race, let endpoint) = stage, race.isUnderWay(step: step) else { return [] }
        let losers = race.win(step: step).map { Effect.close(step: $0) }
        guard settings.isSecured else {
            return losers + greet(race, step: step, endpoint: endpoint, now: now)
        }
        let until = settings.connectTimeout.map { now + $0 }
        stage = .securing(race, step: step, endpoint: endpoint, until: until)
        return losers + [timer(until), .announce(state), .secure(step: step)]
    }

    /// The TLS handshake has succeeded.
    public mutating func secured(step: UInt64, now: ContinuousClock.Instant) -> [Effect] {
        guard case .securing(let race, step, let endpoint, _) = stage else { return [] }
        return greet(race, step: step, endpoint: endpoint, now: now)
    }

    /// So many steps of the dialogue are done, one more than before.
    public mutating func greeted(step: UInt64, count: Int, now: ContinuousClock.Instant) -> [Effect] {
        guard case .greeting(let race, step, let endpoint, count - 1, _) = stage else { return [] }
        guard count < settings.greeting.count else {
            return becomeReady(step: step, endpoint: endpoint, now: now)
        }
        return greet(race, step: step, endpoint: endpoint, index: count, now: now)
    }

    /// The step failed, or the connection that it had opened was lost. The jitter, 0 to 1, is drawn anew for each
    /// call.
    public mutating func failed(
        step: UInt64, _ reason: Reason, now: ContinuousClock.Instant, jitter: Double
    ) -> [Effect] {
        switch stage {
        case .resolving(step, let endpoint, _):
            return tryNext(after: endpoint, reason, now: now, jitter: jitter)
        case .connecting(let race, let endpoint), .securing(let race, step, let endpoint, _),
            .greeting(let race, step, let endpoint, _, _):
            return ended([step], of: race, endpoint: endpoint, reason, now: now, jitter: jitter)
        case .ready(step, let endpoint, let since):
            attempts = 0
            let delay = backoff.lost(after: now - since, isLasting: reason.isLasting, jitter: jitter)
            let failure = Failure(endpoint: endpoint, reason: reason)
            return [.abandon] + wait(failure, for: delay, now: now)
        case .setup, .resolving, .securing, .greeting, .ready, .waiting, .resting, .cancelled:
            return []
        }
    }

    /// The connection of this step has done what it was for, and the upstream has ended it: that is no failure.
    ///
    /// - Parameters:
    ///   - step: The connection's.
    ///   - isWanted: Whether something of clients' is left that it did not take. The next connection is then made as
    ///     soon as after a loss.
    ///   - now: The time.
    ///   - jitter: From 0 to 1, drawn anew for each call.
    /// - Returns: What to do.
    public mutating func completed(
        step: UInt64, isWanted: Bool, now: ContinuousClock.Instant, jitter: Double
    ) -> [Effect] {
        guard case .ready(step, let endpoint, let since) = stage else { return [] }
        attempts = 0
        var delay = settings.rest
        if isWanted { delay = min(delay, backoff.lost(after: now - since, jitter: jitter)) }
        if !isWanted { backoff.completed() }
        stage = .resting(endpoint: endpoint, until: now + delay, isWanted: isWanted)
        return [.abandon, .armTimer(at: now + delay), .announce(state)]
    }

    /// A client has sent something: ends the rest after a connection that was complete.
    ///
    /// However often that happens, attempts begin no sooner one after the other than the shortest delay that there is.
    public mutating func wanted(now: ContinuousClock.Instant) -> [Effect] {
        guard case .resting(_, let until, false) = stage else { return [] }
        let next = max((begun ?? now) + Backoff.Settings.floor, now)
        guard next > now else { return beginAttempt(now: now) }
        return next < until ? [.armTimer(at: next)] : []
    }

    /// The timer is due. What the upstream has said within the step of the dialogue that is under way, if one is, becomes
    /// part of the reason.
    public mutating func timerFired(
        now: ContinuousClock.Instant, jitter: Double, said: @autoclosure () -> String = ""
    ) -> [Effect] {
        if let renewal, renewal <= now { return renew(now: now) }
        switch stage {
        case .resolving(let step, _, _):
            return failed(step: step, .resolutionTimedOut, now: now, jitter: jitter)
        case .connecting(let race, let endpoint):
            let expired = race.expired(at: now)
            guard expired.isEmpty else {
                return ended(
                    expired, of: race, endpoint: endpoint, .connectTimedOut, now: now, jitter: jitter)
            }
            return goOn(race, endpoint: endpoint, now: now)
        case .securing(_, let step, _, _):
            return failed(step: step, .handshakeTimedOut, now: now, jitter: jitter)
        case .greeting(_, let step, _, let index, _):
            let reason = Reason.greeting(step: index, .timedOut, said: said())
            return failed(step: step, reason, now: now, jitter: jitter)
        case .ready(_, let endpoint, let since):
            guard settings.failBack != nil, endpoint != 0 else { return [] }
            return giveUp(endpoint, since: since, .failBack, now: now)
        case .waiting, .resting:
            return beginAttempt(now: now)
        case .setup, .cancelled:
            return []
        }
    }

    /// Somebody knows better: ends the waiting, an attempt that is under way, or the connection, and makes an attempt at
    /// once.
    public mutating func reconnect(now: ContinuousClock.Instant) -> [Effect] {
        switch stage {
        case .setup, .cancelled:
            return []
        case .waiting, .resting:
            return beginAttempt(now: now)
        case .resolving, .connecting, .securing, .greeting:
            return [.abandon] + beginAttempt(now: now)
        case .ready(_, let endpoint, let since):
            return giveUp(endpoint, since: since, .requested, now: now)
        }
    }

    /// An attempt may succeed now that failed before, or hang that was begun before. Ends the waiting; an attempt that is
    /// under way is begun anew once it has run for a while. A change that comes too soon after many others has its effect a
    /// little later; when a connection stands, or the last one was complete, it has none.
    public mutating func networkChanged(now: ContinuousClock.Instant) -> [Effect] {
        switch stage {
        case .setup, .ready, .resting, .cancelled:
            return []
        case .waiting(_, let until):
            guard change == nil else { return [] }
            let next = allowance.next(at: now)
            change = next
            guard next > now else { return beginAttempt(now: now) }
            // Not announced: it is not another failure, and by the time that anybody has read of it an attempt is under way.
            return next < until ? [.armTimer(at: next)] : []
        case .resolving, .connecting, .securing, .greeting:
            guard change == nil else { return [] }
            change = allowance.next(at: now)
            return [timer(due)]
        }
    }

    /// Ends everything, for good.
    public mutating func cancelled() -> [Effect] {
        if case .cancelled = stage { return [] }
        stage = .cancelled
        return [.abandon, .disarmTimer, .announce(state)]
    }

    // MARK: Transitions

    private mutating func beginAttempt(now: ContinuousClock.Instant) -> [Effect] {
        attempts += 1
        begun = now
        if let change, change <= now { allowance.take(at: now) }
        change = nil
        isHopeless = true
        let endpoints = settings.endpoints.indices
        rest = settings.failover == .random ? endpoints.shuffled(using: &random)[...] : Array(endpoints)[...]
        return beginResolving(endpoint: rest.removeFirst(), now: now)
    }

    private mutating func beginResolving(endpoint: Int, now: ContinuousClock.Instant) -> [Effect] {
        steps += 1
        let until = settings.connectTimeout.map { now + $0 }
        stage = .resolving(step: steps, endpoint: endpoint, until: until)
        return [timer(until), .announce(state), .resolve(step: steps, endpoint: endpoint)]
    }

    /// Starts the next racer if it is time for it.
    private mutating func goOn(
        _ race: Race, endpoint: Int, now: ContinuousClock.Instant
    ) -> [Effect] {
        let before = state
        var race = race
        var start: Effect?
        if race.mayStart(at: now) {
            steps += 1
            start = .connect(step: steps, endpoint: endpoint, candidate: race.next)
            race.start(step: steps, limit: settings.connectTimeout, now: now)
        }
        stage = .connecting(race, endpoint: endpoint)
        return [timer(race.due)] + (state == before ? [] : [.announce(state)]) + (start.map { [$0] } ?? [])
    }

    /// The connection stands, and TLS if that was asked for.
    private mutating func greet(
        _ race: Race, step: UInt64, endpoint: Int, now: ContinuousClock.Instant
    ) -> [Effect] {
        guard !settings.greeting.isEmpty else { return becomeReady(step: step, endpoint: endpoint, now: now) }
        return greet(race, step: step, endpoint: endpoint, index: 0, now: now) + [.greet(step: step)]
    }

    private mutating func greet(
        _ race: Race, step: UInt64, endpoint: Int, index: Int, now: ContinuousClock.Instant
    ) -> [Effect] {
        let until = now + settings.greeting[index]
        stage = .greeting(race, step: step, endpoint: endpoint, index: index, until: until)
        return [timer(until), .announce(state)]
    }

    private mutating func becomeReady(
        step: UInt64, endpoint: Int, now: ContinuousClock.Instant
    ) -> [Effect] {
        stage = .ready(step: step, endpoint: endpoint, since: now)
        change = nil
        youth = Self.youth
        let timer = settings.failBack.flatMap { endpoint == 0 ? nil : Effect.armTimer(at: now + $0) }
        return [timer ?? .disarmTimer, .announce(state)]
    }

    /// Racers have failed: the others go on, and the next one starts.
    private mutating func ended(
        _ steps: [UInt64], of race: Race, endpoint: Int, _ reason: Reason, now: ContinuousClock.Instant,
        jitter: Double
    ) -> [Effect] {
        var race = race
        let ended = steps.filter { race.end(step: $0, now: now) }
        guard !ended.isEmpty else { return [] }
        guard !race.racers.isEmpty || race.mayStart(at: now), !reason.endsEndpoint else {
            return tryNext(after: endpoint, reason, now: now, jitter: jitter)
        }
        isHopeless = isHopeless && reason.isLasting
        return ended.map { .close(step: $0, because: reason) } + goOn(race, endpoint: endpoint, now: now)
    }

    /// Ends a connection with which nothing is wrong.
    private mutating func giveUp(
        _ endpoint: Int, since: ContinuousClock.Instant, _ reason: Reason, now: ContinuousClock.Instant
    ) -> [Effect] {
        attempts = 0
        backoff.ended(after: now - since)
        return [.abandon] + wait(Failure(endpoint: endpoint, reason: reason), for: .zero, now: now)
    }

    /// When the attempt that is under way is begun anew, for the network has changed.
    private var renewal: ContinuousClock.Instant? {
        guard let change, let begun else { return nil }
        switch stage {
        case .resolving, .connecting, .securing, .greeting: return max(change, begun + youth)
        case .setup, .ready, .waiting, .resting, .cancelled: return nil
        }
    }

    private mutating func renew(now: ContinuousClock.Instant) -> [Effect] {
        youth *= 2
        return [.abandon] + beginAttempt(now: now)
    }

    /// When something of the attempt is due.
    private var due: ContinuousClock.Instant? {
        switch stage {
        case .resolving(_, _, let until), .securing(_, _, _, let until): until
        case .connecting(let race, _): race.due
        case .greeting(_, _, _, _, let until): until
        case .setup, .ready, .waiting, .resting, .cancelled: nil
        }
    }

    /// For an attempt of which something is due at that time.
    private func timer(_ due: ContinuousClock.Instant?) -> Effect {
        [due, renewal].compactMap(\.self).min().map(Effect.armTimer) ?? .disarmTimer
    }

    private mutating func tryNext(
        after endpoint: Int, _ reason: Reason, now: ContinuousClock.Instant, jitter: Double
    ) -> [Effect] {
        isHopeless = isHopeless && reason.isLasting
        let failure = Failure(endpoint: endpoint, reason: reason)
        guard let next = rest.popFirst() else {
            let delay = backoff.failed(isLasting: isHopeless, jitter: jitter)
            return [.abandon] + wait(failure, for: delay, now: now)
        }
        return [.abandon, .goOn(after: failure)] + beginResolving(endpoint: next, now: now)
    }

    private mutating func wait(
        _ failure: Failure, for delay: Duration, now: ContinuousClock.Instant
    ) -> [Effect] {
        youth = Self.youth
        let until = min(now + delay, max(change ?? now + delay, now))
        stage = .waiting(failure, until: until)
        return [.armTimer(at: until), .announce(state)]
    }
}
