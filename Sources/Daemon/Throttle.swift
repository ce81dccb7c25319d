/// Lets so many through in each interval, and counts the rest.
struct Throttle {
    private let limit: Int
    private let interval: Duration
    private var start: ContinuousClock.Instant?
    private var count = 0
    private var suppressed = 0

    init(limit: Int, interval: Duration) {
        self.limit = limit
        self.interval = interval
    }

    mutating func allows(at now: ContinuousClock.Instant) -> Bool {
        if start.map({ now - $0 >= interval }) ?? true {
            start = now
            count = 0
        }
        count += 1
        if count > limit { suppressed += 1 }
        return count <= limit
    }

    mutating func takeSuppressed() -> Int {
        defer { suppressed = 0 }
        return suppressed
    }
}
