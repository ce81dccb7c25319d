/// A length anywhere in a header.
@usableFromInline struct HeadedLengthDecoder: FrameDecoder {
    /// Reads the field.
    @usableFromInline let field: LengthDecoder
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
        self.limit = limit
        self.field = LengthDecoder(field, limit: limit)
        offset = field.offset
        end = field.end
        difference = field.end + field.adjust
        strip = field.strip
        let shortest = max(0, max(field.end, field.strip) - difference)
        least = UInt64(shortest)
        allowed = UInt64(max(0, limit + field.strip - difference - shortest + 1))
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard bytes.count >= end else { return nil }
        let value = field.value(in: bytes.extracting(offset...))
        // Less than the least wraps around.
        guard value &- least < allowed else { throw fault(value) }
        let length = Int(truncatingIfNeeded: value) + difference
        guard bytes.count >= length else { return nil }
        return Frame(length: length, header: strip)
    }

    @usableFromInline
    func fault(_ value: UInt64) -> FramingError {
        value < least ? .malformed(.lengthTooSmall(value)) : .tooLong(limit: limit)
    }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        let value = field.value(in: bytes.extracting(offset...))
        // Nobody sends so much: the stream has been misread.
        guard value <= UInt64(Int64.max) else { throw .impossibleLength(value) }
        return value &+ UInt64(bitPattern: Int64(difference))
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        passOver(bytes, counted: left)
    }
}
