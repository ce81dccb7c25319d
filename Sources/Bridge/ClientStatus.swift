/// What a bridge knows of a client.
public struct ClientStatus: Equatable, Sendable {
    public let identity: ClientIdentity
    /// What its process was called then; `nil` if that could not be seen.
    public let command: String?
    /// When it was accepted, in microseconds since 1970.
    public let since: Int
    /// What it has not been sent yet, though there is something: messages that have begun among them.
    public let lag: Amount
    public let sent: Amount
    public let received: Amount
    /// What it was never sent.
    public let missed: Amount
    /// It misses messages until it has caught up.
    public let isSkipping: Bool
}
