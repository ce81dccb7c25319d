@usableFromInline struct FixedDecoder: FrameDecoder {
    @usableFromInline let size: Int

    init(size: Int, limit: Int) {
        precondition(1...limit ~= size, "a fixed size of \(size) bytes is not within 1 to \(limit)")
        self.size = size
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        bytes.count >= size ? Frame(length: size) : nil
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        preconditionFailure("a message of a fixed size is never too long")
    }
}
