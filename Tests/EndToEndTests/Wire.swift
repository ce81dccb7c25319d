import Testing

/// The framings, as the tests speak them: nothing here comes from the product.
enum Wire: CaseIterable, Sendable, CustomTestStringConvertible {
    case line
    case delimiter
    case length
    case longLength
    case fixed

    static let fixedSize = 40

    var testDescription: String { yaml }

    /// The value of `framing` in a configuration.
    var yaml: String {
        switch self {
        case .line: "line"
        case .delimiter: "{kind: delimiter, end: '\\r\\n\\0'}"
        case .length: "{kind: length, bytes: 4, order: big}"
        case .longLength: "{kind: length, bytes: 8, order: little}"
        case .fixed: "{kind: fixed, size: \(Self.fixedSize)}"
        }
    }

    /// What a message carries: a fixed framing pads it.
    func payload(_ text: String) -> String {
        self == .fixed ? text + String(repeating: ".", count: Self.fixedSize - text.utf8.count) : text
    }

    /// A message with its framing.
    func frame(_ text: String) -> [UInt8] {
        let payload = Array(payload(text).utf8)
        switch self {
        case .line: return payload + [0x0A]
        case .delimiter: return payload + [0x0D, 0x0A, 0x00]
        case .length:
            return (0..<4).map { UInt8(truncatingIfNeeded: payload.count >> (24 - 8 * $0)) } + payload
        case .longLength:
            return (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) } + payload
        case .fixed: return payload
        }
    }

    /// Message `number` of `sender`, about `size` bytes where the framing leaves a choice.
    func frame(_ number: Int, of sender: Int = 0, size: Int = 0) -> [UInt8] {
        let head = "message \(number) of \(sender);"
        let filler = self == .fixed ? 0 : max(0, size - head.utf8.count)
        return frame(
            head + String(repeating: Character(Unicode.Scalar(UInt8(97 + number % 26))), count: filler))
    }

    /// Divides a stream into its frames; what is left over is unfinished.
    func split(_ stream: [UInt8]) -> (frames: [[UInt8]], rest: [UInt8]) {
        var frames: [[UInt8]] = []
        var rest = stream[...]
        while let length = lengthOfFirst(rest), rest.count >= length {
            frames.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return (frames, Array(rest))
    }

    private func lengthOfFirst(_ bytes: ArraySlice<UInt8>) -> Int? {
        switch self {
        case .line: return bytes.firstIndex(of: 0x0A).map { $0 - bytes.startIndex + 1 }
        case .delimiter: return bytes.firstIndex(of: 0x00).map { $0 - bytes.startIndex + 1 }
        case .length:
            guard bytes.count >= 4 else { return nil }
            return 4 + bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        case .longLength:
            guard bytes.count >= 8 else { return nil }
            return 8 + bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        case .fixed: return Self.fixedSize
        }
    }
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }
}
