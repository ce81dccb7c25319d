/// One message as it stands in a stream: `length` bytes, of which the payload is what header and trailer leave.
public struct Frame: Equatable, Sendable {
    /// Bytes in the stream, header and trailer among them.
    public var length: UInt32
    /// Framing bytes before the payload.
    public var header: UInt16
    /// Framing bytes after the payload.
    public var trailer: UInt16

    @inlinable
    public init(length: Int, header: Int = 0, trailer: Int = 0) {
        self.length = UInt32(length)
        self.header = UInt16(header)
        self.trailer = UInt16(trailer)
    }

    /// Where the payload stands, counted from the frame's first byte.
    public var payload: Range<Int> { Int(header)..<Int(length) - Int(trailer) }
}

/// Takes what a decoder finds, in order. Every byte is in a frame, skipped, or not yet decided.
public protocol FrameSink: ~Copyable {
    /// A whole frame starts where the previous frame or skipped range ended.
    mutating func append(_ frame: Frame)
    /// The next `count` bytes belong to a message that is too long: to a new one that begins there, or to the one of which
    /// bytes were skipped before. `count` is not 0.
    mutating func skip(_ count: Int, isBeginning: Bool)
}

/// Why a stream can no longer be divided into messages. The caller must close it.
public enum FramingError: Error, Equatable, Sendable {
    /// A payload is longer than `limit` bytes, which was known before it was stored.
    case tooLong(limit: Int)
    /// A length field counts so many bytes, 2⁶³ or more, that what stands there cannot be a length.
    case impossibleLength(UInt64)
}

extension FramingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "a message is longer than max-message (\(limit) bytes)"
        case .impossibleLength(let length): "no message is \(length) bytes long: what was read is no length"
        }
    }
}
