/// One client's patience: how much longer it may hold the others up.
///
/// It is used up while the upstream is paused, the client is more than half behind, and either another client waits at
/// the head or it reads nothing at all. It is whole again when the client's own sends have reached the head. The clients
/// are looked at again and again while the upstream is paused; what is true at both ends of an interval counts for it.
public struct Backlog: Equatable, Sendable {
    /// What is known of a client at one moment.
    public struct Standing: Equatable, Sendable {
        /// The upstream is paused, and the client is more than half behind.
        public var isHoldingUp: Bool
        public var isAnotherAtHead: Bool
        /// Any number that changes when the client has read something.
        public var progress: UInt64

        public init(isHoldingUp: Bool, isAnotherAtHead: Bool, progress: UInt64) {
            self.isHoldingUp = isHoldingUp
            self.isAnotherAtHead = isAnotherAtHead
            self.progress = progress
        }
    }

    private struct Look: Equatable {
        var time: ContinuousClock.Instant
        var standing: Standing
    }
    /// The last look, if the client held the upstream up then.
    private var holding: Look?
    /// How long another client has waited for this one.
    private var spent = Duration.zero
    /// How long it has read nothing, with nobody waiting.
    private var stalled = Duration.zero

    public init() {}

    /// The client's own sends have reached the head.
    public mutating func reachedHead() {
        holding = nil
        spent = .zero
        stalled = .zero
    }

    /// Looks at the client.
    ///
    /// - Parameters:
    ///   - standing: What is known of it now.
    ///   - patience: How much it had at first.
    ///   - longest: The most that one interval counts for: if more has passed, it was we who stood still (SIGSTOP, suspend).
    ///   - now: The time.
    /// - Returns: How much patience is left; zero or less when it is used up.
    public mutating func look(
        _ standing: Standing, patience: Duration, longest: Duration, now: ContinuousClock.Instant
    ) -> Duration {
        let last = holding
        holding = standing.isHoldingUp ? Look(time: now, standing: standing) : nil
        if let last, standing.isHoldingUp {
            let hasRead = last.standing.progress != standing.progress
            if hasRead { stalled = .zero }
            let interval = min(now - last.time, longest)
            if last.standing.isAnotherAtHead && standing.isAnotherAtHead {
                spent += interval
            } else if !hasRead {
                stalled += interval
            }
        }
        return patience - spent - stalled
    }
}
