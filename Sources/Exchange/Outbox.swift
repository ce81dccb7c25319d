public import Framing
public import Memory

/// The ring of whole frames from clients to the upstream, its one reader.
///
/// Only whole frames enter it; what a client has begun and not finished waits in that client's `Inlet`. A frame is kept
/// until it was wholly sent, so that a connection's loss never tears one.
public final class Outbox {
    var memory: MirroredMemory
    var index: FrameIndex
    /// The next byte to send.
    private var position: UInt64 = 0
    /// What others leave free in this round of reading, and in the next: the room that somebody needs who was refused. A
    /// translation needs room for a whole message, others take each byte that becomes free.
    private var reservation = (current: 0, next: 0)
    /// Start of the oldest frame that was not wholly sent.
    private var tail: UInt64 = 0

    /// - Parameters:
    ///   - memory: The ring: at least twice the longest frame.
    ///   - maximumFrames: How many frames it holds at the most: a power of two.
    public init(memory: consuming MirroredMemory, maximumFrames: Int) {
        self.memory = memory
        index = FrameIndex(capacity: maximumFrames)
    }

    /// The most bytes that an outbox keeps beside its ring.
    ///
    /// - Parameters:
    ///   - maximumFrames: How many frames it holds at the most.
    ///   - maySkip: Whether anything of what clients send may be passed over.
    /// - Returns: The size of the index, and of what tells what is not sent.
    public static func indexBytes(maximumFrames: Int, maySkip: Bool) -> Int {
        FrameIndex.bytes(capacity: maximumFrames) + (maySkip ? Holes.bytes(entries: maximumFrames) : 0)
    }

    private var head: UInt64 { index.head }
    var space: Int { memory.size - Int(head - tail) }

    /// Whether everything was sent.
    public var isEmpty: Bool { position == head }
    /// Frames that were not wholly sent.
    public var pendingFrames: Int { index.frames(from: tail, for: .everyone).count }
    /// Bytes that were not sent.
    public var pendingBytes: Int { index.frames(from: position, for: .everyone).bytes }

    /// Bytes that were sent of a frame that was not wholly sent.
    public var bytesOfUnfinished: Int { Int(position - tail) }

    /// Damaged messages of clients that were passed over so far.
    public var damaged: Skipped { index.damaged }
    /// What clients have sent so far that was in no message.
    public var between: Skipped { index.between }

    // MARK: Clients

    func reserve(_ room: Int) { reservation.next = room }

    /// All clients are about to be read from, once each.
    public func beginRound() { reservation = (reservation.next, 0) }

    /// Lends the place where the next bytes of a client go.
    ///
    /// - Returns: What `body` returned; `nil`, without calling it, when there is no room for what the client sends.
    public func withFreeSpace<R, E: Error>(
        for inlet: Inlet, atMost limit: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R? {
        if let translator = inlet.translator {
            guard !inlet.hasUndecoded, roomForFrames(of: inlet) > 0 else {
                reserve(inlet.longestTranslated)
                return nil
            }
            guard !inlet.isLong else { return try inlet.withSpare(atMost: limit, body) }
            return try translator.withSpare(behind: inlet, atMost: limit, body)
        }
        // Each byte may end a frame.
        let reserved = reservation.current
        let room = min(limit, space - inlet.count - reserved, index.free - (reserved > 0 ? 1 : 0))
        guard room > 0 else { return nil }
        if inlet.isLong { return try inlet.withSpare(atMost: room, body) }
        let head = head
        inlet.withBytes { memory.copy($0, to: head) }
        let start = head + UInt64(inlet.count)
        return try memory.withMutableBytes(start..<start + UInt64(room), body)
    }

    /// `count` bytes of a client were written to its place: each frame that became whole will go up.
    ///
    /// - Returns: How many frames that were.
    /// - Throws: `FramingError` after the frames before the fault were taken: the client must be disconnected. What it sent
    ///   after them is left in the inlet.
    public func received(_ count: Int, from inlet: Inlet) throws(FramingError) -> Int {
        if let translator = inlet.translator {
            return try received(count, from: inlet, translatedBy: translator)
        }
        return inlet.isLong
            ? try receivedInOwnBuffer(count, from: inlet) : try receivedInRing(count, from: inlet)
    }

    private func receivedInRing(_ count: Int, from inlet: Inlet) throws(FramingError) -> Int {
        let start = head
        let end = start + UInt64(inlet.count + count)
        defer {
            // Also after a fault: what is left is what will be thrown away.
            if head > start { inlet.removeAll() }
            memory.withBytes(head + UInt64(inlet.count)..<end) { inlet.append($0) }
        }
        return try memory.withBytes(start..<end) { bytes throws(FramingError) in
            try decode(bytes, of: inlet)
        }
    }

    private func receivedInOwnBuffer(_ count: Int, from inlet: Inlet) throws(FramingError) -> Int {
        inlet.received(count)
        let start = head
        defer {
            let whole = Int(head - start)
            inlet.withBytes { memory.copy($0.extracting(first: whole), to: start) }
            inlet.removeFirst(whole)
        }
        return try inlet.withBytes { bytes throws(FramingError) in try decode(bytes, of: inlet) }
    }

    private func decode(_ bytes: Span<UInt8>, of inlet: Inlet) throws(FramingError) -> Int {
        let before = index.count - index.skipped
        let room = index.free
        defer { passSkipped() }
        _ = try inlet.decoder.decode(bytes, atMost: room, into: &index)
        return Int(index.count - index.skipped - before)
    }

    /// What clients sent and no message holds is not sent, and needs no room once its turn has come.
    private func passSkipped() {
        guard index.holes.count > 0 else { return }
        let run = index.holes.run(in: position..<head, for: .everyone)
        guard run.lowerBound > position else { return }
        // A hole is not in the middle of a frame.
        position = run.lowerBound
        tail = position
        index.release(before: position)
    }

    // MARK: The upstream

    /// Lends everything that waits to be sent, in one contiguous run.
    public func withPending<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try memory.withBytes(index.holes.run(in: position..<head, for: .everyone), body)
    }

    /// No frame has been sent in part.
    public var isBetweenFrames: Bool { position == tail }

    /// Lends what is left of the frame that has been sent in part.
    public func withUnfinished<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try memory.withBytes(position..<(isBetweenFrames ? position : index.end(of: index.first)), body)
    }

    /// `count` bytes were sent.
    ///
    /// - Returns: How many frames were thereby wholly sent.
    public func sent(_ count: Int) -> Int {
        let before = index.first
        position += UInt64(count)
        precondition(position <= head, "more was sent than there was")
        // What is skipped was passed before: all that was sent is whole frames, and a part of one.
        let next = index.firstEntry(endingAfter: position)
        if next > before { tail = index.end(of: next - 1) }
        index.release(before: position)
        passSkipped()
        return Int(next - before)
    }

    /// The connection was lost: a frame that was half sent will be sent again whole.
    public func connectionLost() { position = tail }

    /// Forgets every frame, while no connection has been given a part of one.
    ///
    /// - Returns: How many frames and bytes that were.
    public func discard() -> (frames: Int, bytes: Int) {
        precondition(position == tail, "half of a frame was sent")
        let discarded = index.frames(from: tail, for: .everyone)
        position = head
        tail = head
        index.release(before: head)
        return (discarded.count, discarded.bytes)
    }
}
