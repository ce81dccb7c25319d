/// Finds the messages in the bytes of one connection; made anew for each connection.
public struct Decoder: Sendable {
    @usableFromInline enum Kind: Sendable {
        case line(LineDecoder)
        case delimiter(DelimiterDecoder)
        case length(LengthDecoder)
        case fixed(FixedDecoder)
    }
    @usableFromInline var kind: Kind

    /// - Parameters:
    ///   - framing: How the stream is divided.
    ///   - limit: The most payload bytes of one message.
    public init(_ framing: Framing, limit: Int) {
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
    /// - Parameters:
    ///   - bytes: Everything not yet consumed: what follows the last frame.
    ///   - count: The most frames and skipped ranges to hand to the sink, which has room for no more.
    ///   - sink: Takes the frames.
    /// - Returns: How many frames were appended; `count` means that more may follow.
    /// - Throws: `FramingError` after the frames before the fault were appended.
    @inlinable
    public mutating func decode<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost count: Int, into sink: inout Sink
    ) throws(FramingError) -> Int {
        switch kind {
        case .line(var decoder):
            defer { kind = .line(decoder) }
            return try decoder.decode(bytes, atMost: count, into: &sink)
        case .delimiter(var decoder):
            defer { kind = .delimiter(decoder) }
            return try decoder.decode(bytes, atMost: count, into: &sink)
        case .length(var decoder):
            defer { kind = .length(decoder) }
            return try decoder.decode(bytes, atMost: count, into: &sink)
        case .fixed(var decoder):
            defer { kind = .fixed(decoder) }
            return try decoder.decode(bytes, atMost: count, into: &sink)
        }
    }
}

/// Finds one frame at a time, and remembers how far it has looked.
@usableFromInline protocol FrameDecoder: Sendable {
    /// The frame at the start of `bytes`, which are all bytes not yet consumed; `nil` until more arrive.
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame?
}

extension FrameDecoder {
    @inlinable
    mutating func decode<Sink: FrameSink & ~Copyable>(
        _ bytes: Span<UInt8>, atMost limit: Int, into sink: inout Sink
    ) throws(FramingError) -> Int {
        var start = 0
        var count = 0
        while count < limit, let frame = try next(in: bytes.extracting(start...)) {
            sink.append(frame)
            start += Int(frame.length)
            count += 1
        }
        return count
    }
}
