import Framing
import Linux

extension Framing {
    /// The most payload bytes of one received message.
    static let longestMessage = 64 << 20

    /// Reads the compact notation of the command line: `line`, `delimiter:end=\0`, `length:bytes=4,order=little`,
    /// `block:start=\v,end=\x1c\r`, with the keys of a configuration.
    init(notation: String) throws(UsageError) {
        let parts = notation.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var parameters = try Parameters(parts.count > 1 ? parts[1] : "", of: notation)
        switch parts[0] {
        case "line": self = .line(ending: try parameters.takeChoice("ending") ?? .lf)
        case "delimiter": self = .delimiter(end: try parameters.takeMark("end"))
        case "length": self = .length(try LengthField(&parameters))
        case "varint":
            self = .varint(
                VarintField(
                    bytes: try parameters.takeNumber("bytes", 1...10) ?? 10,
                    offset: try parameters.takeNumber("offset", 0...LengthField.longestOffset) ?? 0,
                    strip: try parameters.takeNumber("strip", 0...LengthField.longestOffset)))
        case "fixed":
            guard let size = try parameters.takeNumber("size", 1...Self.longestMessage) else {
                throw UsageError("'\(notation)': size is missing")
            }
            self = .fixed(size: size)
        case "netstring": self = .netstring
        case "octet-counted": self = .octetCounted
        case "header": self = .header
        case "block":
            let start = try parameters.takeMark("start")
            self = .block(start: start, end: try parameters.takeMark("end"))
        case "slip": self = .slip
        case "cobs": self = .cobs
        case "beast": self = .beast
        case "json": self = .json
        // How soon there is another connection is for the peer to say.
        case "until-close": self = .untilClose(every: .zero)
        case "none": self = .unframed
        default:
            throw UsageError(
                "'\(notation)': a framing is line, delimiter, length, varint, fixed, netstring, octet-counted, header, "
                    + "block, slip, cobs, beast, json, until-close or none")
        }
        try parameters.expectNoMore()
    }
}

extension LengthField {
    fileprivate init(_ parameters: inout Parameters) throws(UsageError) {
        let adjustments = -Self.greatestAdjustment...Self.greatestAdjustment
        self.init(
            width: try parameters.takeChoice("bytes") ?? .four,
            order: try parameters.takeChoice("order") ?? .big,
            offset: try parameters.takeNumber("offset", 0...Self.longestOffset) ?? 0,
            adjust: try parameters.takeNumber("adjust", adjustments) ?? 0,
            strip: try parameters.takeNumber("strip", 0...Self.longestOffset))
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

    /// 1 to 16 bytes.
    mutating func takeMark(_ key: String) throws(UsageError) -> [UInt8] {
        let mark = try unescaped(try take(key))
        guard 1...16 ~= mark.count else { throw UsageError("'\(notation)': \(key) has 1 to 16 bytes") }
        return mark
    }

    mutating func takeNumber(_ key: String, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = takeIfGiven(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(
                "'\(notation)': \(key) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func takeChoice<Choice: RawRepresentable & CaseIterable>(
        _ key: String
    ) throws(UsageError) -> Choice? {
        guard let text = takeIfGiven(key) else { return nil }
        guard let choice = Choice.allCases.first(where: { "\($0.rawValue)" == text }) else {
            let choices = Choice.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
            throw UsageError("'\(notation)': \(key) is one of \(choices)")
        }
        return choice
    }

    func expectNoMore() throws(UsageError) {
        guard let (key, _) = values.first else { return }
        throw UsageError("'\(notation)': there is no '\(key)' here, or it is given twice")
    }
}
