import Framing
import Linux

extension Framing {
    /// The most payload bytes of one received message.
    static let longestMessage = 64 << 20

    /// Reads the compact notation of the command line: `line`, `delimiter:end=\0`, `length:bytes=4,order=little`,
    /// `fixed:size=64`.
    init(notation: String) throws(UsageError) {
        let parts = notation.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var parameters = try Parameters(parts.count > 1 ? parts[1] : "", of: notation)
        switch parts[0] {
        case "line":
            self = .line()
        case "delimiter":
            let end = try unescaped(try parameters.take("end"))
            guard 1...16 ~= end.count else { throw UsageError("'\(notation)': end has 1 to 16 bytes") }
            self = .delimiter(end: end)
        case "length":
            let bytes = parameters.takeIfGiven("bytes") ?? "4"
            let order = parameters.takeIfGiven("order") ?? "big"
            guard let width = Int(bytes).flatMap(LengthField.Width.init) else {
                throw UsageError("'\(notation)': bytes is 1, 2, 3, 4 or 8")
            }
            guard let order = LengthField.Order(rawValue: order) else {
                throw UsageError("'\(notation)': order is big or little")
            }
            self = .length(LengthField(width: width, order: order))
        case "fixed":
            guard let size = Int(try parameters.take("size")), 1...Self.longestMessage ~= size else {
                throw UsageError("'\(notation)': size is a number from 1 to \(Self.longestMessage)")
            }
            self = .fixed(size: size)
        default:
            throw UsageError("'\(notation)': a framing is line, delimiter, length or fixed")
        }
        try parameters.expectNoMore()
    }
}

/// `key=value,key=value`
private struct Parameters {
    private let notation: String
    private var values: [(key: String, value: String)] = []

    init(_ text: Substring, of notation: String) throws(UsageError) {
        self.notation = notation
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw UsageError("'\(notation)': '\(part)' is not KEY=VALUE") }
            values.append((String(sides[0]), String(sides[1])))
        }
    }

    mutating func takeIfGiven(_ key: String) -> String? {
        guard let index = values.firstIndex(where: { $0.key == key }) else { return nil }
        return values.remove(at: index).value
    }

    mutating func take(_ key: String) throws(UsageError) -> String {
        guard let value = takeIfGiven(key) else { throw UsageError("'\(notation)': \(key) is missing") }
        return value
    }

    func expectNoMore() throws(UsageError) {
        guard let (key, _) = values.first else { return }
        throw UsageError("'\(notation)': there is no '\(key)' here, or it is given twice")
    }
}
