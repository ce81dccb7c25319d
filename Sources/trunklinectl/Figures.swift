import Control

/// Numbers as people read them.
enum Figures {
    /// `1 client`, `3 clients`.
    static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// `7.1 kB`.
    static func bytes(_ count: Int) -> String {
        count < 1000 ? "\(count) B" : "\(short(Double(count), ["", "k", "M", "G", "T"], 1000))B"
    }

    /// `3 messages, 7.1 kB`; `23 B` for part of a message, and `0` for nothing.
    static func amount(_ amount: AmountDescription) -> String {
        let parts =
            (amount.messages == 0 ? [] : [counted(amount.messages, "message")])
            + (amount.bytes == 0 ? [] : [bytes(amount.bytes)])
        return parts.isEmpty ? "0" : parts.joined(separator: ", ")
    }

    /// As the status line has it: `120 msg/s 7.1 kB/s`, or `0`.
    static func rate(_ rate: RateDescription) -> String {
        guard rate.messages > 0 || rate.bytes > 0 else { return "0" }
        return "\(short(rate.messages, [""], 1000))msg/s \(short(rate.bytes, ["", "k", "M", "G"], 1000))B/s"
    }

    /// `12 kB of 4.2 MB (0 %)`: nothing is full before it is.
    static func fill(_ fill: FillDescription) -> String {
        let percent = fill.size > 0 ? (Double(fill.used) / Double(fill.size) * 100).rounded(.down) : 0
        return "\(bytes(fill.used)) of \(bytes(fill.size)) (\(whole(percent)) %)"
    }

    /// A number that may be anything.
    private static func whole(_ value: Double) -> String { Int(exactly: value).map(String.init) ?? "?" }

    /// `0.2 `, `7.1 k`, `120 `: a number and the first unit in which it is short, or the last one.
    private static func short(_ value: Double, _ units: [String], _ step: Double) -> String {
        var (value, unit) = (value, 0)
        while unit + 1 < units.count && value >= step - 0.5 {
            value /= step
            unit += 1
        }
        let tenths = Int(exactly: (value * 10).rounded()) ?? .max
        let number =
            0..<100 ~= tenths && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10)" : whole(value.rounded())
        return "\(number) \(units[unit])"
    }
}

extension Int {
    /// The next whole number towards 0 of what may be anything; 0 for no number.
    init(saturating value: Double) {
        self = Int(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : value < 0 ? .min : 0)
    }
}
