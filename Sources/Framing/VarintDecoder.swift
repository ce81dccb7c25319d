@usableFromInline struct VarintDecoder: FrameDecoder {
    @usableFromInline let field: VarintField
    @usableFromInline let limit: Int

    init(_ field: VarintField, limit: Int) {
        precondition(1...10 ~= field.bytes, "a varint has 1 to 10 bytes, not \(field.bytes)")
        self.field = field
        self.limit = limit
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard let (value, size) = try field.value(in: bytes) else { return nil }
        let end = field.offset + size
        let header = field.header(size)
        guard value <= UInt64(Int64.max) - UInt64(end) else { throw .tooLong(limit: limit) }
        let length = end + Int(value)
        guard length >= header else { throw .malformed(.lengthTooSmall(value)) }
        guard length - header <= limit else { throw .tooLong(limit: limit) }
        return bytes.count >= length ? Frame(length: length, header: header) : nil
    }

    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        guard let (value, size) = try field.value(in: bytes) else {
            preconditionFailure("there is no length")
        }
        // Nobody sends so much: the stream has been misread.
        guard value <= UInt64(Int64.max) else { throw .impossibleLength(value) }
        return value + UInt64(field.offset + size)
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        passOver(bytes, counted: left)
    }
}

extension VarintField {
    /// The length that stands behind the offset, and how many bytes it takes; `nil` until they are there.
    @inlinable
    func value(in bytes: Span<UInt8>) throws(FramingError) -> (value: UInt64, size: Int)? {
        var value: UInt64 = 0
        var size = 0
        while size < self.bytes {
            guard offset + size < bytes.count else { return nil }
            let byte = bytes[offset + size]
            // The tenth byte has room for one bit.
            guard size < 9 || byte <= 1 else { break }
            value |= UInt64(byte & 0x7F) << UInt64(7 * size)
            size += 1
            if byte < 0x80 { return (value, size) }
        }
        throw .malformed(.varintTooLong(self.bytes))
    }
}
