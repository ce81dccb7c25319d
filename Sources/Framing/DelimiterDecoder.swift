@usableFromInline struct DelimiterDecoder: FrameDecoder {
    @usableFromInline let end: [UInt8]
    @usableFromInline let limit: Int
    /// Bytes at the start of the unconsumed ones at which no delimiter begins.
    @usableFromInline var looked = 0

    init(end: [UInt8], limit: Int) {
        precondition(1...16 ~= end.count, "a delimiter has 1 to 16 bytes, not \(end.count)")
        self.end = end
        self.limit = limit
    }

    @inlinable
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard let found = firstEnd(in: bytes) else {
            // A delimiter may have begun in the last bytes; all before them are payload.
            looked = max(looked, bytes.count - end.count + 1)
            guard looked <= limit else { throw .tooLong(limit: limit) }
            return nil
        }
        looked = 0
        guard found <= limit else { throw .tooLong(limit: limit) }
        return Frame(length: found + end.count, trailer: end.count)
    }

    @inlinable
    func firstEnd(in bytes: Span<UInt8>) -> Int? {
        end.count == 1
            ? firstIndex(of: end[0], in: bytes, from: looked) : firstIndex(of: end, in: bytes, from: looked)
    }

    @inlinable
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let found = firstEnd(in: bytes)
        looked = 0
        // A delimiter may have begun in the last bytes.
        return found.map { ($0 + end.count, true) } ?? (max(0, bytes.count - end.count + 1), false)
    }
}
