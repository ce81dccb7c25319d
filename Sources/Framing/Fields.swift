/// An unsigned integer of a fixed size that tells how many bytes follow it.
///
/// A frame is `offset` bytes, the field, and as many bytes as the field's value and `adjust` add up to. The payload is the
/// frame without its first `strip` bytes.
public struct LengthField: Equatable, Sendable {
    /// The field's size in bytes.
    public enum Width: Int, Equatable, Sendable, CaseIterable {
        case one = 1
        case two = 2
        case three = 3
        case four = 4
        case eight = 8
    }
    public enum Order: String, Equatable, Sendable, CaseIterable {
        case big
        case little
    }
    public var width: Width
    public var order: Order
    /// Bytes before the field: 0 to `longestOffset`.
    public var offset: Int
    /// What is added to the field's value; negative where the value counts bytes that are not behind the field.
    public var adjust: Int
    /// Bytes at the start of the frame that are no payload: 0 to `longestOffset`.
    public var strip: Int

    /// The most bytes of `offset` and `strip`.
    public static let longestOffset = 1024
    /// What `adjust` may be at the most, and negative at the least.
    public static let greatestAdjustment = 1 << 20

    /// - Parameters:
    ///   - width: Its size.
    ///   - order: Which of its bytes comes first.
    ///   - offset: Bytes before it.
    ///   - adjust: What is added to its value.
    ///   - strip: Bytes of the frame that are no payload; for `nil` the field where it stands first, else none, for
    ///     a header means something.
    public init(width: Width, order: Order = .big, offset: Int = 0, adjust: Int = 0, strip: Int? = nil) {
        self.width = width
        self.order = order
        self.offset = offset
        self.adjust = adjust
        self.strip = strip ?? Self.defaultStrip(width: width, offset: offset)
    }

    /// What is no payload where nothing else is said.
    public static func defaultStrip(width: Width, offset: Int) -> Int { offset == 0 ? width.rawValue : 0 }

    /// One past the field.
    var end: Int { offset + width.rawValue }
}

/// An unsigned integer in groups of seven bits, the least significant first, of which all but the last have the top bit
/// set (LEB128, as in Protocol Buffers and MQTT); it counts the bytes that follow it.
public struct VarintField: Equatable, Sendable {
    /// The most bytes that it may take: 1 to 10. More than it needs are allowed.
    public var bytes: Int
    /// Bytes before it: 0 to `LengthField.longestOffset`.
    public var offset: Int
    /// Bytes at the start of the frame that are no payload: 0 to `LengthField.longestOffset`. `nil` is the length
    /// where it stands first, else none.
    public var strip: Int?

    /// - Parameters:
    ///   - bytes: The most that it may take.
    ///   - offset: Bytes before it.
    ///   - strip: Bytes of the frame that are no payload; for `nil` the length where it stands first, else none.
    public init(bytes: Int = 10, offset: Int = 0, strip: Int? = nil) {
        self.bytes = bytes
        self.offset = offset
        self.strip = strip
    }

    /// How many bytes are no payload in a frame whose length takes `size` bytes.
    @usableFromInline
    func header(_ size: Int) -> Int { strip ?? (offset == 0 ? size : 0) }
}
