/// Lets so many through in each interval, and counts the rest. An interval is twice as long as the one before it if that
/// was not long enough.
struct Throttle {
    private static let longestInterval = Duration.seconds(600)

    private let limit: Int
    private let shortestInterval: Duration
    /// How long the interval under way is.
    private(set) var interval: Duration
    private var start: ContinuousClock.Instant?
    private var count = 0
    private var suppressed = 0

    init(limit: Int, interval: Duration) {
        self.limit = limit
        self.interval = interval
        shortestInterval = interval
    }

    mutating func allows(at now: ContinuousClock.Instant) -> Bool {
        if start.map({ now - $0 >= interval }) ?? true { begin(at: now) }
        count += 1
        if count > limit { suppressed += 1 }
        return count <= limit
    }

    private mutating func begin(at now: ContinuousClock.Instant) {
        let wasQuiet = start.map { now - $0 >= interval * 2 } ?? true
        interval =
            count > limit && !wasQuiet ? min(interval * 2, Self.longestInterval) : shortestInterval
        start = now
        count = 0
    }

    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
