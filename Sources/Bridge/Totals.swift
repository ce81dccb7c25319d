/// What a bridge has done since it was started.
public struct Totals: Equatable, Sendable {
    /// From the upstream.
    public var received = Amount()
    /// To the upstream.
    public var sent = Amount()
    /// Programs that were one client too many.
    public var refusedClients = 0
    private var discards = [Amount](repeating: Amount(), count: DiscardReason.allCases.count)

    public func discarded(_ reason: DiscardReason) -> Amount { discards[reason.rawValue] }

    mutating func discard(_ amount: Amount, _ reason: DiscardReason) { discards[reason.rawValue].add(amount) }
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
