/// One message as it stands in a stream: `length` bytes, of which the payload is what header and trailer leave.
public struct Frame: Equatable, Sendable {
    /// Bytes in the stream, header and trailer among them.
    public var length: UInt32
    /// Framing bytes before the payload.
    public var header: UInt16
    /// Framing bytes after the payload.
    public var trailer: UInt16

    /// The most bytes of a payload: a ring has no more, and `length` has room for every framing of it.
    static let longestPayload = 1 << 30

    @inlinable
    public init(length: Int, header: Int = 0, trailer: Int = 0) {
        self.length = UInt32(length)
        self.header = UInt16(header)
        self.trailer = UInt16(trailer)
    }

    /// For what is known to be within the limits, as `longestPayload` and a header of a few bytes are.
    @inlinable @inline(__always)
    init(uncheckedLength length: Int, header: Int) {
        self.length = UInt32(truncatingIfNeeded: length)
        self.header = UInt16(truncatingIfNeeded: header)
        trailer = 0
    }

    /// Where the payload stands, counted from the frame's first byte; as the framing spells it, where it has escapes.
    public var payload: Range<Int> { Int(header)..<Int(length) - Int(trailer) }
}

/// Takes what a decoder finds, in order. Every byte is in a frame, skipped, or not yet decided.
public protocol FrameSink: ~Copyable {
    /// A whole frame starts where the previous frame or skipped range ended.
    mutating func append(_ frame: Frame)
    /// The next `count` bytes, at least one, belong to no message that is to be kept.
    mutating func skip(_ count: Int, _ reason: SkipReason)
}

/// Why bytes of a stream are passed over.
public enum SkipReason: Equatable, Sendable {
    /// They belong to a message that is too long: to a new one that begins there, or to the one of which bytes were
    /// skipped before.
    case oversize(isBeginning: Bool)
    /// They are a message that is damaged, all of it.
    case damaged
    /// They belong to no message, in a framing that allows for that.
    case between
    /// They belong to the first message of the stream, which is not wanted: they begin it, or go on with it.
    case first(isBeginning: Bool)
}
