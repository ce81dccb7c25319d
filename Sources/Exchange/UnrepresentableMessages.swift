public import Framing

/// Messages that a framing could not carry, by reason.
public struct UnrepresentableMessages: Equatable, Sendable {
    public private(set) var amounts: [UnrepresentableError: Skipped] = [:]

    public init() {}

    public var isEmpty: Bool { amounts.isEmpty }

    mutating func add(_ reason: UnrepresentableError, bytes: Int) {
        amounts[reason, default: Skipped()].add(messages: 1, bytes: bytes)
    }
}
