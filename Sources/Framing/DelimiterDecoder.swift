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
        let found =
            end.count == 1
            ? firstIndex(of: end[0], in: bytes, from: looked) : firstIndex(of: end, in: bytes, from: looked)
        guard let found else {
            // A delimiter may have begun in the last bytes; all before them are payload.
            looked = max(looked, bytes.count - end.count + 1)
            guard looked <= limit else { throw .tooLong(limit: limit) }
            return nil
        }
        looked = 0
        guard found <= limit else { throw .tooLong(limit: limit) }
        return Frame(length: found + end.count, trailer: end.count)
    }
}
