/// When to try again: exponential backoff with full jitter.
public struct Backoff: Equatable, Sendable {
    public struct Settings: Equatable, Sendable {
        /// The shortest delay, at least `floor`.
        public var min: Duration
        /// The longest delay, at least `min`.
        public var max: Duration { didSet { lasting = Swift.max(lasting, max) } }
        /// The longest delay while attempts fail for lasting reasons, at least `max`.
        public var lasting: Duration

        /// No setting can make a storm of attempts.
        public static let floor = Duration.milliseconds(10)

        public init(min: Duration, max: Duration, lasting: Duration = .zero) {
            self.min = Swift.max(min, Self.floor)
            self.max = Swift.max(max, self.min)
            self.lasting = Swift.max(lasting, self.max)
        }
    }

    /// A connection that lived no longer than this counts as a failure.
    static let shortestLife = Duration.seconds(2)

    private let settings: Settings
    /// Attempts that failed in a row.
    public private(set) var failures = 0
    /// Of those, how many of the last failed for lasting reasons.
    private var lastingFailures = 0
    private var lastDelay = Duration.zero

    public init(_ settings: Settings) { self.settings = settings }

    /// An attempt failed.
    ///
    /// - Parameters:
    ///   - isLasting: Whether nothing but a person can mend it. From the second of these in a row on, the delay is drawn
    ///     from half of `lasting` to the whole.
    ///   - jitter: Where in the range the delay is, from 0 to 1.
    /// - Returns: The delay before the next attempt, drawn from `min` to `min`·2ⁿ, at most `max`, after n failures.
    public mutating func failed(isLasting: Bool = false, jitter: Double) -> Duration {
        failures += 1
        lastingFailures = isLasting ? lastingFailures + 1 : 0
        guard lastingFailures < 2 else {
            return draw(from: settings.lasting / 2, to: settings.lasting, jitter)
        }
        var ceiling = settings.min
        var doublings = 0
        while doublings < failures && ceiling < settings.max {
            ceiling *= 2
            doublings += 1
        }
        return draw(from: settings.min, to: min(ceiling, settings.max), jitter)
    }

    /// A connection has done what it was for.
    public mutating func completed() { self = Backoff(settings) }

    private mutating func draw(from floor: Duration, to ceiling: Duration, _ jitter: Double) -> Duration {
        // The product is rounded, and may come out above the range by some attoseconds.
        lastDelay = min(floor + (ceiling - floor) * min(max(jitter, 0), 1), ceiling)
        return lastDelay
    }

    /// A connection that had been ready was lost.
    ///
    /// - Returns: Zero, and the schedule starts over, if it outlived both 2 s and the last delay; otherwise the delay
    ///   after one more failure.
    public mutating func lost(after life: Duration, isLasting: Bool = false, jitter: Double) -> Duration {
        ended(after: life) ? .zero : failed(isLasting: isLasting, jitter: jitter)
    }

    /// A connection that had been ready is over, and nobody's fault.
    ///
    /// - Returns: Whether it outlived both 2 s and the last delay: then the schedule starts over.
    @discardableResult
    public mutating func ended(after life: Duration) -> Bool {
        guard life > Self.shortestLife, life > lastDelay else { return false }
        failures = 0
        lastingFailures = 0
        lastDelay = .zero
        return true
    }
}
