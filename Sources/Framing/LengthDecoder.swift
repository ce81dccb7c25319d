/// A length that stands first, counts the payload only, and is no part of it: what most protocols have. It is by itself
/// because it is faster so.
@usableFromInline struct LengthDecoder: FrameDecoder {
    @usableFromInline let width: LengthField.Width
    @usableFromInline let isBigEndian: Bool
    @usableFromInline let limit: UInt64
    /// What of a word of eight bytes is not the field, in bits.
    @usableFromInline let shift: UInt64

    init(_ field: LengthField, limit: Int) {
        width = field.width
        isBigEndian = field.order == .big
        self.limit = UInt64(limit)
        shift = UInt64(64 - 8 * field.width.rawValue)
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        let header = width.rawValue
        // Mostly there is a whole word: `value` asks for that as well.
        guard bytes.count >= 8 || bytes.count >= header else { return nil }
        let length = value(in: bytes)
        guard length <= limit else { throw .tooLong(limit: Int(limit)) }
        let end = header &+ Int(truncatingIfNeeded: length)
        guard bytes.count >= end else { return nil }
        return Frame(uncheckedLength: end, header: header)
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

    /// The field at the start of `bytes`, which must be there: read as a word, whatever its width, for a switch over widths
    /// costs more than all the rest.
    @inlinable @inline(__always)
    func value(in bytes: Span<UInt8>) -> UInt64 {
        guard bytes.count >= 8 else { return valueNearEnd(bytes) }
        // It does check the bounds; an integer may have any bits.
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(as: UInt64.self)
        return isBigEndian
            ? UInt64(bigEndian: word) &>> shift : (UInt64(littleEndian: word) &<< shift) &>> shift
    }

    /// The same, byte by byte: where there are fewer than a word has.
    @usableFromInline @inline(never)
    func valueNearEnd(_ bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for i in 0..<width.rawValue {
            value = value << 8 | UInt64(bytes[isBigEndian ? i : width.rawValue - 1 - i])
        }
        return value
    }
}
