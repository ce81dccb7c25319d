import Bridge

/// How much flows each second, in both directions, over the last seconds.
struct Rates {
    private struct Sample {
        let time: ContinuousClock.Instant
        let received: Amount
        let sent: Amount
    }
    /// Rates are told over so many intervals between samples.
    private static let span = 5

    /// The oldest first; at least one.
    private var samples: [Sample]

    /// Nothing has flowed yet.
    init(now: ContinuousClock.Instant) {
        samples = [Sample(time: now, received: Amount(), sent: Amount())]
    }

    /// Begins anew after a time in which nothing has flowed since the last sample.
    mutating func begin(now: ContinuousClock.Instant) {
        let last = samples[samples.count - 1]
        samples = [Sample(time: now, received: last.received, sent: last.sent)]
    }

    mutating func add(_ totals: Totals, now: ContinuousClock.Instant) {
        samples.append(Sample(time: now, received: totals.received, sent: totals.sent))
        if samples.count > Self.span + 1 { samples.removeFirst() }
    }

    /// Nothing has flowed in the last seconds.
    var isZero: Bool {
        let (first, last) = (samples[0], samples[samples.count - 1])
        return first.received == last.received && first.sent == last.sent
    }

    /// `120 msg/s 7.1 kB/s in, 0 out`.
    var text: String {
        let (first, last) = (samples[0], samples[samples.count - 1])
        let seconds = (last.time - first.time) / .seconds(1)
        func rate(_ old: Amount, _ new: Amount) -> String {
            guard seconds > 0, new != old else { return "0" }
            let messages = Double(new.messages - old.messages) / seconds
            let bytes = Double(new.bytes - old.bytes) / seconds
            return "\(short(messages, [""]))msg/s \(short(bytes, ["", "k", "M", "G"]))B/s"
        }
        return "\(rate(first.received, last.received)) in, \(rate(first.sent, last.sent)) out"
    }

    /// `0.2 `, `7.1 k`, `120 `: a number and the first unit in which it is short, or the last one.
    private func short(_ value: Double, _ units: [String]) -> String {
        var (value, unit) = (value, 0)
        while unit + 1 < units.count && value >= 999.5 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        let number =
            tenths < 100 && tenths % 10 != 0 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
        return "\(number) \(units[unit])"
    }
}
