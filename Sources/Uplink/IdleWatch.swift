/// Finds a connection on which nothing has been received for too long.
///
/// Counts from ready, looks at received bytes only, and does not run while we have stopped reading. Telling it of
/// received bytes costs a store: the caller's timer looks at `deadline` when it fires, and is armed again if that has
/// moved.
public struct IdleWatch: Equatable, Sendable {
    private let limit: Duration
    private var quietSince: ContinuousClock.Instant
    private var isPaused = false

    public init(limit: Duration, ready now: ContinuousClock.Instant) {
        self.limit = limit
        quietSince = now
    }

    /// When the connection is idle, unless bytes are received before; `nil` while reading is paused.
    public var deadline: ContinuousClock.Instant? { isPaused ? nil : quietSince + limit }

    public mutating func received(at now: ContinuousClock.Instant) { quietSince = now }

    /// We have stopped reading.
    public mutating func paused() { isPaused = true }

    /// We read again: the whole limit starts anew.
    public mutating func resumed(at now: ContinuousClock.Instant) {
        guard isPaused else { return }
        isPaused = false
        quietSince = now
    }
}
