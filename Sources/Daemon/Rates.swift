import Bridge

/// How much flows in both directions, on the average over the last seconds.
struct Rates {
    /// Messages and bytes each second.
    struct Rate: Equatable {
        var messages = 0.0
        var bytes = 0.0
    }
    private struct Sample {
        let time: ContinuousClock.Instant
        let totals: Totals
    }
    /// The longest time over which a rate can be told.
    private static let longest = Duration.seconds(60)

    /// The oldest first, a second or more between them; at least one.
    private var samples: [Sample]

    var sampleCount: Int { samples.count }

    /// Nothing has flowed yet.
    init(now: ContinuousClock.Instant) { samples = [Sample(time: now, totals: Totals())] }

    /// Something flows again, after a time in which nothing has flowed since the last sample.
    mutating func begin(now: ContinuousClock.Instant) { add(samples[samples.count - 1].totals, now: now) }

    mutating func add(_ totals: Totals, now: ContinuousClock.Instant) {
        samples.append(Sample(time: now, totals: totals))
        let start = now - Self.longest
        let old = samples.firstIndex { $0.time > start } ?? samples.count
        // The newest of the old ones tells what had flowed at the start.
        samples.removeFirst(max(0, old - 1))
    }

    /// - Parameters:
    ///   - span: At most a minute; a process that is younger has its own age instead.
    ///   - totals: What has flowed by now.
    ///   - now: The time.
    /// - Returns: The average.
    func received(over span: Duration, _ totals: Totals, now: ContinuousClock.Instant) -> Rate {
        rate(over: span, totals, now: now, of: \.received)
    }

    /// As `received`.
    func sent(over span: Duration, _ totals: Totals, now: ContinuousClock.Instant) -> Rate {
        rate(over: span, totals, now: now, of: \.sent)
    }

    private func rate(
        over span: Duration, _ totals: Totals, now: ContinuousClock.Instant,
        of direction: KeyPath<Totals, Amount>
    ) -> Rate {
        let start = now - span
        let before = max(0, (samples.firstIndex { $0.time > start } ?? samples.count) - 1)
        let (sample, next) = (
            samples[before], before + 1 < samples.count ? samples[before + 1].totals : totals
        )
        // While nothing flowed no samples were taken, so this one holds until the next.
        let isAtRest = sample.totals == next
        let seconds = (now - (isAtRest ? max(sample.time, start) : sample.time)) / .seconds(1)
        let (old, new) = (sample.totals[keyPath: direction], totals[keyPath: direction])
        guard seconds > 0, new != old else { return Rate() }
        return Rate(
            messages: Double(new.messages - old.messages) / seconds,
            bytes: Double(new.bytes - old.bytes) / seconds)
    }
}

extension Rates.Rate {
    /// `120 msg/s 7.1 kB/s`, or `0`.
    var text: String {
        guard self != Self() else { return "0" }
        return "\(short(messages, [""]))msg/s \(short(bytes, ["", "k", "M", "G"]))B/s"
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
