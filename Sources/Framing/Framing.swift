/// How a stream is divided into messages: the closed set that a configuration can name.
public enum Framing: Equatable, Sendable {
    /// Text lines. The payload is without the LF and without one CR before it.
    case line
    /// Any bytes, ended by `end` (1 to 16 bytes), which is not payload.
    case delimiter(end: [UInt8])
    /// A length, then that many bytes of payload.
    case length(LengthField)
    /// Every message has `size` bytes, at least 1.
    case fixed(size: Int)

    /// The most framing bytes that a frame adds to its payload.
    public var overhead: Int {
        switch self {
        case .line: 2
        case .delimiter(let end): end.count
        case .length(let field): field.width.rawValue
        case .fixed: 0
        }
    }
}

/// An unsigned integer before each payload that counts the payload's bytes only.
public struct LengthField: Equatable, Sendable {
    /// The field's size in bytes.
    public enum Width: Int, Equatable, Sendable, CaseIterable {
        case one = 1
        case two = 2
        case four = 4
        case eight = 8
    }
    public enum Order: String, Equatable, Sendable, CaseIterable {
        case big
        case little
    }
    public var width: Width
    public var order: Order

    public init(width: Width, order: Order = .big) {
        self.width = width
        self.order = order
    }
}
