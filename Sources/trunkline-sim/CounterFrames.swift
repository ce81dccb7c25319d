import Framing

/// Messages that begin with their number in decimal, padded with printable characters to one size.
///
/// One frame is made in advance; each message is a copy of it with its number put in.
struct CounterFrames: Sendable {
    private let template: [UInt8]
    private let payload: Range<Int>

    /// - Throws: If the framing cannot carry such a payload.
    init(size: Int, framing: Framing) throws(UnrepresentableError) {
        // Bytes that a delimiter consists of could come together in a number.
        if case .delimiter(let end) = framing, end.allSatisfy(Self.isUsed) { throw .holdsDelimiter }
        var payload: [UInt8] = []
        payload.reserveCapacity(size)
        while payload.count < size {
            payload.append(Self.filler[payload.count % Self.filler.count])
        }
        var frame: [UInt8] = []
        try framing.encode(payload, into: &frame)
        template = frame
        let header = framing.headerLength
        self.payload = header..<header + size
    }

    private static let filler = Array(" abcdefghijklmnopqrstuvwxyz".utf8)

    private static func isUsed(_ byte: UInt8) -> Bool {
        filler.contains(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Appends the frame of message `number`, and returns where its payload stands in `output`.
    ///
    /// What follows the number is never a digit. Of a number longer than the payload the last digits remain.
    func append(_ number: UInt64, to output: inout [UInt8]) -> Range<Int> {
        let start = output.count
        output.append(contentsOf: template)
        var digits = 1
        var power: UInt64 = 10
        while digits < 20 && number >= power {
            digits += 1
            power = digits < 20 ? power * 10 : .max
        }
        let first = start + payload.lowerBound
        var rest = number
        var bytes = output.mutableSpan
        for i in stride(from: digits - 1, through: 0, by: -1) {
            let at = i - max(0, digits - payload.count)
            if at >= 0 { bytes[first + at] = UInt8(truncatingIfNeeded: 0x30 + rest % 10) }
            rest /= 10
        }
        return first..<start + payload.upperBound
    }
}

extension Framing {
    /// Framing bytes before each payload, as `encode` writes them.
    var headerLength: Int {
        switch self {
        case .length(let field): field.width.rawValue
        case .line, .delimiter, .fixed: 0
        }
    }

    /// Framing bytes after each payload, as `encode` writes them.
    var trailerLength: Int {
        switch self {
        case .line: 1
        case .delimiter(let end): end.count
        case .length, .fixed: 0
        }
    }
}
