/// What a bridge knows of one of its sockets.
public struct SocketStatus: Equatable, Sendable {
    public let name: String
    public let path: String
    public let clients: Int
    public let obstacle: Obstacle?

    /// Why nobody new comes to it.
    public enum Obstacle: Equatable, Sendable {
        case paused(PauseReason)
        /// Its file was removed.
        case gone
    }
}
