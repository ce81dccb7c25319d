public import Framing
public import Memory

/// The ring of messages that were received from the upstream: bytes go in, a decoder finds the frames.
public final class BroadcastLog: FrameLog {
    private let framing: Framing
    private let answers: Answers?
    /// What each connection begins with.
    private let newDecoder: Decoder
    private var decoder: Decoder
    /// Where payloads are put together that are spelt otherwise in the stream, to find answers.
    private var scratch: [UInt8] = []
    /// Whole messages may stand after the head, for the index was full.
    public private(set) var hasUndecoded = false
    /// Answers to heartbeats that have become whole so far.
    public private(set) var answerCount: UInt64 = 0

    /// - Parameters:
    ///   - memory: The ring.
    ///   - framing: How the received bytes are divided.
    ///   - limit: The most payload bytes of one message: at most half of the ring.
    ///   - skipsOversize: Whether a longer message is passed over, and no fault.
    ///   - discardsFirst: Whether the first message of each connection is, which may be the rest of one.
    ///   - answers: Messages that are looked for; `nil` costs nothing.
    ///   - maximumFrames: How many messages are kept at the most: a power of two.
    public init(
        memory: consuming MirroredMemory, framing: Framing, limit: Int, skipsOversize: Bool = false,
        discardsFirst: Bool = false, answers: Answers? = nil, maximumFrames: Int
    ) {
        self.framing = framing
        self.answers = answers
        newDecoder = Decoder(
            framing, limit: limit, skipsOversize: skipsOversize, discardsFirst: discardsFirst)
        decoder = newDecoder
        super.init(
            memory: memory, longestFrame: framing.longestFrame(of: limit), limit: limit,
            maximumFrames: maximumFrames)
    }

    /// Messages that were too long and passed over so far.
    public var oversize: Skipped { index.oversize }
    /// Messages that were damaged and passed over so far.
    public var damaged: Skipped { index.damaged }
    /// What has come so far and was in no message.
    public var between: Skipped { index.between }
    /// First messages of connections that were passed over so far.
    public var first: Skipped { index.firsts }

    /// How many bytes can be received now: 0 when the ring or the index is full.
    public var space: Int { hasUndecoded ? 0 : memory.size - kept }

    /// Lends the place where the next bytes go: at most `limit` bytes, no more than `space`.
    public func withFreeSpace<R, E: Error>(
        atMost limit: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try memory.withMutableBytes(end..<end + UInt64(min(space, limit)), body)
    }

    /// `count` bytes were written to the free space: the head moves past each message that became whole.
    ///
    /// - Returns: How many messages and skipped ranges that were.
    /// - Throws: `FramingError` after the messages before the fault became visible: the connection must be closed.
    public func received(_ count: Int) throws(FramingError) -> Int {
        end += UInt64(count)
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
        let room = indexRoom
        let count = try memory.withBytes(head..<end) { bytes throws(FramingError) in
            guard let answers else { return try decoder.decode(bytes, atMost: room, into: &index) }
            return try decode(bytes, atMost: room, finding: answers)
        }
        hasUndecoded = count == room
        return count
    }

    private func decode(
        _ bytes: Span<UInt8>, atMost room: Int, finding answers: Answers
    ) throws(FramingError) -> Int {
        try withSink(for: answers, in: bytes) { sink throws(FramingError) in
            try decoder.decode(bytes, atMost: room, into: &sink)
        }
    }

    private func withSink<R, E: Error>(
        for answers: Answers, in bytes: Span<UInt8>, _ body: (inout AnswerSink) throws(E) -> R
    ) throws(E) -> R {
        let framing = framing
        return try unsafe withUnsafeMutablePointer(to: &index) { index throws(E) in
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(E) in
                var sink = unsafe AnswerSink(into: index, buffer, answers, framing)
                swap(&sink.scratch, &scratch)
                defer {
                    answerCount += sink.count
                    swap(&sink.scratch, &scratch)
                }
                return try body(&sink)
            }
        }
    }

    /// The stream has come to a boundary that is not in its bytes, and all that was received has been decoded: what is
    /// there of a message is one, in framings that have such boundaries.
    ///
    /// - Returns: How many messages became visible.
    public func finish() -> Int {
        precondition(!hasUndecoded, "a boundary behind what is not decoded")
        return memory.withBytes(head..<end) { bytes in
            guard let answers else { return decoder.finish(bytes, into: &index) ? 1 : 0 }
            return withSink(for: answers, in: bytes) { decoder.finish(bytes, into: &$0) ? 1 : 0 }
        }
    }

    /// The connection was lost: what is incomplete is thrown away, and a new decoder made.
    ///
    /// - Returns: How many bytes were thrown away.
    public func connectionLost() -> Int {
        defer {
            end = head
            hasUndecoded = false
        }
        decoder = newDecoder
        return memory.withBytes(head..<end) { framing.unfinished($0) }
    }
}
