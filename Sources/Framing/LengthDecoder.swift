/// A length anywhere in a header.
@usableFromInline struct LengthDecoder: FrameDecoder {
    @usableFromInline let isBigEndian: Bool
    /// What of a word of eight bytes is not the field, in bits.
    @usableFromInline let shift: UInt64
    @usableFromInline let offset: Int
    /// One past the field.
    @usableFromInline let end: Int
    /// What the field's value is short of the frame's length.
    @usableFromInline let difference: Int
    @usableFromInline let strip: Int
    /// The least value that a message can have, and how many from there on are allowed.
    @usableFromInline let least: UInt64
    @usableFromInline let allowed: UInt64
    @usableFromInline let limit: Int

    init(_ field: LengthField, limit: Int) {
        let possible = 0...LengthField.longestOffset
        precondition(
            possible ~= field.offset && possible ~= field.strip,
            "a field at \(field.offset), \(field.strip) bytes to strip")
        isBigEndian = field.order == .big
        shift = UInt64(64 - 8 * field.width.rawValue)
        offset = field.offset
        end = field.end
        difference = field.end + field.adjust
        strip = field.strip
        let shortest = max(0, max(field.end, field.strip) - difference)
        least = UInt64(shortest)
        allowed = UInt64(max(0, limit + field.strip - difference - shortest + 1))
        self.limit = limit
    }

    /// As long as a whole word stands from the field on: few instructions for each. A word is read whatever the width is, for a
    /// switch over widths costs more than all the rest.
    @inlinable @inline(never)
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

    /// `field` takes the field from a word that begins with it, as it stands in the stream.
    @inlinable @inline(__always)
    func takeRun<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, from start: inout Int, count: inout Int, atMost limit: Int,
        into sink: inout Sink,
        field: (UInt64) -> UInt64
    ) {
        let (least, allowed, difference, strip) = (least, allowed, difference, strip)
        let reach = offset + MemoryLayout<UInt64>.size
        var position = start
        var left = bytes.count &- start
        var taken = count
        defer {
            start = position
            count = taken
        }
        while taken < limit, left >= reach {
            // The offset is not negative, and what is left was just compared: that is the check of the bounds. An integer may
            // have any bits.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: position &+ offset, as: UInt64.self)
            let value = field(word)
            // Less than the least wraps around.
            guard value &- least < allowed else { return }
            let length = Int(truncatingIfNeeded: value) &+ difference
            guard length <= left else { return }
            sink.append(Frame(uncheckedLength: length, header: strip))
            position &+= length
            left &-= length
            taken &+= 1
        }
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard bytes.count >= end else { return nil }
        let value = value(in: bytes)
        guard value &- least < allowed else { throw fault(value) }
        let length = Int(truncatingIfNeeded: value) + difference
        guard bytes.count >= length else { return nil }
        return Frame(uncheckedLength: length, header: strip)
    }

    @usableFromInline
    func fault(_ value: UInt64) -> FramingError {
        value < least ? .malformed(.lengthTooSmall(value)) : .tooLong(limit: limit)
    }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        let value = value(in: bytes)
        // Nobody sends so much: the stream has been misread.
        guard value <= UInt64(Int64.max) else { throw .impossibleLength(value) }
        return value &+ UInt64(bitPattern: Int64(difference))
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        passOver(bytes, counted: left)
    }

    /// The field, which must be there whole.
    @usableFromInline
    func value(in bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for i in offset..<end {
            value = value << 8 | UInt64(bytes[isBigEndian ? i : offset + end - 1 - i])
        }
        return value
    }
}
