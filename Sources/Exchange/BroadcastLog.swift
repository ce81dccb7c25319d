public import Framing
public import Memory

/// The ring of received messages that all clients read from: one log, many cursors.
///
/// Positions are absolute byte offsets; `tail` ≤ every cursor ≤ `head` ≤ what was received. Bytes after the head are an
/// incomplete message, or wait for room in the index: nobody sees them.
public final class BroadcastLog {
    private var memory: MirroredMemory
    private var index: FrameIndex
    private let framing: Framing
    private let limit: Int
    private let skipsOversize: Bool
    private let answers: Answers?
    /// Half of the ring, or a little less: the beginning of the longest message leaves more than this to those before it,
    /// so that somebody is always more than half behind when the ring is full.
    private let half: Int
    private var decoder: Decoder
    private var received: UInt64 = 0
    /// Whole messages may stand after the head, for the index was full.
    public private(set) var hasUndecoded = false
    /// Answers to heartbeats that have become whole so far.
    public private(set) var answerCount: UInt64 = 0
    /// The oldest byte that somebody may still need.
    public private(set) var tail: UInt64 = 0

    /// - Parameters:
    ///   - memory: The ring.
    ///   - framing: How the received bytes are divided.
    ///   - limit: The most payload bytes of one message: at most half of the ring.
    ///   - skipsOversize: Whether a longer message is passed over, and no fault.
    ///   - answers: Messages that are looked for; `nil` costs nothing.
    ///   - maximumFrames: How many messages are kept at the most: a power of two.
    public init(
        memory: consuming MirroredMemory, framing: Framing, limit: Int, skipsOversize: Bool = false,
        answers: Answers? = nil, maximumFrames: Int
    ) {
        precondition(limit <= memory.size / 2, "a message of \(limit) bytes in a ring of \(memory.size)")
        half = min(memory.size / 2, memory.size - limit - framing.overhead(of: limit))
        self.memory = memory
        self.framing = framing
        self.limit = limit
        self.skipsOversize = skipsOversize
        self.answers = answers
        decoder = Decoder(framing, limit: limit, skipsOversize: skipsOversize)
        index = FrameIndex(capacity: maximumFrames)
    }

    /// The most bytes that a log keeps beside its ring.
    ///
    /// - Parameters:
    ///   - maximumFrames: How many messages are kept at the most.
    ///   - maySkip: Whether anything may be passed over.
    /// - Returns: The size of the index, and of what tells what is not for everyone.
    public static func indexBytes(maximumFrames: Int, maySkip: Bool) -> Int {
        FrameIndex.bytes(capacity: maximumFrames) + (maySkip ? Holes.bytes(entries: maximumFrames) : 0)
    }

    /// Position after the last whole message.
    public var head: UInt64 { index.head }

    /// Whole messages that have become visible so far.
    public var messages: UInt64 { index.count - index.skipped }

    /// Messages that were too long and passed over so far.
    public var oversize: Skipped { index.oversize }
    /// Messages that were damaged and passed over so far.
    public var damaged: Skipped { index.damaged }
    /// What has come so far and was in no message.
    public var between: Skipped { index.between }

    /// How many bytes can be received now: 0 when the ring or the index is full.
    public var space: Int { hasUndecoded ? 0 : memory.size - kept }

    /// Bytes that are kept, those of an incomplete message among them.
    public var kept: Int { Int(received - tail) }

    // MARK: The writer

    /// Lends the place where the next bytes go: at most `limit` bytes, no more than `space`.
    public func withFreeSpace<R, E: Error>(
        atMost limit: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try memory.withMutableBytes(received..<received + UInt64(min(space, limit)), body)
    }

    /// `count` bytes were written to the free space: the head moves past each message that became whole.
    ///
    /// - Returns: How many messages and skipped ranges that were.
    /// - Throws: `FramingError` after the messages before the fault became visible: the connection must be closed.
    public func received(_ count: Int) throws(FramingError) -> Int {
        received += UInt64(count)
        return try decode()
    }

    /// Whether messages wait for room in the index, and there is some by now.
    public var canResume: Bool { hasUndecoded && (index.free > 0 || index.end(of: index.first) <= tail) }

