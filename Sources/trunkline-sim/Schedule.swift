/// When messages are due: evenly spaced on an absolute schedule, so that lateness never adds up.
struct Schedule: Equatable, Sendable {
    /// From one message to the next; `nil` is as fast as possible.
    private let interval: Duration?
    private let start: ContinuousClock.Instant

    /// So many messages per second; 0 is as fast as possible.
    init(rate: Double, start: ContinuousClock.Instant) {
        interval = rate > 0 ? .nanoseconds(Int64(max(1, (1_000_000_000 / rate).rounded()))) : nil
        self.start = start
    }

    /// How many messages are due by now, the first at the very start.
    func due(by now: ContinuousClock.Instant) -> Int {
        guard let interval else { return .max }
        guard now >= start else { return 0 }
        return nanoseconds(now - start) / nanoseconds(interval) + 1
    }

    /// When the message with this index, from 0, is due; `nil` is at once.
    func instant(of index: Int) -> ContinuousClock.Instant? {
        interval.map { start + $0 * index }
    }

    private func nanoseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}
