/// How a stream is divided into messages: the closed set that a configuration can name.
public enum Framing: Equatable, Sendable {
    /// Text lines. The payload is without the LF and without one CR before it; `ending` is what is written. With
    /// `escapes`, a line feed, a carriage return and a backslash in the payload are `\n`, `\r` and `\\` in the line.
    case line(ending: LineEnding = .lf, escapes: Bool = false)
    /// Any bytes, ended by `end` (1 to 16 bytes), which is not payload.
    case delimiter(end: [UInt8])
    /// A length in a field of a fixed size, and bytes that it counts.
    case length(LengthField)
    /// A length in groups of seven bits, and bytes that it counts.
    case varint(VarintField)
    /// Every message has `size` bytes, at least 1.
    case fixed(size: Int)
    /// A length in decimal digits, a colon, so many bytes of payload, and a comma.
    case netstring
    /// A length in decimal digits, a space, and so many bytes of payload, at least one (RFC 6587).
    case octetCounted
    /// Header fields, a `Content-Length` among them, an empty line, and so many bytes of payload.
    case header
    /// Any bytes between `start` and `end` (1 to 16 bytes each); what stands between blocks is skipped.
    case block(start: [UInt8], end: [UInt8])
    /// Packets between 0xC0, with escapes, none of them empty (RFC 1055).
    case slip
    /// Packets without zeros, each ended by a zero: Consistent Overhead Byte Stuffing.
    case cobs
    /// Messages of ADS-B receivers of the Beast kind, types 1 to 4.
    case beast
    /// JSON values (RFC 8259), with or without white space between them.
    case json
    /// Everything up to the end of a connection, if it ends in good order; another one is opened `every` so often.
    case untilClose(every: Duration)
    /// Everything up to a time of `gap` in which nothing comes.
    case idle(gap: Duration)
    /// Whatever each read brings.
    case unframed
}

/// How a line is ended that is written.
public enum LineEnding: String, Equatable, Sendable, CaseIterable {
    case lf
    case crlf
}

extension Framing {
    /// What ends a message.
    public enum Boundary: Equatable, Sendable {
        /// The bytes themselves.
        case bytes
        /// The end of each read: `decode` is to be given what it brought, at once.
        case read
        /// So long a time in which nothing comes: `finish` is to be called then.
        case pause(Duration)
        /// The end of the connection in good order: `finish` is to be called then. Another one is opened `every` so often.
        case close(every: Duration)
    }

    public var boundary: Boundary {
        switch self {
        case .line, .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .block, .slip,
            .cobs,
            .beast, .json:
            .bytes
        case .unframed: .read
        case .idle(let gap): .pause(gap)
        case .untilClose(let every): .close(every: every)
        }
    }

    /// The most bytes that a frame has more than its payload, which has at most `limit`.
    public func overhead(of limit: Int) -> Int {
        switch self {
        case .line(_, let escapes): escapes ? limit + 2 : 2
        case .delimiter(let end): end.count
        case .length(let field): max(field.strip, field.end)
        case .varint(let field): max(field.strip ?? 0, field.offset + field.bytes)
        case .fixed: 0
        case .netstring: Counting.longestHeader + 1
        case .octetCounted: Counting.longestHeader
        case .header: HeaderDecoder.longestHeader
        case .block(let start, let end): start.count + end.count
        case .slip: limit + 3
        case .cobs: Cobs.overhead(of: limit) + 2
        case .beast: 2 * Beast.longest
        case .json: JSONDecoder.longestHeader + 1
        // One more byte is too long: it must have room to be seen.
        case .untilClose, .idle: 1
        case .unframed: 0
        }
    }

    /// Whether a decoder can find the next message after one that is too long, and so can pass that one over.
    public var canPassOver: Bool {
        switch self {
        case .line, .delimiter, .length, .varint, .netstring, .octetCounted, .header, .block, .slip, .cobs,
            .beast, .json, .untilClose, .idle, .unframed:
            true
        case .fixed: false
        }
    }

    /// Where in a stream that has begun before we came the first message is that is surely whole.
    public enum Beginning: Equatable, Sendable {
        /// Behind the first boundary, whatever stands before that.
        case afterBoundary
        /// Behind the first message, if the stream has begun between two: else what is found may be none.
        case afterMessage
        /// Nothing in the bytes tells.
        case unknown
    }

    public var beginning: Beginning {
        switch self {
        case .line, .delimiter, .block, .slip, .cobs, .idle: .afterBoundary
        case .length, .varint, .fixed, .netstring, .octetCounted, .header, .beast, .json: .afterMessage
        case .untilClose, .unframed: .unknown
        }
    }

    /// Whether bytes are skipped that are in no message, or in a damaged one.
    public var maySkip: Bool {
        switch self {
        case .line, .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .untilClose,
            .idle, .unframed:
            false
        case .block, .slip, .cobs, .beast, .json: true
        }
    }

    /// Whether there is but one way to write a message, so that to write it anew changes nothing.
    public var hasOneSpelling: Bool {
        switch self {
        case .delimiter, .length, .fixed, .netstring, .octetCounted, .block, .untilClose, .idle, .unframed:
            true
        case .line, .varint, .header, .slip, .cobs, .beast, .json: false
        }
    }

    /// Whether payloads can be sent: what a decoder takes away, an encoder can put back.
    public var isReversible: Bool {
        switch self {
        case .line, .delimiter, .fixed, .netstring, .octetCounted, .header, .block, .slip, .cobs, .beast,
            .json, .untilClose, .idle, .unframed:
            true
        case .length(let field): field.strip == 0 || field.offset == 0 && field.strip <= field.width.rawValue
        case .varint(let field): (field.strip ?? 0) == 0
        }
    }
}