    /// Decodes what had to wait for room in the index.
    ///
    /// - Returns: How many messages became visible, or were skipped.
    public func resume() throws(FramingError) -> Int { try decode() }

    private func decode() throws(FramingError) -> Int {
        hasUndecoded = false
        if index.free <= index.capacity / 2 { index.release(before: tail) }
        let room = index.free
        let count = try memory.withBytes(head..<received) { bytes throws(FramingError) in
            guard let answers else { return try decoder.decode(bytes, atMost: room, into: &index) }
            return try decode(bytes, atMost: room, finding: answers)
        }
        hasUndecoded = count == room
        return count
    }

    private func decode(
        _ bytes: Span<UInt8>, atMost room: Int, finding answers: Answers
    ) throws(FramingError) -> Int {
        try unsafe withUnsafeMutablePointer(to: &index) { index throws(FramingError) in
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(FramingError) in
                var sink = unsafe AnswerSink(into: index, buffer, answers)
                defer { answerCount += sink.count }
                return try decoder.decode(bytes, atMost: room, into: &sink)
            }
        }
    }

    /// The connection was lost: what is incomplete is thrown away, and a new decoder made.
    ///
    /// - Returns: How many bytes were thrown away.
    public func connectionLost() -> Int {
        defer {
            received = head
            hasUndecoded = false
        }
        decoder = Decoder(framing, limit: limit, skipsOversize: skipsOversize)
        return Int(received - head)
    }

    // MARK: Readers

    /// A place at the head: the next message is the first.
    public func newCursor() -> Cursor { Cursor(position: head) }

    /// Lends what stands at the cursor for this reader, in one contiguous run: up to the head, or to the next bytes that
    /// are not for it. The cursor is moved past such bytes first.
    ///
    /// - Returns: What `body` returned; `nil`, without calling it, when nothing is there.
    public func withRun<R, E: Error>(
        at cursor: inout Cursor, for reader: Recipient, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R? {
        let run = index.holes.run(in: cursor.position..<head, for: reader)
        cursor.position = run.lowerBound
        return run.isEmpty ? nil : try memory.withBytes(run, body)
    }

    /// The reader has taken `count` bytes of the run.
    public func advance(_ cursor: inout Cursor, by count: Int) {
        cursor.position += UInt64(count)
        precondition(cursor.position <= head, "a cursor past the head")
    }

    /// What stands between the cursor and the head for this reader, a message of which the cursor is in the middle among
    /// it.
    public func unsent(at cursor: Cursor, for reader: Recipient) -> (messages: Int, bytes: Int) {
        let rest = index.rest(at: cursor.position, for: reader)
        let whole = index.frames(from: rest.upperBound, for: reader)
        return (whole.count + (rest.isEmpty ? 0 : 1), whole.bytes + rest.count)
    }

    /// Moves the cursor to the head: the reader misses the messages in between.
    ///
    /// - Returns: The rest of the message that it has had the beginning of, and what it misses, which that message is no
    ///   part of.
    public func skipToHead(
        _ cursor: inout Cursor, for reader: Recipient
    ) -> (rest: [UInt8], messages: Int, bytes: Int) {
        let rest = index.rest(at: cursor.position, for: reader)
        let missed = index.frames(from: rest.upperBound, for: reader)
        cursor.position = head
        let copy = memory.withBytes(rest) { unsafe $0.withUnsafeBufferPointer { unsafe [UInt8]($0) } }
        return (copy, missed.count, missed.bytes)
    }

    /// Nobody needs what is before `position` any more.
    public func release(before position: UInt64) { tail = position }

    /// Whether more than half of the ring, or of the index, lies between the cursor and the head: so it is for the slowest
    /// reader whenever `space` is 0 and nothing can be resumed.
    public func isMoreThanHalfBehind(_ cursor: Cursor) -> Bool {
        if Int(head - cursor.position) > half { return true }
        let half = index.capacity / 2
        return index.kept > half && index.end(of: index.count - UInt64(half) - 1) > cursor.position
    }
}
