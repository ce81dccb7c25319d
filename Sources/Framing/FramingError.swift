/// Why a stream can no longer be divided into messages. The caller must close it.
public enum FramingError: Error, Equatable, Sendable {
    /// A payload is longer than `limit` bytes, which was known before it was stored.
    case tooLong(limit: Int)
    /// A length field counts so many bytes, 2⁶³ or more, that what stands there cannot be a length.
    case impossibleLength(UInt64)
    /// What stands there cannot be in a stream of this framing.
    case malformed(Malformation)
}

/// What is wrong with a stream, beside lengths that are too great.
public enum Malformation: Equatable, Sendable {
    /// A length that does not even count what stands before its end, or what is to be stripped.
    case lengthTooSmall(UInt64)
    /// A length in groups of seven bits takes more bytes than this.
    case varintTooLong(Int)
}

extension FramingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "a message is longer than max-message (\(limit) bytes)"
        case .impossibleLength(let length): "no message is \(length) bytes long: what was read is no length"
        case .malformed(let malformation): "\(malformation)"
        }
    }
}

extension Malformation: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lengthTooSmall(let length):
            "a length of \(length) does not even count what comes before the message's payload"
        case .varintTooLong(let bytes): "a length takes more than \(bytes) bytes, or more than 64 bits"
        }
    }
}
