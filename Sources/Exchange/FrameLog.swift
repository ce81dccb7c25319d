import Memory

/// A ring of frames that many readers read from: one log, many cursors. What fills it is a subclass's affair.
///
/// Positions are absolute byte offsets; `tail` ≤ every cursor ≤ `head` ≤ `end`. Bytes after the head are no frame yet:
/// nobody sees them.
public class FrameLog {
    final var memory: MirroredMemory
    final var index: FrameIndex
    /// One past the last byte that was written.
    final var end: UInt64 = 0
    /// Half of the ring, or a little less: the beginning of the longest message leaves more than this to those before it,
    /// so that somebody is always more than half behind when the ring is full.
    private final let half: Int
    /// The oldest byte that somebody may still need.
    public private(set) final var tail: UInt64 = 0
    /// How many read here.
    public final var readerCount = 0
    /// What the readers need that `need` was called for.
    private final var needed: UInt64 = 0

    /// - Parameters:
    ///   - memory: The ring.
    ///   - longestFrame: The most bytes of one frame, whose payload has at most `limit`.
    ///   - limit: The most payload bytes of one message: at most half of the ring.
    ///   - maximumFrames: How many messages are kept at the most: a power of two.
    init(memory: consuming MirroredMemory, longestFrame: Int, limit: Int, maximumFrames: Int) {
        precondition(limit <= memory.size / 2, "a message of \(limit) bytes in a ring of \(memory.size)")
        half = min(memory.size / 2, memory.size - longestFrame)
        self.memory = memory
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
    public final var head: UInt64 { index.head }

    /// Whole messages that have become visible so far.
    public final var messages: UInt64 { index.count - index.skipped }

    /// Bytes that are kept, those of an incomplete message among them.
    public final var kept: Int { Int(end - tail) }

    /// How many messages fit into the index.
    final var indexRoom: Int {
        makeIndexRoom()
        return index.free
    }

    /// Lets go of what nobody needs in the index, once half of it is in use.
    final func makeIndexRoom() {
        if index.free <= index.capacity / 2 { index.release(before: tail) }
    }

    // MARK: Readers

    /// A place at the head: the next message is the first.
    public final func newCursor() -> Cursor { Cursor(position: head) }

    /// Lends what stands at the cursor for this reader, in one contiguous run: up to the head, or to the next bytes that
    /// are not for it. The cursor is moved past such bytes first.
    ///
    /// - Returns: What `body` returned; `nil`, without calling it, when nothing is there.
    public final func withRun<R, E: Error>(
        at cursor: inout Cursor, for reader: Recipient, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R? {
        let run = index.holes.run(in: cursor.position..<head, for: reader)
        cursor.position = run.lowerBound
        return run.isEmpty ? nil : try memory.withBytes(run, body)
    }

    /// The reader has taken `count` bytes of the run.
    public final func advance(_ cursor: inout Cursor, by count: Int) {
        cursor.position += UInt64(count)
        precondition(cursor.position <= head, "a cursor past the head")
    }

    /// What stands between the cursor and the head for this reader, a message of which the cursor is in the middle among
    /// it.
    public final func unsent(at cursor: Cursor, for reader: Recipient) -> (messages: Int, bytes: Int) {
        let rest = index.rest(at: cursor.position, for: reader)
        let whole = index.frames(from: rest.upperBound, for: reader)
        return (whole.count + (rest.isEmpty ? 0 : 1), whole.bytes + rest.count)
    }

    /// Moves the cursor to the head: the reader misses the messages in between.
    ///
    /// - Returns: The rest of the message that it has had the beginning of, and what it misses, which that message is no
    ///   part of.
    public final func skipToHead(
        _ cursor: inout Cursor, for reader: Recipient
    ) -> (rest: [UInt8], messages: Int, bytes: Int) {
        let rest = index.rest(at: cursor.position, for: reader)
        let missed = index.frames(from: rest.upperBound, for: reader)
        cursor.position = head
        let copy = memory.withBytes(rest) { unsafe $0.withUnsafeBufferPointer { unsafe [UInt8]($0) } }
        return (copy, missed.count, missed.bytes)
    }

    /// Nobody needs what is before `position` any more.
    public final func release(before position: UInt64) { tail = position }

    /// Begins to ask the readers what they need.
    public final func beginRelease() { needed = head }

    /// A reader needs what follows the cursor.
    public final func need(_ cursor: Cursor) { needed = min(needed, cursor.position) }

    /// No reader needs anything else.
    public final func endRelease() { release(before: needed) }

    /// Whether more than half of the ring, or of the index, lies between the cursor and the head: so it is for the slowest
    /// reader whenever `space` is 0 and nothing can be resumed.
    public final func isMoreThanHalfBehind(_ cursor: Cursor) -> Bool {
        if Int(head - cursor.position) > half { return true }
        let half = index.capacity / 2
        return index.kept > half && index.end(of: index.count - UInt64(half) - 1) > cursor.position
    }
}
