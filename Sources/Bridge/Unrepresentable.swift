public import Framing

/// A message that could not be translated, and why.
public struct Unrepresentable: Hashable, Sendable {
    /// The socket whose clients do not get it, or whose client has sent it.
    public let socket: String
    public let direction: Direction
    public let reason: UnrepresentableError
    /// Whether clients are disconnected for it: those who do not get it, or the one who has sent it.
    public let disconnects: Bool

    public enum Direction: Hashable, Sendable {
        case toClients
        case toUpstream
    }
}
