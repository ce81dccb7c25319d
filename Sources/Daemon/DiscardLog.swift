import Bridge
import Systemd

/// Tells of what was discarded: the first time for each reason at once, the rest summed up.
struct DiscardLog {
    private var told: Set<Int> = []
    private var sums: [Int: Amount] = [:]

    /// Whether an interval is under way, at whose end `takeSuppressed` is to be called.
    var isDue: Bool { !told.isEmpty }

    mutating func line(for reason: DiscardReason, _ amount: Amount) -> LogLine? {
        guard told.insert(reason.rawValue).inserted else {
            sums[reason.rawValue, default: Amount()].add(amount)
            return nil
        }
        return Self.line(reason, amount)
    }

    /// What was not told yet, one line for each reason. A reason that had none is told at once again from now on.
    mutating func takeSuppressed() -> [LogLine] {
        defer {
            told = Set(sums.keys)
            sums = [:]
        }
        return DiscardReason.allCases.compactMap { reason in
            sums[reason.rawValue].map { Self.line(reason, $0) }
        }
    }

    private static func line(_ reason: DiscardReason, _ amount: Amount) -> LogLine {
        LogLine(reason.level, "discarded \(amount.text) \(reason.text)")
    }
}
