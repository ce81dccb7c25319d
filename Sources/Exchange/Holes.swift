/// The ranges of a stream that are not for everyone, oldest first: bytes of no message, and messages for one client.
///
/// Without any, which is the common case, each question costs one comparison.
struct Holes {
    struct Hole: Equatable {
        var range: Range<UInt64>
        var recipient: Recipient
    }
    private var holes: [Hole] = []
    /// Holes at the start of the array that were released.
    private var released = 0
    /// End of the newest hole.
    private var end: UInt64 = 0

    /// The most bytes that the holes of an index take, when all are of one kind: between two of them is a frame, as many
    /// again were released, and an array doubles when it grows.
    static func bytes(entries: Int) -> Int { (entries / 2 + 1) * 4 * MemoryLayout<Hole>.stride }

    /// How many are kept.
    var count: Int { holes.count - released }

    /// Neighbours for the same recipient become one.
    mutating func append(_ range: Range<UInt64>, for recipient: Recipient) {
        guard !range.isEmpty else { return }
        end = range.upperBound
        if let last = holes.indices.last, last >= released, holes[last].recipient == recipient,
            holes[last].range.upperBound == range.lowerBound
        {
            holes[last].range = holes[last].range.lowerBound..<range.upperBound
        } else {
            holes.append(Hole(range: range, recipient: recipient))
        }
    }

    mutating func release(before position: UInt64) {
        while released < holes.count && holes[released].range.upperBound <= position { released += 1 }
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
