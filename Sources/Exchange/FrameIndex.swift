import Framing

/// How much of a stream was passed over for one reason.
public struct Skipped: Equatable, Sendable {
    public private(set) var messages: UInt64 = 0
    /// As far as they have come.
    public private(set) var bytes: UInt64 = 0

    public init() {}

    mutating func add(messages: UInt64, bytes: Int) {
        self.messages += messages
        self.bytes += UInt64(bytes)
    }
}

/// Where the most recent messages end: a ring of entries that tile the stream, skipped ranges among them.
@safe struct FrameIndex: ~Copyable, FrameSink {
    /// 16 bytes.
    struct Entry {
        /// Position after the last byte.
        var end: UInt64
        var header: UInt16
        var trailer: UInt16
        var recipient: Recipient

        func isFor(_ reader: Recipient) -> Bool { recipient == .everyone || recipient == reader }
    }
    private let entries: UnsafeMutablePointer<Entry>
    let capacity: Int
    /// Entries ever appended: the number of the next one.
    private(set) var count: UInt64 = 0
    /// Those of them that are skipped ranges.
    private(set) var skipped: UInt64 = 0
    /// What was skipped, by reason.
    private(set) var oversize = Skipped()
    private(set) var damaged = Skipped()
    private(set) var between = Skipped()
    private(set) var firsts = Skipped()
    /// The number of the oldest entry that is still needed.
    private(set) var first: UInt64 = 0
    /// Where the oldest entry that is still needed begins.
    private var start: UInt64 = 0
    /// End of the newest entry.
    private(set) var head: UInt64 = 0
    /// Ranges that are not for everyone.
    private(set) var holes = Holes()

    /// Bytes of the entries of an index.
    static func bytes(capacity: Int) -> Int { capacity * MemoryLayout<Entry>.stride }

    /// - Parameter capacity: A power of two.
    init(capacity: Int) {
        precondition(capacity > 0 && capacity & (capacity - 1) == 0, "\(capacity) is no power of two")
        self.capacity = capacity
        // Untouched, and so not resident, until entries are written.
        unsafe entries = .allocate(capacity: capacity)
    }

    deinit { unsafe entries.deallocate() }

    var kept: Int { Int(count - first) }
    var free: Int { capacity - kept }

    /// Entry `number`, which must still be kept.
    @inline(__always)
    func entry(_ number: UInt64) -> Entry {
        unsafe entries[Int(truncatingIfNeeded: number) & (capacity - 1)]
    }

    /// Entry `number`, which must still be kept and be a frame, as it stands in the stream.
    @inline(__always)
    func frame(_ number: UInt64) -> Frame {
        let entry = entry(number)
        return Frame(
            length: Int(entry.end - start(of: number)), header: Int(entry.header), trailer: Int(entry.trailer)
        )
    }

    /// The end of entry `number`, which must still be kept.
    func end(of number: UInt64) -> UInt64 { entry(number).end }

    /// Where entry `number`, which must still be kept, begins.
    func start(of number: UInt64) -> UInt64 { number == first ? start : end(of: number - 1) }

    /// The bytes that follow `position` in a frame that began before it, when that frame is for `reader`; else an empty
    /// range.
    func rest(at position: UInt64, for reader: Recipient) -> Range<UInt64> {
        let number = firstEntry(endingAfter: position)
        guard number < count, start(of: number) < position, entry(number).isFor(reader) else {
            return position..<position
        }
        return position..<end(of: number)
    }

    /// The frames for `reader` that begin at `position` or after it.
    func frames(from position: UInt64, for reader: Recipient) -> (count: Int, bytes: Int) {
        let number = firstEntry(endingAfter: position)
        guard holes.privateCount > 0 else {
            let holes = holes.rest(from: position) {
                Int(firstEntry(endingAfter: $0.upperBound) - firstEntry(endingAfter: $0.lowerBound))
            }
            return (Int(count - number) - holes.entries, Int(head - position) - holes.bytes)
        }
        var frames = (count: 0, bytes: 0)
        for number in number..<count where entry(number).isFor(reader) {
            frames.count += 1
            frames.bytes += Int(end(of: number) - start(of: number))
        }
        return frames
    }

    @inline(__always)
    private mutating func append(
        length: UInt64, header: UInt16 = 0, trailer: UInt16 = 0, for recipient: Recipient
    ) {
        head &+= length
        unsafe entries[Int(truncatingIfNeeded: count) & (capacity - 1)] =
            Entry(end: head, header: header, trailer: trailer, recipient: recipient)
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ frame: Frame) {
        append(length: UInt64(frame.length), header: frame.header, trailer: frame.trailer, for: .everyone)
    }

    /// A frame that only one client is to have.
    mutating func append(_ frame: Frame, for recipient: Recipient) {
        holes.append(head..<head + UInt64(frame.length), for: recipient, isEntry: true)
        append(length: UInt64(frame.length), header: frame.header, trailer: frame.trailer, for: recipient)
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        let continuesEntry = kept > 0 && entry(self.count - 1).recipient == .nobody
        holes.append(head..<head + UInt64(count), for: .nobody, isEntry: !continuesEntry)
        self.count(count, reason)
        if continuesEntry {
            // More of what nobody gets, however it drips in, takes no entry of its own.
            head += UInt64(count)
            unsafe entries[Int(truncatingIfNeeded: self.count - 1) & (capacity - 1)].end = head
            return
        }
        skipped &+= 1
        append(length: UInt64(count), for: .nobody)
    }

    /// So many bytes of a stream were passed over, and are not in the index.
    mutating func count(_ count: Int, _ reason: SkipReason) {
        switch reason {
        case .oversize(let isBeginning): oversize.add(messages: isBeginning ? 1 : 0, bytes: count)
        case .damaged: damaged.add(messages: 1, bytes: count)
        case .between: between.add(messages: 0, bytes: count)
        case .first(let isBeginning): firsts.add(messages: isBeginning ? 1 : 0, bytes: count)
        }
    }

    /// The number of the oldest kept entry that ends after `position`; `count` when there is none.
    func firstEntry(endingAfter position: UInt64) -> UInt64 {
        var low = first
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if entry(middle).end <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// What ends at or before `position` is needed no more.
    mutating func release(before position: UInt64) {
        let needed = firstEntry(endingAfter: position)
        if needed > first { start = end(of: needed - 1) }
        first = needed
        holes.release(before: position)
    }
}
