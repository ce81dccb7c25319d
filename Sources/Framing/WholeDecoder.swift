/// Everything up to a boundary that is not in the bytes: `Decoder.finish` tells of it.
@usableFromInline struct WholeDecoder: FrameDecoder {
    @usableFromInline let limit: Int

    init(limit: Int) { self.limit = limit }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard bytes.count <= limit else { throw .tooLong(limit: limit) }
        return nil
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        (bytes.count, false)
    }
}

/// Whatever is there is a message, or several of the greatest size.
@usableFromInline struct UnframedDecoder: FrameDecoder {
    @usableFromInline let limit: Int

    init(limit: Int) { self.limit = limit }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        bytes.isEmpty ? nil : Frame(length: min(bytes.count, limit))
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        preconditionFailure("a message that is cut to size is never too long")
    }
}
