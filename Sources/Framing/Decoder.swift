/// Finds the messages in the bytes of one connection; made anew for each connection.
public struct Decoder: Sendable {
    @usableFromInline enum Kind: Sendable {
        case line(LineDecoder)
        case escapedLine(EscapedLineDecoder)
        case delimiter(DelimiterDecoder)
        case length(LengthDecoder)
        case varint(VarintDecoder)
        case fixed(FixedDecoder)
        case netstring(CountedDecoder)
        case octetCounted(CountedDecoder)
        case header(HeaderDecoder)
        case block(BlockDecoder)
        case slip(SlipDecoder)
        case cobs(CobsDecoder)
        case beast(BeastDecoder)
        case json(JSONDecoder)
        case whole(WholeDecoder)
        case unframed(UnframedDecoder)
    }
    @usableFromInline var kind: Kind
    @usableFromInline var oversize: PassingOver
    /// The first message is looked for, which is to be dropped whole.
    @usableFromInline var isFirstDue: Bool

    /// - Parameters:
    ///   - framing: How the stream is divided.
    ///   - limit: The most payload bytes of one message.
    ///   - skipsOversize: Whether a longer message is passed over, and no fault; only where the framing can. It is never
    ///     kept: its bytes are skipped as soon as they are there. A length of 2⁶³ or more is a fault all the same.
    ///   - discardsFirst: Whether the first message is skipped, as `Framing.beginning` says; only where that can be.
    public init(
        _ framing: Framing, limit: Int, skipsOversize: Bool = false, discardsFirst: Bool = false
    ) {
        precondition(limit <= Frame.longestPayload, "a message of \(limit) bytes")
        precondition(!skipsOversize || framing.canPassOver, "nothing tells where the next message begins")
        precondition(!discardsFirst || framing.beginning != .unknown, "nothing tells what is first")
        oversize = PassingOver(
            isSkipped: skipsOversize, passesFirst: discardsFirst && framing.beginning == .afterBoundary)
        isFirstDue = discardsFirst && framing.beginning == .afterMessage
        kind =
            switch framing {
            case .line(_, escapes: false): .line(LineDecoder(limit: limit))
            case .line(_, escapes: true): .escapedLine(EscapedLineDecoder(limit: limit))
            case .delimiter(let end): .delimiter(DelimiterDecoder(end: end, limit: limit))
            case .length(let field): .length(LengthDecoder(field, limit: limit))
            case .varint(let field): .varint(VarintDecoder(field, limit: limit))
            case .fixed(let size): .fixed(FixedDecoder(size: size, limit: limit))
            case .netstring: .netstring(CountedDecoder(.netstring, limit: limit))
            case .octetCounted: .octetCounted(CountedDecoder(.octets, limit: limit))
            case .header: .header(HeaderDecoder(limit: limit))
            case .block(let start, let end): .block(BlockDecoder(start: start, end: end, limit: limit))
            case .slip: .slip(SlipDecoder(limit: limit))
            case .cobs: .cobs(CobsDecoder(limit: limit))
            case .beast: .beast(BeastDecoder(limit: limit))
            case .json: .json(JSONDecoder(limit: limit))
            case .untilClose, .idle: .whole(WholeDecoder(limit: limit))
            case .unframed: .unframed(UnframedDecoder(limit: limit))
            }
    }

    /// Appends the whole frames at the start of `bytes` to `sink`, in order.
    ///
    /// The work is linear in the stream, however it is cut: bytes of an unfinished message are looked at once.
    ///
    /// Each range that is skipped is handed to the sink as well, and counts within `count`.
    ///
    /// - Parameters:
    ///   - bytes: Everything not yet consumed: what follows the last frame.
    ///   - count: The most frames and skipped ranges to hand to the sink, which has room for no more.
    ///   - sink: Takes the frames.
    /// - Returns: How many frames and skipped ranges the sink was given; `count` means that more may follow.
    /// - Throws: `FramingError` after the frames before the fault were appended.
    @inlinable
    public mutating func decode<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost count: Int, into sink: inout Sink
    ) throws(FramingError) -> Int {
        guard isFirstDue else { return try decodeRest(bytes, atMost: count, into: &sink) }
        return try decodeFirst(bytes, atMost: count, into: &sink)
    }

    @inlinable
    mutating func decodeRest<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost count: Int, into sink: inout Sink
    ) throws(FramingError) -> Int {
        switch kind {
        case .line(var decoder):
            defer { kind = .line(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .escapedLine(var decoder):
            defer { kind = .escapedLine(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .delimiter(var decoder):
            defer { kind = .delimiter(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .length(var decoder):
            defer { kind = .length(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .varint(var decoder):
            defer { kind = .varint(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .fixed(var decoder):
            defer { kind = .fixed(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .netstring(var decoder):
            defer { kind = .netstring(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .octetCounted(var decoder):
            defer { kind = .octetCounted(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .header(var decoder):
            defer { kind = .header(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .block(var decoder):
            defer { kind = .block(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .slip(var decoder):
            defer { kind = .slip(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .cobs(var decoder):
            defer { kind = .cobs(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .beast(var decoder):
            defer { kind = .beast(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .json(var decoder):
            defer { kind = .json(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .whole(var decoder):
            defer { kind = .whole(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .unframed(var decoder):
            defer { kind = .unframed(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        }
    }

    /// The stream has come to a boundary that is not in its bytes: it has paused for as long as the framing says, or it has
    /// ended in good order. What is there and no message yet is one now, where `Framing.boundary` says so.
    ///
    /// - Parameters:
    ///   - bytes: Everything not yet consumed, all of which `decode` was given.
    ///   - sink: Takes the frame.
    /// - Returns: Whether there was one.
    public mutating func finish<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, into sink: inout Sink
    ) -> Bool {
        guard case .whole = kind else { return false }
        let wasPassingOver = oversize.progress != .nothing
        oversize.end()
        guard !wasPassingOver, !bytes.isEmpty else { return false }
        sink.append(Frame(length: bytes.count))
        return true
    }
}
