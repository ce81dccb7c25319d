/// Finds the pauses in a stream that end its messages.
///
/// Telling it of received bytes costs a store: the caller's timer looks at `deadline` when it fires, and is armed again if
/// that has moved. While we have stopped reading no pause can be known.
public struct GapWatch: Equatable, Sendable {
    private let gap: Duration
    /// When bytes were received last; `nil` if none were since the last pause.
    private var last: ContinuousClock.Instant?
    private var isPaused = false

    /// - Parameter gap: How long a pause ends a message.
    public init(gap: Duration) { self.gap = gap }

    /// When the message ends, unless bytes are received before; `nil` while there is none, or reading is paused.
    public var deadline: ContinuousClock.Instant? { isPaused ? nil : last.map { $0 + gap } }

    public mutating func received(at now: ContinuousClock.Instant) { last = now }

    /// The message has ended.
    public mutating func ended() { last = nil }

    /// We have stopped reading.
    public mutating func paused() { isPaused = true }

    /// We read again: the whole pause must come anew.
    public mutating func resumed(at now: ContinuousClock.Instant) {
        guard isPaused else { return }
        isPaused = false
        if last != nil { last = now }
    }
}
