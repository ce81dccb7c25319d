/// A length that stands first, counts the payload only, and is no part of it: what most protocols have. It is by itself
/// because it is faster so.
@usableFromInline struct LengthDecoder: FrameDecoder {
    @usableFromInline let width: LengthField.Width
    @usableFromInline let isBigEndian: Bool
    @usableFromInline let limit: Int

    init(_ field: LengthField, limit: Int) {
        width = field.width
        isBigEndian = field.order == .big
        self.limit = limit
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        let header = width.rawValue
        guard bytes.count >= header else { return nil }
        let length = value(in: bytes)
        guard length <= UInt64(limit) else { throw .tooLong(limit: limit) }
        let end = header + Int(length)
        guard bytes.count >= end else { return nil }
        return Frame(length: end, header: header)
    }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        let length = value(in: bytes)
        // Nobody sends so much: the stream has been misread.
        guard length <= UInt64(Int64.max) else { throw .impossibleLength(length) }
        return UInt64(width.rawValue) + length
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        passOver(bytes, counted: left)
    }

    @inlinable
    func value(in bytes: Span<UInt8>) -> UInt64 {
        switch width {
        case .one: return UInt64(bytes[0])
        case .two:
            let value = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
            return UInt64(isBigEndian ? value : value.byteSwapped)
        case .three:
            let value = UInt32(bytes[0]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[2])
            return UInt64(isBigEndian ? value : value.byteSwapped >> 8)
        case .four:
            let value = word(in: bytes, at: 0)
            return UInt64(isBigEndian ? value : value.byteSwapped)
        case .eight:
            let value = UInt64(word(in: bytes, at: 0)) << 32 | UInt64(word(in: bytes, at: 4))
            return isBigEndian ? value : value.byteSwapped
        }
    }

    @inlinable
    func word(in bytes: Span<UInt8>, at i: Int) -> UInt32 {
        UInt32(bytes[i]) << 24 | UInt32(bytes[i + 1]) << 16 | UInt32(bytes[i + 2]) << 8 | UInt32(bytes[i + 3])
    }
}
