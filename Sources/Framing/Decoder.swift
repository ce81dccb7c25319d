/// Finds the messages in the bytes of one connection; made anew for each connection.
public struct Decoder: Sendable {
    @usableFromInline enum Kind: Sendable {
        case line(LineDecoder)
        case delimiter(DelimiterDecoder)
        case length(LengthDecoder)
        case fixed(FixedDecoder)
    }
    @usableFromInline var kind: Kind
    @usableFromInline var oversize: Oversize

    /// - Parameters:
    ///   - framing: How the stream is divided.
    ///   - limit: The most payload bytes of one message.
    ///   - skipsOversize: Whether a longer message is passed over, and no fault. It is never kept: its bytes are skipped as
    ///     soon as they are there. A length of 2⁶³ or more is a fault all the same.
    public init(_ framing: Framing, limit: Int, skipsOversize: Bool = false) {
        oversize = Oversize(isSkipped: skipsOversize)
        kind =
            switch framing {
            case .line: .line(LineDecoder(limit: limit))
            case .delimiter(let end): .delimiter(DelimiterDecoder(end: end, limit: limit))
            case .length(let field): .length(LengthDecoder(field, limit: limit))
            case .fixed(let size): .fixed(FixedDecoder(size: size, limit: limit))
            }
    }

    /// Appends the whole frames at the start of `bytes` to `sink`, in order.
    ///
    /// The work is linear in the stream, however it is cut: bytes of an unfinished message are looked at once.
    ///
    /// A decoder that skips hands each skipped range to the sink as well, and counts it within `count`.
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
        switch kind {
        case .line(var decoder):
            defer { kind = .line(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .delimiter(var decoder):
            defer { kind = .delimiter(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .length(var decoder):
            defer { kind = .length(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        case .fixed(var decoder):
            defer { kind = .fixed(decoder) }
            return try decoder.decode(bytes, atMost: count, &oversize, into: &sink)
        }
    }
}

/// Finds one frame at a time, and remembers how far it has looked.
@usableFromInline protocol FrameDecoder: Sendable {
    /// The frame at the start of `bytes`, which are all bytes not yet consumed; `nil` until more arrive.
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame?

    /// The message at the start of `bytes`, which `next` has just found too long, is to be passed over.
    ///
    /// - Returns: Its length in the stream, if that is known.
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64?

    /// Decides how much there is of the message that is being passed over.
    ///
    /// - Parameters:
    ///   - bytes: All bytes not yet consumed.
    ///   - left: How many are to come, if that is known.
    /// - Returns: How many of the first of `bytes` belong to it, and whether it ends there. The rest is kept until more
    ///   bytes have arrived.
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool)
}

/// What becomes of a message that is too long, and how far that has got.
@usableFromInline struct Oversize: Sendable {
    @usableFromInline enum Progress: Sendable {
        case nothing
        /// None of its bytes was skipped yet.
        case begins
        case goesOn
    }
    @usableFromInline let isSkipped: Bool
    @usableFromInline var progress = Progress.nothing
    /// Bytes to come, if the message told its length. Not the decoder's own, whose fields the loop keeps in registers.
    @usableFromInline var left: UInt64?

    init(isSkipped: Bool) { self.isSkipped = isSkipped }
}

extension FrameDecoder {
    @inlinable
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? { nil }

    @inlinable
    mutating func decode<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost limit: Int, _ oversize: inout Oversize, into sink: inout Sink
    ) throws(FramingError) -> Int {
        var start = 0
        var count = 0
        while true {
            if oversize.progress != .nothing {
                guard count < limit else { return count }
                let (skipped, isOver) = passOver(bytes.extracting(start...), left: oversize.left)
                oversize.left = oversize.left.map { $0 - UInt64(skipped) }
                if skipped > 0 {
                    sink.skip(skipped, isBeginning: oversize.progress == .begins)
                    start += skipped
                    count += 1
                    oversize.progress = .goesOn
                }
                if isOver { oversize.progress = .nothing }
                guard isOver else { return count }
            }
            do throws(FramingError) {
                while count < limit, let frame = try next(in: bytes.extracting(start...)) {
                    sink.append(frame)
                    start += Int(frame.length)
                    count += 1
                }
                return count
            } catch {
                guard oversize.isSkipped else { throw error }
                oversize.left = try beginPassingOver(bytes.extracting(start...))
                oversize.progress = .begins
            }
        }
    }
}
