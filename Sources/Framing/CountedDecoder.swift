/// A length in decimal digits, a byte that ends them, the payload, and perhaps one more byte: netstrings
/// (https://cr.yp.to/proto/netstrings.txt) and octet counting (RFC 6587, section 3.4.1).
@usableFromInline struct CountedDecoder: FrameDecoder {
    @usableFromInline let style: Framing.Counting
    @usableFromInline let limit: Int

    init(_ style: Framing.Counting, limit: Int) {
        self.style = style
        self.limit = limit
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard let (value, header) = try count(in: bytes) else { return nil }
        guard value <= UInt64(limit) else { throw .tooLong(limit: limit) }
        let trailer = style.end == nil ? 0 : 1
        let length = header + Int(value) + trailer
        guard bytes.count >= length else { return nil }
        if let end = style.end, bytes[length - 1] != end { throw .malformed(.noComma) }
        return Frame(length: length, header: header, trailer: trailer)
    }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        guard let (value, header) = try count(in: bytes) else { preconditionFailure("there is no length") }
        // Nobody sends so much: the stream has been misread.
        guard value <= UInt64(Int64.max) else { throw .impossibleLength(value) }
        return UInt64(header) + value + (style.end == nil ? 0 : 1)
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) throws(FramingError) -> (
        count: Int, isOver: Bool
    ) {
        let (count, isOver) = passOver(bytes, counted: left)
        guard isOver, let end = style.end, bytes[count - 1] != end else { return (count, isOver) }
        // First what stands before that byte.
        guard count > 1 else { throw .malformed(.noComma) }
        return (count - 1, false)
    }

    /// The length, and how many bytes it takes with what ends it; `nil` until they are there.
    @inlinable
    func count(in bytes: Span<UInt8>) throws(FramingError) -> (value: UInt64, header: Int)? {
        var value: UInt64 = 0
        for i in 0..<min(bytes.count, Framing.Counting.longestHeader) {
            let byte = bytes[i]
            if byte == style.separator && i > 0 { return (value, i + 1) }
            // A zero stands alone, if anywhere.
            let isZero = i == 1 && bytes[0] == 0x30 || i == 0 && byte == 0x30 && !style.allowsEmpty
            guard 0x30...0x39 ~= byte, !isZero, i < Framing.Counting.longestHeader - 1 else {
                throw .malformed(.noDecimalLength)
            }
            value = value * 10 + UInt64(byte - 0x30)
        }
        return nil
    }
}

extension Framing {
    /// How a decimal length is written.
    @usableFromInline enum Counting: Sendable {
        case netstring
        case octets

        /// Digits of 2⁶³, and what ends them.
        @usableFromInline static let longestHeader = 20

        @usableFromInline var separator: UInt8 {
            switch self {
            case .netstring: UInt8(ascii: ":")
            case .octets: UInt8(ascii: " ")
            }
        }
        @usableFromInline var end: UInt8? {
            switch self {
            case .netstring: UInt8(ascii: ",")
            case .octets: nil
            }
        }
        /// RFC 6587 has a length begin with a digit that is not zero.
        @usableFromInline var allowsEmpty: Bool { self == .netstring }

        func encode(
            _ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>
        ) throws(UnrepresentableError) -> (header: Int, trailer: Int) {
            guard allowsEmpty || !payload.isEmpty else { throw .empty }
            let digits = output.appendDecimal(payload.count)
            output.append(separator)
            output.append(payload)
            if let end { output.append(end) }
            return (digits + 1, end == nil ? 0 : 1)
        }
    }
}
