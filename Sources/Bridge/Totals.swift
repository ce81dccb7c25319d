import Exchange

/// What has flowed since the bridge was started, through all connections.
public struct Totals: Equatable, Sendable {
    /// From the upstream.
    public var received = Amount()
    /// To the upstream.
    public var sent = Amount()

    public init() {}
}

/// So much of something.
public struct Amount: Equatable, Sendable {
    /// Whole messages.
    public var messages = 0
    /// Bytes, those of the whole messages among them.
    public var bytes = 0

    public init(messages: Int = 0, bytes: Int = 0) {
        self.messages = messages
        self.bytes = bytes
    }

    public mutating func add(_ other: Amount) {
        messages += other.messages
        bytes += other.bytes
    }
}

extension Skipped {
    /// How much more that is than it was.
    func amount(since before: Skipped) -> Amount {
        Amount(messages: Int(messages - before.messages), bytes: Int(bytes - before.bytes))
    }
}
