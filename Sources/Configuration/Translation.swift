public import Framing

/// Who speaks otherwise than the upstream.
extension UpstreamSettings {
    /// How the clients of a socket are sent messages, if not as they came.
    public func translation(to socket: SocketSettings) -> Framing? { socket.translation(with: framing) }

    /// How the clients of a socket send messages, if not as the upstream wants them.
    public func translation(from socket: SocketSettings) -> Framing? {
        socket.maySend ? socket.translation(with: sendFraming) : nil
    }
}

extension SocketSettings {
    fileprivate func translation(with upstream: Framing) -> Framing? {
        guard let framing = ownFraming, framing != upstream || !framing.hasOneSpelling else { return nil }
        return framing
    }

    /// How messages are framed here if anything is said of it, with the escapes that are asked for.
    public var ownFraming: Framing? {
        guard case .line(let ending, _)? = framing, unrepresentable == .escape else { return framing }
        return .line(ending: ending, escapes: true)
    }
}
