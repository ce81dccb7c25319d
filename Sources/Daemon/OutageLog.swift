import Bridge
import Systemd
import Uplink

/// Chooses which changes of the uplink's state become lines of the log, so that an outage is a handful of them: its
/// start, each new reason, and its end.
struct OutageLog {
    /// A connection that has not lasted so long does not end an outage: an upstream that accepts and closes would
    /// otherwise fill the log.
    static let settling = Duration.seconds(2)
    /// Reasons that one outage is told of.
    private static let reasonLimit = 10

    private struct Outage {
        let start: ContinuousClock.Instant
        var reasons: Set<String> = []
        /// A connection stood in between, but not for long.
        var isFlapping = false
        /// The connection that may be its end.
        var connection: (text: String, since: ContinuousClock.Instant)?
        /// Until that connection.
        var attempts = 0
    }
    private var outage: Outage?

    /// When to call `settled`; `nil` for never.
    var due: ContinuousClock.Instant? { (outage?.connection?.since).map { $0 + Self.settling } }

    mutating func line(for state: UplinkState, now: ContinuousClock.Instant) -> LogLine? {
        switch state {
        case .resolving, .connecting, .cancelled: return nil
        case .ready(let address, let attempts): return ready(address, attempts: attempts, now: now)
        case .waiting(let reason, let address, let until, let lifetime):
            let what = reason.text(address: address, wasReady: lifetime != nil)
            let lasted = lifetime.map { " after \($0.text)" } ?? ""
            let next = until <= now ? "at once" : "in \((until - now).text)"
            let line = LogLine(.warning, "\(what)\(lasted); next attempt \(next)")
            return waiting(what, line, lifetime: lifetime, now: now)
        }
    }

    private mutating func ready(_ address: String, attempts: Int, now: ContinuousClock.Instant) -> LogLine? {
        let text = "connected to \(address)"
        guard var current = outage else { return LogLine(.notice, text) }
        current.attempts += attempts
        guard current.isFlapping else {
            outage = nil
            return end(of: current, text, now: now)
        }
        current.connection = (text, now)
        outage = current
        return nil
    }

    private mutating func waiting(
        _ what: String, _ line: LogLine, lifetime: Duration?, now: ContinuousClock.Instant
    ) -> LogLine? {
        var current = outage ?? Outage(start: now)
        if let lifetime { current.isFlapping = lifetime < Self.settling }
        current.connection = nil
        let isNew = current.reasons.count < Self.reasonLimit && current.reasons.insert(what).inserted
        outage = current
        return isNew ? line : nil
    }

    /// The connection has lasted: the outage is over.
    mutating func settled(now: ContinuousClock.Instant) -> LogLine? {
        guard let current = outage, let connection = current.connection else { return nil }
        outage = nil
        return end(of: current, connection.text, now: connection.since)
    }

    private func end(of outage: Outage, _ text: String, now: ContinuousClock.Instant) -> LogLine {
        let attempts = outage.attempts
        let count = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return LogLine(.notice, "\(text) after \((now - outage.start).text) and \(count)")
    }
}
