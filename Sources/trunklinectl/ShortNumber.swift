/// Numbers for a glance, in at most four columns up to 999 thousand million: `0`, `0.2`, `120`, `7.1k`, `12M`.
enum ShortNumber {
    static func text(_ value: Double) -> String {
        guard value.isFinite, value < 1e21 else { return "?" }
        let units = ["", "k", "M", "G", "T", "P", "E"]
        var (value, unit) = (max(0, value), 0)
        while unit + 1 < units.count && value >= 999.5 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        // Of what is counted, tenths tell nothing where they are zero; of a thousand they do.
        let isWhole = tenths >= 100 || (unit == 0 && tenths % 10 == 0)
        let number = isWhole ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
        return number + units[unit]
    }

    static func text(_ value: Int) -> String { text(Double(value)) }
}
