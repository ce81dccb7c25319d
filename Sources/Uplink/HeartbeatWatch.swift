/// When a heartbeat is to be sent, and whether it was answered in time.
///
/// Counts from ready. An answer has to come within an interval of when the heartbeat was sent, but not while we have stopped
/// reading: it may be among what we have not read.
public struct HeartbeatWatch: Equatable, Sendable {
    public enum Verdict: Equatable, Sendable {
        /// The next one is to be sent.
        case send
        /// There is nothing to do before `due`.
        case wait
        /// The upstream has not answered.
        case unanswered
    }

    private let every: Duration
    private let isAnswered: Bool
    /// When `fired` is to be called.
    public private(set) var due: ContinuousClock.Instant
    /// One is to be sent, and was not yet as a whole.
    private var isUnsent = false
    /// Since when an answer has been waited for.
    private var unansweredSince: ContinuousClock.Instant?
    private var hasDelay = false
    private var isPaused = false

    /// - Parameters:
    ///   - every: The interval.
    ///   - isAnswered: Whether answers are expected.
    ///   - now: When the connection became ready.
    public init(every: Duration, isAnswered: Bool, ready now: ContinuousClock.Instant) {
        self.every = every
        self.isAnswered = isAnswered
        due = now + every
    }

    /// It is due.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isReadable: Something may have arrived that was not looked at yet: the answer is waited for a little longer.
    /// - Returns: What to do; `due` is the next time.
    public mutating func fired(now: ContinuousClock.Instant, isReadable: Bool) -> Verdict {
        // If so much too late, it was we who stood still (SIGSTOP, suspend).
        let stoodStill = now - due > every / 2
        due = now + every
        // None is sent behind one that is not through yet.
        guard !isUnsent else { return .wait }
        guard let since = unansweredSince, !isPaused else { return send() }
        if stoodStill {
            unansweredSince = now
            return .wait
        }
        guard since + every <= now else {
            due = since + every
            return .wait
        }
        guard isReadable, !hasDelay else { return .unanswered }
        hasDelay = true
        due = now + every / 10
        return .wait
    }

    private mutating func send() -> Verdict {
        isUnsent = true
        return .send
    }

    /// The whole heartbeat was sent.
    public mutating func sent(at now: ContinuousClock.Instant) {
        isUnsent = false
        if isAnswered && unansweredSince == nil { unansweredSince = now }
    }

    /// An answer has come.
    public mutating func answered() {
        unansweredSince = nil
        hasDelay = false
    }

    /// We have stopped reading.
    public mutating func paused() { isPaused = true }

    /// We read again: the whole interval starts anew for an answer.
    public mutating func resumed(at now: ContinuousClock.Instant) {
        guard isPaused else { return }
        isPaused = false
        if unansweredSince != nil { unansweredSince = now }
    }
}
