import Bridge
import Systemd
import Uplink

/// Chooses which changes of the uplink's state become lines of the log, so that an outage is a handful of them: its
/// start, each new reason, now and then that it goes on, and its end.
struct OutageLog {
    /// A connection that has not lasted so long does not end an outage: an upstream that accepts and closes would
    /// otherwise fill the log.
    static let settling = Duration.seconds(2)
    /// A connection that has lasted so long ends every outage, and what was before it is forgotten.
    static let calm = Duration.seconds(3600)
    /// Reasons that one outage is told of.
    private static let reasonLimit = 10
    /// A reason that only a person can mend is told again when the next attempt is so many times as far away as was told.
    private static let rareness = 10
    /// When an outage is told of again; then every hour.
    private static let reminders = [1, 10, 60].map { Duration.seconds($0 * 60) }

    private struct Outage {
        let start: ContinuousClock.Instant
        /// Those that were told, and how far away the next attempt was then.
        var reasons: [String: Duration] = [:]
        /// The newest reason, and when the next attempt is.
        var newest: LogLine
        /// A connection stood in between, but not for long.
        var isFlapping = false
        /// The connection that may be its end.
        var connection: (address: String, since: ContinuousClock.Instant)?
        /// Until that connection.
        var attempts = 0
        /// Attempts that have failed since the last connection.
        var failures = 0
        /// When it is told next that it goes on, from its start.
        var reminder = OutageLog.reminders[0]
    }
    private var outage: Outage?
    /// How long a connection must last to end the outage: twice as long with each that comes after little calm, so that
    /// connections which break off every few seconds or minutes are one outage before long.
    private var settling = Self.settling
    /// There was an outage, and no calm since.
    private var isRepeated = false
    /// When the last outage ended.
    private var lastEnd: ContinuousClock.Instant?
    /// A connection has been complete: to make the next one, and the next, is the normal run of things.
    private var hasRested = false

    /// When to call `timerFired`; `nil` for never.
    var due: ContinuousClock.Instant? {
        guard let outage else { return nil }
        let reminder = outage.start + outage.reminder
        return outage.connection.map { min($0.since + settling, reminder) } ?? reminder
    }

    mutating func line(for state: UplinkState, now: ContinuousClock.Instant) -> LogLine? {
        switch state {
        case .resolving, .connecting, .securing, .greeting, .ended, .cancelled: return nil
        case .ready(let address, let attempts): return ready(address, attempts: attempts, now: now)
        case .resting(let address, let until): return resting(address, until: until, now: now)
        case .waiting(let reason, let address, let until, let lifetime):
            if outage == nil, let lifetime { begin(after: lifetime, now: now) }
            let what = reason.text(address: address, wasReady: lifetime != nil)
            let line = LogLine(
                waiting: reason, address, until: until, lifetime: lifetime,
                level: level(reason, isAtOnce: until <= now), now: now)
            // What was told of the others does not mislead: they are tried again before long.
            let delay = reason.isLasting ? until - now : .zero
            return waiting(what, line, lifetime: lifetime, delay: delay, now: now)
        }
    }

    private mutating func begin(after lifetime: Duration, now: ContinuousClock.Instant) {
        // Of connections that are complete, each is short.
        let isLongAgo = hasRested && lastEnd.map { now - $0 >= Self.calm } ?? false
        if lifetime >= Self.calm || isLongAgo {
            settling = Self.settling
            isRepeated = false
        } else if isRepeated {
            settling = min(settling * 2, Self.calm)
        }
    }

    /// Nobody is needed for a connection that is made anew at once, unless that happens again and again.
    private func level(_ reason: Uplink.Reason, isAtOnce: Bool) -> LogLevel {
        if case .framing = reason { return .warning }
        return isAtOnce && !isRepeated ? .notice : .warning
    }

    private mutating func ready(_ address: String, attempts: Int, now: ContinuousClock.Instant) -> LogLine? {
        guard var current = outage else {
            return LogLine(
                .connected, hasRested ? .debug : .notice, "connected to \(address)", [.upstream(address)])
        }
        current.attempts += attempts
        current.failures = 0
        guard current.isFlapping else { return end(of: current, address, now: now) }
        // After a connection that was complete, what is good lasts.
        if current.connection == nil { current.connection = (address, now) }
        outage = current
        return nil
    }

    /// A connection that was complete lasts, as long as none follows that is lost. The first of them is told.
    private mutating func resting(
        _ address: String, until: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) -> LogLine? {
        let hadRested = hasRested
        hasRested = true
        return hadRested || outage != nil
            ? nil : LogLine(completed: address, until: until, level: .info, now: now)
    }

    private mutating func waiting(
        _ what: String, _ line: LogLine, lifetime: Duration?, delay: Duration, now: ContinuousClock.Instant
    ) -> LogLine? {
        var current = outage ?? Outage(start: now, newest: line)
        if let lifetime {
            current.isFlapping = lifetime < settling
        } else {
            current.failures += 1
        }
        current.connection = nil
        current.newest = line
        defer { outage = current }
        guard let told = current.reasons[what] else {
            guard current.reasons.count < Self.reasonLimit else { return nil }
            current.reasons[what] = delay
            return line
        }
        guard delay > max(told, .seconds(1)) * Self.rareness else { return nil }
        current.reasons[what] = delay
        return line
    }

    /// The connection has lasted, and the outage is over; or it has gone on for long.
    mutating func timerFired(now: ContinuousClock.Instant) -> LogLine? {
        guard var current = outage, let due, due <= now else { return nil }
        if let connection = current.connection, now >= connection.since + settling {
            return end(of: current, connection.address, now: connection.since)
        }
        let age = now - current.start
        current.reminder =
            Self.reminders.first { $0 > age } ?? .seconds((age.components.seconds / 3600 + 1) * 3600)
        outage = current
        let attempts = counted(current.attempts + current.failures, "attempt")
        let what = current.isFlapping ? "no connection has lasted" : "still not connected"
        return LogLine(
            .upstreamStillAway, .warning, "\(what) after \(age.text) and \(attempts): \(current.newest.text)",
            current.newest.fields)
    }

    private mutating func end(
        of ended: Outage, _ address: String, now: ContinuousClock.Instant
    ) -> LogLine {
        outage = nil
        lastEnd = now
        isRepeated = true
        let duration = (now - ended.start).text
        return LogLine(
            .connected, .notice,
            "connected to \(address) after \(duration) and \(counted(ended.attempts, "attempt"))",
            [.upstream(address)])
    }
}
