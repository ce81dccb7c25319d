public import Framing
public import Memory

/// The messages of another log in another framing, each encoded once for all who read it here. It reads that log like
/// any other reader, as far as its own ring has room.
public final class TranslatedLog: FrameLog {
    private let source: FrameLog
    private let sourceFraming: Framing
    public let framing: Framing
    /// Its place in the source.
    public private(set) var place: Cursor
    /// Whether those who read here are to have nothing that follows a message that could not be carried.
    public let stopsAtLoss: Bool
    /// Where a payload is put together that is spelt otherwise in the source.
    private var scratch: [UInt8] = []
    /// What this framing could not carry since it was last taken.
    private var losses = UnrepresentableMessages()

    /// - Parameters:
    ///   - source: The log that it reads, which must be released no further than `place`.
    ///   - sourceFraming: How the source is divided.
    ///   - memory: The ring.
    ///   - framing: How the messages are framed here; it is reversible.
    ///   - stopsAtLoss: Whether those who read here are to have nothing that follows a message that cannot be carried.
    ///   - limit: The most payload bytes of one message: at most half of the ring.
    ///   - maximumFrames: How many messages are kept at the most: a power of two.
    public init(
        of source: FrameLog, in sourceFraming: Framing, memory: consuming MirroredMemory, framing: Framing,
        stopsAtLoss: Bool = false, limit: Int, maximumFrames: Int
    ) {
        precondition(framing.isReversible, "a framing that cannot be written")
        self.source = source
        self.sourceFraming = sourceFraming
        self.framing = framing
        self.stopsAtLoss = stopsAtLoss
        place = source.newCursor()
        super.init(
            memory: memory, longestFrame: framing.longestFrame(of: limit), limit: limit,
            maximumFrames: maximumFrames)
    }

    /// Whether everything in the source has been translated.
    public var isUpToDate: Bool { place.position == source.head }

    /// What is not translated yet.
    public var untranslated: (messages: Int, bytes: Int) { source.unsent(at: place, for: .everyone) }

    /// Nobody reads here: what is in the source is not wanted.
    public func skipSource() { place = source.newCursor() }

    /// What could not be carried since the last call.
    public func takeLosses() -> UnrepresentableMessages {
        defer { losses = UnrepresentableMessages() }
        return losses
    }

    /// Whether its readers hold it up: there is more, and no room for it.
    public var isStuck: Bool { readerCount > 0 && !isUpToDate && !canGoOn }

    /// Whether something can be translated now.
    public var canGoOn: Bool {
        let number = source.index.firstEntry(endingAfter: place.position)
        guard number < source.index.count else { return false }
        guard source.index.entry(number).recipient != .nobody else { return true }
        let size = source.index.frame(number).payload.count
        return memory.size - kept >= framing.longestFrame(of: size) && indexRoom > 0
    }

    /// Translates what there is room for, or up to a message that cannot be carried, with `stopsAtLoss`.
    ///
    /// - Parameter limit: How many bytes of the source are enough for now.
    public func translate(atMost limit: Int) {
        makeIndexRoom()
        let range = place.position..<place.position + UInt64(limit)
        // Each of these is looked up once, and not for each message.
        place.position = pass(
            range, of: source.index, source.memory, tail: tail, into: &memory, &index, &scratch, &losses)
        end = head
    }

    /// - Returns: How far it went.
    private func pass(
        _ range: Range<UInt64>, of source: borrowing FrameIndex, _ bytes: borrowing MirroredMemory,
        tail: UInt64, into memory: inout MirroredMemory, _ index: inout FrameIndex, _ scratch: inout [UInt8],
        _ losses: inout UnrepresentableMessages
    ) -> UInt64 {
        var position = range.lowerBound
        var number = source.firstEntry(endingAfter: position)
        while number < source.count, position < range.upperBound {
            let end = source.end(of: number)
            if source.entry(number).recipient != .nobody {
                let frame = source.frame(number)
                let room = memory.size - Int(index.head - tail)
                guard index.free > 0, room >= framing.longestFrame(of: frame.payload.count) else { break }
                bytes.withBytes(end - UInt64(frame.length)..<end) { bytes in
                    sourceFraming.withPayload(of: frame, in: bytes, scratch: &scratch) { payload in
                        do throws(UnrepresentableError) {
                            index.append(try memory.encode(payload, in: framing, at: index.head))
                        } catch {
                            losses.add(error, bytes: payload.count)
                        }
                    }
                }
            }
            position = end
            number += 1
            if stopsAtLoss && !losses.isEmpty { break }
        }
        return position
    }
}

extension MirroredMemory {
    /// Writes a frame that carries `payload` from `position` on, where there is room for the longest.
    mutating func encode(
        _ payload: Span<UInt8>, in framing: Framing, at position: UInt64
    ) throws(UnrepresentableError) -> Frame {
        let longest = framing.longestFrame(of: payload.count)
        return try withMutableBytes(position..<position + UInt64(longest)) {
            room throws(UnrepresentableError) in
            try unsafe room.withUnsafeMutableBufferPointer { buffer throws(UnrepresentableError) in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                let frame = try framing.encode(payload, into: &output)
                _ = unsafe output.finalize(for: buffer)
                return frame
            }
        }
    }
}
