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
    /// Where a length in decimal digits is due, there is none, or one with leading zeros.
    case noDecimalLength
    /// No comma follows a netstring.
    case noComma
    /// Header fields take more than so many bytes.
    case headerTooLong(Int)
    /// A line that is no header field.
    case noHeaderField
    /// Header fields with no `Content-Length`, with several, or with one that is no number.
    case noContentLength
    /// What stands where a JSON value is due is none.
    case noJSON
    /// A bracket of a JSON value closes one of the other kind.
    case otherBracket
    /// What escapes bytes does so in no way that there is. The message is passed over, and the next one is found.
    case escape
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
        case .noDecimalLength: "there is no length in decimal digits, without leading zeros, where one is due"
        case .noComma: "no comma follows the bytes that a netstring's length counts"
        case .headerTooLong(let limit): "the header fields of a message take more than \(limit) bytes"
        case .noHeaderField: "a line where header fields are due is none"
        case .noContentLength: "the header fields of a message do not tell its Content-Length, or not clearly"
        case .noJSON: "what stands where a JSON value is due is none"
        case .otherBracket: "a bracket of a JSON value closes one of the other kind"
        case .escape: "a message has an escape that does not exist"
        }
    }
}
