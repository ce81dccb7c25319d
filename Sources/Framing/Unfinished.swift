extension Framing {
    /// How many of the bytes that a stream has ended with, and that no decoder has made a message of, belong to a message that
    /// was begun: none of them, where they are what may stand between two.
    public func unfinished(_ rest: Span<UInt8>) -> Int {
        for i in rest.indices where !mayDivide(rest[i]) { return rest.count }
        return 0
    }

    /// What stands between two messages can only be more of what divides them, which is no loss.
    public var repeatsDividers: Bool {
        switch self {
        case .json, .slip, .cobs: true
        case .line, .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .block, .beast,
            .untilClose, .idle, .unframed:
            false
        }
    }

    private func mayDivide(_ byte: UInt8) -> Bool {
        switch self {
        case .json: JSONDecoder.isWhite(byte)
        case .slip: byte == Slip.end
        case .cobs: byte == 0
        case .line, .delimiter, .length, .varint, .fixed, .netstring, .octetCounted, .header, .block, .beast,
            .untilClose, .idle, .unframed:
            false
        }
    }
}
