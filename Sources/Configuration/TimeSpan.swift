/// Time spans as systemd writes them (systemd.time(7)): `250ms`, `10s`, `1min 30s`, `1.5h`; a bare number is
/// seconds.
///
/// To the microsecond, at most 100 years (`longest`): that fits every clock and timer.
public enum TimeSpan {
    static let longest = Duration.seconds(3_155_760_000)

    private static let second = 1_000_000
    private static let hour = 3600 * second
    private static let units: [(names: [String], microseconds: Int)] = [
        (["us", "usec", "\u{B5}s", "\u{3BC}s"], 1),
        (["ms", "msec"], 1000),
        (["s", "sec", "second", "seconds"], second),
        (["min", "m", "minute", "minutes"], 60 * second),
        (["h", "hr", "hour", "hours"], hour),
        (["d", "day", "days"], 24 * hour),
        (["w", "week", "weeks"], 7 * 24 * hour),
        (["M", "month", "months"], 2_629_800 * second),
        (["y", "year", "years"], 31_557_600 * second),
    ]

    static func parse(_ text: String) -> Duration? {
        var rest = text.utf8[...]
        var total = 0
        skipSpaces(&rest)
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            guard let term = term(&rest) else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(term)
            if overflow { return nil }
            total = sum
        }
        let duration = Duration.microseconds(total)
        return duration <= longest ? duration : nil
    }

    /// A number with its unit, and the spaces after it, in microseconds.
    private static func term(_ rest: inout Substring.UTF8View) -> Int? {
        let whole = digits(&rest)
        guard let number = decimal(whole) else { return nil }
        var fraction = Substring().utf8
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = digits(&rest)
            if fraction.isEmpty { return nil }
        }
        skipSpaces(&rest)
        let name = rest.prefix { !isDigit($0) && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ".") }
        rest = rest[name.endIndex...]
        skipSpaces(&rest)
        let unit: Int
        if name.isEmpty {
            // Which unit would be meant by the 2 of `2 10s`?
            guard rest.isEmpty else { return nil }
            unit = second
        } else {
            guard let found = units.first(where: { $0.names.contains(String(Substring(name))) }) else {
                return nil
            }
            unit = found.microseconds
        }
        return product(number, fraction, unit)
    }

    /// `nil` if it is not a whole number of microseconds, or too large.
    private static func product(_ number: Int, _ fraction: Substring.UTF8View, _ unit: Int) -> Int? {
        let (whole, overflow) = number.multipliedReportingOverflow(by: unit)
        if overflow { return nil }
        if fraction.isEmpty { return whole }
        guard let digits = decimal(fraction), fraction.count <= 12 else { return nil }
        let scale = (0..<fraction.count).reduce(1) { scale, _ in scale * 10 }
        let part = unit.multipliedFullWidth(by: digits)
        guard part.high < scale else { return nil }
        let (quotient, remainder) = scale.dividingFullWidth(part)
        guard remainder == 0 else { return nil }
        let (sum, carry) = whole.addingReportingOverflow(quotient)
        return carry ? nil : sum
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = rest.prefix(while: isDigit)
        rest = rest[digits.endIndex...]
        return digits
    }

    private static func skipSpaces(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// In the largest unit, up to days, that it is a whole number of.
    public static func print(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let total = Int(seconds) * second + Int(attoseconds / 1_000_000_000_000)
        guard total > 0 else { return "0" }
        for (names, unit) in units.prefix(6).reversed() where total % unit == 0 {
            return "\(total / unit)\(names[0])"
        }
        return "\(total)us"
    }
}
