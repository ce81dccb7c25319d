public import Framing

/// The life of the connection to the upstream, as a state machine: no I/O, no clock, no randomness.
///
/// An *attempt* is one round of all endpoints; a *step* is one look-up or one connection within it. Every step has a
/// number that is never used again: what arrives about an earlier step is ignored. Each event returns effects, which the
/// caller carries out in order. There is one timer: `armTimer` replaces it.
public struct Uplink: Sendable {
    public struct Settings: Equatable, Sendable {
        /// Tried in turn; at least one.
        public var endpoints: [Endpoint]
        /// The most time for one look-up or one connection; `nil` is no limit.
        public var connectTimeout: Duration?
        public var reconnect: Backoff.Settings

        public init(endpoints: [Endpoint], connectTimeout: Duration?, reconnect: Backoff.Settings) {
            self.endpoints = endpoints
            self.connectTimeout = connectTimeout
            self.reconnect = reconnect
        }
    }

    /// What people are shown.
    public enum State: Equatable, Sendable {
        case setup
        case preparing(Phase)
        case ready
        /// Until the next attempt.
        case waiting(Failure, until: ContinuousClock.Instant)
        case cancelled
    }

    public enum Phase: Equatable, Sendable {
        case resolving(endpoint: Int)
        case connecting(endpoint: Int, candidate: Int)
    }

    /// What went wrong, and with which endpoint.
    public struct Failure: Equatable, Sendable {
        public var endpoint: Int
        public var reason: Reason

        public init(endpoint: Int, reason: Reason) {
            self.endpoint = endpoint
            self.reason = reason
        }
    }

    public enum Reason: Equatable, Sendable {
        /// A name could not be looked up: the resolver's words.
        case unresolved(String)
        /// A look-up took longer than `connect-timeout`.
        case resolutionTimedOut
        /// A system call failed with this errno.
        case system(call: String, errno: Int32)
        /// The socket could not be bound to this address, the `bind-address`.
        case notBound(String, errno: Int32)
        /// None of the addresses is of the same family as this one, the `bind-address`.
        case otherFamily(String)
        /// The address leads to one of the bridge's own sockets.
        case ownSocket
        /// A connection took longer than `connect-timeout`.
        case connectTimedOut
        /// The upstream closed the connection.
        case ended
        /// Nothing was received for `idle-timeout`.
        case idle
        /// Somebody asked for a new connection.
        case requested
        /// The upstream took nothing of what waited for it for `write-timeout`.
        case stuck
        case framing(FramingError)
    }

    public enum Effect: Equatable, Sendable {
        case resolve(step: UInt64, endpoint: Int)
        case connect(step: UInt64, endpoint: Int, candidate: Int)
        /// Close what the current step holds, if anything.
        case abandon
        case armTimer(at: ContinuousClock.Instant)
        case disarmTimer
        case announce(State)
    }

    private enum Stage {
        case setup
        case resolving(step: UInt64, endpoint: Int)
        case connecting(step: UInt64, endpoint: Int, candidate: Int, candidates: Int)
        case ready(step: UInt64, endpoint: Int, since: ContinuousClock.Instant)
        case waiting(Failure, until: ContinuousClock.Instant)
        case cancelled
    }

    private let settings: Settings
    private var stage = Stage.setup
    private var backoff: Backoff
    private var steps: UInt64 = 0
    /// Rounds of all endpoints since the connection was last lost, the one under way among them.
    public private(set) var attempts = 0

    public init(_ settings: Settings) {
        precondition(!settings.endpoints.isEmpty, "an uplink without an endpoint")
        self.settings = settings
        backoff = Backoff(settings.reconnect)
    }

    public var state: State {
        switch stage {
        case .setup: .setup
        case .resolving(_, let endpoint): .preparing(.resolving(endpoint: endpoint))
        case .connecting(_, let endpoint, let candidate, _):
            .preparing(.connecting(endpoint: endpoint, candidate: candidate))
        case .ready: .ready
        case .waiting(let failure, let until): .waiting(failure, until: until)
        case .cancelled: .cancelled
        }
    }

    // MARK: Events

    public mutating func started(now: ContinuousClock.Instant) -> [Effect] {
        guard case .setup = stage else { preconditionFailure("started in \(stage)") }
        return beginAttempt(now: now)
    }

