/// Connections to several addresses of one name, of which the first that stands wins: Happy Eyeballs (RFC 8305).
struct Race: Equatable {
    struct Racer: Equatable {
        let step: UInt64
        let candidate: Int
        /// When it has taken too long; `nil` without a limit.
        let deadline: ContinuousClock.Instant?
    }
    /// From one start to the next, while nothing fails: the Connection Attempt Delay of RFC 8305 section 8.
    static let delay = Duration.milliseconds(250)
    /// So many at once at the most: each has a descriptor.
    static let most = 6

    /// How many addresses there are.
    let candidates: Int
    /// Those under way, in the order of their start.
    private(set) var racers: [Racer] = []
    /// The one that starts next, if there is one.
    private(set) var next = 0
    /// When it starts.
    private var nextStart: ContinuousClock.Instant

    init(candidates: Int, now: ContinuousClock.Instant) {
        self.candidates = candidates
        nextStart = now
    }

    private var hasNext: Bool { next < candidates && racers.count < Self.most }

    func mayStart(at now: ContinuousClock.Instant) -> Bool { hasNext && nextStart <= now }

    mutating func start(step: UInt64, limit: Duration?, now: ContinuousClock.Instant) {
        racers.append(Racer(step: step, candidate: next, deadline: limit.map { now + $0 }))
        next += 1
        nextStart = now + Self.delay
    }

    /// - Returns: Whether it was under way. The next one starts at once in its place.
    mutating func end(step: UInt64, now: ContinuousClock.Instant) -> Bool {
        guard let index = racers.firstIndex(where: { $0.step == step }) else { return false }
        racers.remove(at: index)
        nextStart = now
        return true
    }

    /// The others are under way no more.
    ///
    /// - Returns: Their steps.
    mutating func win(step: UInt64) -> [UInt64] {
        let losers = racers.map(\.step).filter { $0 != step }
        racers.removeAll { $0.step != step }
        return losers
    }

    func isUnderWay(step: UInt64) -> Bool { racers.contains { $0.step == step } }

    /// Those that have taken too long.
    func expired(at now: ContinuousClock.Instant) -> [UInt64] {
        racers.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.step)
    }

    /// When something is to be done, if nothing happens before.
    var due: ContinuousClock.Instant? {
        (racers.compactMap(\.deadline) + (hasNext ? [nextStart] : [])).min()
    }
}
