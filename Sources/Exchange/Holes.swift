/// The ranges of a stream that are not for everyone, oldest first: bytes of no message, and messages for one client.
///
/// Without any, which is the common case, each question costs one comparison.
struct Holes {
    /// 32 bytes.
    private struct Hole {
        var range: Range<UInt64>
        let recipient: Recipient
        /// Entries of all holes before it, modulo 2³².
        let entriesBefore: UInt32
        let bytesBefore: UInt64
    }
    private var holes: [Hole] = []
    /// Holes at the start of the array that were released.
    private var released = 0
    /// End of the newest hole.
    private var end: UInt64 = 0
    /// How many of those that are kept are for one client.
    private(set) var privateCount = 0
    /// Entries and bytes of all holes since the beginning.
    private var entries: UInt32 = 0
    private var bytes: UInt64 = 0

    /// The most bytes that the holes of an index take, when all are of one kind: between two of them is a frame, as many
    /// again were released, and an array doubles when it grows.
    static func bytes(entries: Int) -> Int { (entries / 2 + 1) * 4 * MemoryLayout<Hole>.stride }

    /// How many are kept.
    var count: Int { holes.count - released }

    /// Neighbours for the same recipient become one. The range is an entry of its own, or a continuation of the newest.
    mutating func append(_ range: Range<UInt64>, for recipient: Recipient, isEntry: Bool) {
        precondition(!range.isEmpty)
        end = range.upperBound
        defer {
            entries &+= isEntry ? 1 : 0
            bytes += UInt64(range.count)
        }
        if let last = holes.indices.last, last >= released, holes[last].recipient == recipient,
            holes[last].range.upperBound == range.lowerBound
        {
            holes[last].range = holes[last].range.lowerBound..<range.upperBound
        } else {
            privateCount += recipient == .nobody ? 0 : 1
            holes.append(Hole(range: range, recipient: recipient, entriesBefore: entries, bytesBefore: bytes))
        }
    }

    mutating func release(before position: UInt64) {
        while released < holes.count && holes[released].range.upperBound <= position {
            privateCount -= holes[released].recipient == .nobody ? 0 : 1
            released += 1
        }
        // Moves each hole at most once, amortised.
        guard released * 2 > holes.count else { return }
        holes.removeFirst(released)
        released = 0
    }

    /// The first contiguous range for `reader` within `range`, which may be empty.
    func run(in range: Range<UInt64>, for reader: Recipient) -> Range<UInt64> {
        guard range.lowerBound < end else { return range }
        var start = range.lowerBound
        var index = firstHole(endingAfter: start)
        while index < holes.count {
            let hole = holes[index]
            if hole.recipient == reader {
                index += 1
                continue
            }
            if hole.range.lowerBound > start { return start..<min(hole.range.lowerBound, range.upperBound) }
            start = min(hole.range.upperBound, range.upperBound)
            index += 1
        }
        return start..<range.upperBound
    }

    /// The entries and bytes of holes from `position` on; `entriesWithin` tells how many entries a range holds.
    func rest(
        from position: UInt64, entriesWithin: (Range<UInt64>) -> Int
    ) -> (entries: Int, bytes: Int) {
        let index = firstHole(endingAfter: position)
        guard index < holes.count else { return (0, 0) }
        let next = index + 1 < holes.count ? holes[index + 1] : nil
        let first = max(position, holes[index].range.lowerBound)..<holes[index].range.upperBound
        return (
            entriesWithin(first) + Int(entries &- (next?.entriesBefore ?? entries)),
            first.count + Int(bytes - (next?.bytesBefore ?? bytes))
        )
    }

    private func firstHole(endingAfter position: UInt64) -> Int {
        var low = released
        var high = holes.count
        while low < high {
            let middle = (low + high) / 2
            if holes[middle].range.upperBound <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