    /// A look-up found so many addresses, at least one.
    public mutating func resolved(step: UInt64, candidates: Int, now: ContinuousClock.Instant) -> [Effect] {
        guard case .resolving(step, let endpoint) = stage else { return [] }
        precondition(candidates > 0, "a look-up that found nothing has failed")
        return beginConnecting(endpoint: endpoint, candidate: 0, of: candidates, now: now)
    }

    /// The connection stands.
    public mutating func opened(step: UInt64, now: ContinuousClock.Instant) -> [Effect] {
        guard case .connecting(step, let endpoint, _, _) = stage else { return [] }
        stage = .ready(step: step, endpoint: endpoint, since: now)
        return [.disarmTimer, .announce(state)]
    }

    /// The step failed, or the connection that it had opened was lost. The jitter, 0 to 1, is drawn anew for each
    /// call.
    public mutating func failed(
        step: UInt64, _ reason: Reason, now: ContinuousClock.Instant, jitter: Double
    ) -> [Effect] {
        switch stage {
        case .resolving(step, let endpoint):
            return [.abandon] + tryNext(after: endpoint, reason, now: now, jitter: jitter)
        case .connecting(step, let endpoint, let candidate, let candidates):
            if candidate + 1 < candidates {
                return [.abandon]
                    + beginConnecting(endpoint: endpoint, candidate: candidate + 1, of: candidates, now: now)
            }
            return [.abandon] + tryNext(after: endpoint, reason, now: now, jitter: jitter)
        case .ready(step, let endpoint, let since):
            attempts = 0
            let delay = backoff.lost(after: now - since, jitter: jitter)
            let failure = Failure(endpoint: endpoint, reason: reason)
            return [.abandon] + wait(failure, for: delay, now: now)
        case .setup, .resolving, .connecting, .ready, .waiting, .cancelled:
            return []
        }
    }

    /// The timer is due.
    public mutating func timerFired(now: ContinuousClock.Instant, jitter: Double) -> [Effect] {
        switch stage {
        case .resolving(let step, _):
            return failed(step: step, .resolutionTimedOut, now: now, jitter: jitter)
        case .connecting(let step, _, _, _):
            return failed(step: step, .connectTimedOut, now: now, jitter: jitter)
        case .waiting:
            return beginAttempt(now: now)
        case .setup, .ready, .cancelled:
            return []
        }
    }

    /// Somebody knows better: ends the waiting, an attempt that is under way, or the connection, and makes an attempt at
    /// once.
    public mutating func reconnect(now: ContinuousClock.Instant) -> [Effect] {
        switch stage {
        case .setup, .cancelled:
            return []
        case .waiting:
            return beginAttempt(now: now)
        case .resolving, .connecting:
            return [.abandon] + beginAttempt(now: now)
        case .ready(_, let endpoint, _):
            attempts = 0
            return [.abandon] + wait(Failure(endpoint: endpoint, reason: .requested), for: .zero, now: now)
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
        return beginResolving(endpoint: 0, now: now)
    }

    private mutating func beginResolving(endpoint: Int, now: ContinuousClock.Instant) -> [Effect] {
        steps += 1
        stage = .resolving(step: steps, endpoint: endpoint)
        return [limit(from: now), .announce(state), .resolve(step: steps, endpoint: endpoint)]
    }

    private mutating func beginConnecting(
        endpoint: Int, candidate: Int, of candidates: Int, now: ContinuousClock.Instant
    ) -> [Effect] {
        steps += 1
        stage = .connecting(step: steps, endpoint: endpoint, candidate: candidate, candidates: candidates)
        return [
            limit(from: now), .announce(state),
            .connect(step: steps, endpoint: endpoint, candidate: candidate),
        ]
    }

    private func limit(from now: ContinuousClock.Instant) -> Effect {
        guard let timeout = settings.connectTimeout else { return .disarmTimer }
        return .armTimer(at: now + timeout)
    }

    private mutating func tryNext(
        after endpoint: Int, _ reason: Reason, now: ContinuousClock.Instant, jitter: Double
    ) -> [Effect] {
        if endpoint + 1 < settings.endpoints.count { return beginResolving(endpoint: endpoint + 1, now: now) }
        let failure = Failure(endpoint: endpoint, reason: reason)
        return wait(failure, for: backoff.failed(jitter: jitter), now: now)
    }

    private mutating func wait(
        _ failure: Failure, for delay: Duration, now: ContinuousClock.Instant
    ) -> [Effect] {
        stage = .waiting(failure, until: now + delay)
        return [.armTimer(at: now + delay), .announce(state)]
    }
}
