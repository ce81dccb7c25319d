/// Finds a connection that takes nothing of what waits to be sent.
///
/// Made when the kernel has taken no more, and looked at again and again while that is so: what one look finds unchanged
/// since the last counts as time without progress.
public struct WriteWatch: Equatable, Sendable {
    private let limit: Duration
    private var last: ContinuousClock.Instant
    private var progress: UInt64
    private var stuck = Duration.zero

    /// - Parameters:
    ///   - limit: How long a connection may take nothing.
    ///   - progress: Any number that changes when the kernel or the peer has taken something.
    ///   - now: The time.
    public init(limit: Duration, progress: UInt64, now: ContinuousClock.Instant) {
        self.limit = limit
        self.progress = progress
        last = now
    }

    /// From one look to the next: a connection is found stuck within a tenth more than the limit.
    private var interval: Duration { max(limit / 10, .milliseconds(1)) }

    /// When to look next.
    public var due: ContinuousClock.Instant { last + min(interval, max(limit - stuck, .milliseconds(1))) }

    /// Whether the connection has taken nothing for the whole limit.
    ///
    /// One interval counts for at most twice what it should have been: if more has passed, it was we who stood still
    /// (SIGSTOP, suspend).
    public mutating func isStuck(progress: UInt64, now: ContinuousClock.Instant) -> Bool {
        stuck = progress == self.progress ? stuck + min(now - last, interval * 2) : .zero
        self.progress = progress
        last = now
        return stuck >= limit
    }
}
