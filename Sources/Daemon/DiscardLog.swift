import Bridge
import Systemd

/// Tells of what was discarded: the first time for each reason at once, the rest summed up.
struct DiscardLog {
    private static let shortestInterval = Duration.seconds(10)
    private static let longestInterval = Duration.seconds(3600)

    /// How long to wait before `takeSuppressed`: twice as long with each interval in which something was held back.
    private(set) var interval = Self.shortestInterval
    private var told: Set<Int> = []
    private var sums: [Int: Amount] = [:]

    /// Whether an interval is under way, at whose end `takeSuppressed` is to be called.
    var isDue: Bool { !told.isEmpty }

    mutating func line(for reason: DiscardReason, _ amount: Amount) -> LogLine? {
        guard told.insert(reason.rawValue).inserted else {
            sums[reason.rawValue, default: Amount()].add(amount)
            return nil
        }
        return LogLine(discarded: amount, reason)
    }

    /// What was not told yet, one line for each reason. A reason that had none is told at once again from now on.
    mutating func takeSuppressed() -> [LogLine] {
        defer {
            interval = sums.isEmpty ? Self.shortestInterval : min(interval * 2, Self.longestInterval)
            told = Set(sums.keys)
            sums = [:]
        }
        return DiscardReason.allCases.compactMap { reason in
            sums[reason.rawValue].map { LogLine(discarded: $0, reason) }
        }
    }
}
