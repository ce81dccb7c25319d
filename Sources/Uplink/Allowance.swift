/// Lets something happen so many times at once, and then once in each interval: a bucket of tokens.
struct Allowance: Equatable {
    let burst: Int
    let interval: Duration
    /// When the bucket is full again, if no token is taken before.
    private var full: ContinuousClock.Instant?

    init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// When the next token is there; `now` unless the bucket is empty.
    func next(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        full.map { max($0 - interval * (burst - 1), now) } ?? now
    }

    /// Takes a token that is there.
    mutating func take(at now: ContinuousClock.Instant) { full = max(full ?? now, now) + interval }
}
