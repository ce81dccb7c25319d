/// Whom a message is for.
public struct Recipient: Hashable, Sendable {
    public static let everyone = Recipient(id: 0)
    /// The bytes belong to no message, or to one that is kept back.
    static let nobody = Recipient(id: .max)

    let id: UInt32

    init(id: UInt32) { self.id = id }

    /// One client.
    ///
    /// - Parameter number: Not 0, and not the largest number.
    public init(client number: UInt32) {
        precondition(number != 0 && number != .max, "\(number) is nobody's number")
        id = number
    }
}

/// A client's place in the log: everything before it was sent, or was not for it.
public struct Cursor: Equatable, Sendable {
    public internal(set) var position: UInt64
}
