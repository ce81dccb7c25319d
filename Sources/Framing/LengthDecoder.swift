/// A length that stands first, counts the payload only, and is no part of it: what most protocols have. It is by itself
/// because it is faster so.
@usableFromInline struct LengthDecoder: FrameDecoder {
    @usableFromInline let width: LengthField.Width
    @usableFromInline let isBigEndian: Bool
    @usableFromInline let limit: UInt64
    /// What of a word of eight bytes is not the field, in bits.
    @usableFromInline let shift: UInt64
    @usableFromInline static let word = 8

    init(_ field: LengthField, limit: Int) {
        width = field.width
        isBigEndian = field.order == .big
        self.limit = UInt64(limit)
        shift = UInt64(64 - 8 * field.width.rawValue)
    }

    /// As `next`, for whole frames of at least a word: few instructions for each. A word is read whatever the width is, for
    /// a switch over widths costs more than all the rest.
    @inlinable @inline(__always)
    mutating func takeRun<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, from start: inout Int, count: inout Int, atMost limit: Int,
        into sink: inout Sink
    ) {
        // Two loops: to ask for the order in one costs a quarter more.
        if isBigEndian {
            takeRun(bytes, from: &start, count: &count, atMost: limit, into: &sink) {
                UInt64(bigEndian: $0) &>> shift
            }
        } else {
            takeRun(bytes, from: &start, count: &count, atMost: limit, into: &sink) {
                (UInt64(littleEndian: $0) &<< shift) &>> shift
            }
        }
    }

    /// `value` takes the field from a word that begins with it, as it stands in the stream.
    @inlinable @inline(__always)
    func takeRun<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, from start: inout Int, count: inout Int, atMost limit: Int,
        into sink: inout Sink,
        value: (UInt64) -> UInt64
    ) {
        let header = width.rawValue
        let most = self.limit
        var left = bytes.count &- start
        while count < limit, left >= MemoryLayout<UInt64>.size {
            // What is left was just compared, which is the check of the bounds; an integer may have any bits.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
            let length = value(word)
            let size = header &+ Int(truncatingIfNeeded: length)
            guard length <= most, size <= left else { return }
            sink.append(Frame(uncheckedLength: size, header: header))
            start &+= size
            left &-= size
            count &+= 1
        }
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        let header = width.rawValue
        guard bytes.count >= header else { return nil }
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

    /// The field at the start of `bytes`, which must be there.
    @usableFromInline
    func value(in bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for i in 0..<width.rawValue {
            value = value << 8 | UInt64(bytes[isBigEndian ? i : width.rawValue - 1 - i])
        }
        return value
    }
}
