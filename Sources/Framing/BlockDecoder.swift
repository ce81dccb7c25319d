/// Blocks between two marks, as in HL7's Minimal Lower Layer Protocol. What stands between blocks is skipped.
@usableFromInline struct BlockDecoder: FrameDecoder {
    private let start: [UInt8]
    private let end: [UInt8]
    private let limit: Int
    /// The unconsumed bytes begin with the start of a block.
    private var isInBlock = false
    /// Bytes at the start of the unconsumed ones at which no end begins.
    private var looked = 0

    init(start: [UInt8], end: [UInt8], limit: Int) {
        precondition(1...16 ~= start.count && 1...16 ~= end.count, "a mark has 1 to 16 bytes")
        self.start = start
        self.end = end
        self.limit = limit
    }

    @usableFromInline
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int {
        guard !isInBlock else { return 0 }
        // A start may have begun in the last bytes.
        let found = firstIndex(of: start, in: bytes, from: 0)
        guard found == 0 else { return found ?? max(0, bytes.count - start.count + 1) }
        isInBlock = true
        looked = start.count
        return 0
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard isInBlock else { return nil }
        let found = firstIndex(of: end, in: bytes, from: looked)
        looked = found ?? max(looked, bytes.count - end.count + 1)
        guard looked - start.count <= limit else { throw .tooLong(limit: limit) }
        guard let found else { return nil }
        isInBlock = false
        return Frame(length: found + end.count, header: start.count, trailer: end.count)
    }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let found = firstIndex(of: end, in: bytes, from: looked)
        looked = 0
        guard let found else { return (max(0, bytes.count - end.count + 1), false) }
        isInBlock = false
        return (found + end.count, true)
    }
}
