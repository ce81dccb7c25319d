extension Framing {
    /// Whether a payload is spelt otherwise in the stream, so that `Frame.payload` is not the payload itself.
    public var hasEscapes: Bool {
        switch self {
        case .line(_, let escapes): escapes
        case .slip, .cobs, .beast: true
        case .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .block, .json,
            .untilClose, .idle, .unframed:
            false
        }
    }

    /// Lends the payload of a frame.
    ///
    /// - Parameters:
    ///   - frame: What a decoder of this framing has found.
    ///   - bytes: The frame's bytes.
    ///   - scratch: Where the payload is put together, if it is spelt otherwise in the stream; what it held is lost.
    ///   - body: Is lent the payload.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws.
    @inlinable
    public func withPayload<R, E: Error>(
        of frame: Frame, in bytes: Span<UInt8>, scratch: inout [UInt8], _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let spelt = bytes.extracting(frame.payload)
        guard hasEscapes else { return try body(spelt) }
        scratch.removeAll(keepingCapacity: true)
        unescape(spelt, into: &scratch)
        return try body(scratch.span)
    }

    /// Appends the payload of a frame to `output`.
    ///
    /// - Parameters:
    ///   - frame: What a decoder of this framing has found.
    ///   - bytes: The frame's bytes.
    ///   - output: Where it goes.
    public func appendPayload(of frame: Frame, in bytes: Span<UInt8>, to output: inout [UInt8]) {
        let spelt = bytes.extracting(frame.payload)
        if hasEscapes { unescape(spelt, into: &output) } else { output.append(spelt) }
    }

    /// Appends the beginning of a payload to `output`: at least `count` bytes, if it has so many, and not many more.
    ///
    /// - Parameters:
    ///   - spelt: The payload as it stands in the stream, in a framing that has escapes.
    ///   - count: How much of it is wanted.
    ///   - output: Where it goes.
    public func appendBeginning(of spelt: Span<UInt8>, atLeast count: Int, to output: inout [UInt8]) {
        // No byte takes more than two, and COBS has one more at the start.
        unescape(spelt.extracting(first: min(spelt.count, 2 * count + 1)), into: &output)
    }

    @usableFromInline
    func unescape(_ bytes: Span<UInt8>, into payload: inout [UInt8]) {
        switch self {
        case .line(_, escapes: true): LineEscapes.decode(bytes, into: &payload)
        case .slip: Slip.decode(bytes, into: &payload)
        case .cobs: Cobs.decode(bytes, into: &payload)
        case .beast: Beast.decode(bytes, into: &payload)
        case .line, .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .block, .json,
            .untilClose, .idle, .unframed:
            payload.append(bytes)
        }
    }
}
