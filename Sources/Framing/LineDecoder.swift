@usableFromInline struct LineDecoder: FrameDecoder {
    @usableFromInline let limit: Int
    /// Bytes at the start of the unconsumed ones that hold no LF.
    @usableFromInline var looked = 0

    init(limit: Int) { self.limit = limit }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard let newline = firstIndex(of: 0x0A, in: bytes, from: looked) else {
            looked = bytes.count
            // The last byte may yet turn out to be the CR of the line's end.
            guard looked <= limit || looked == limit + 1 && bytes[limit] == 0x0D else {
                throw .tooLong(limit: limit)
            }
            return nil
        }
        looked = 0
        let trailer = newline > 0 && bytes[newline - 1] == 0x0D ? 2 : 1
        let frame = Frame(length: newline + 1, trailer: trailer)
        guard newline + 1 - trailer <= limit else { throw .tooLong(limit: limit) }
        return frame
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let newline = firstIndex(of: 0x0A, in: bytes, from: looked)
        looked = 0
        return newline.map { ($0 + 1, true) } ?? (bytes.count, false)
    }
}
