public import Framing

/// What is to be made of messages for the clients of one socket, or of several.
public struct Translation: Equatable, Sendable {
    public var framing: Framing
    /// Whether clients are disconnected for a message that it cannot carry.
    public var disconnects: Bool
}

extension Configuration {
    /// Each that is made, once.
    public var translations: [Translation] {
        sockets.reduce(into: []) { all, socket in
            guard let translation = translation(to: socket), !all.contains(translation) else { return }
            all.append(translation)
        }
    }

    /// What is made of what the upstream sends, for the clients of a socket; `nil` where that is sent as it came.
    public func translation(to socket: SocketSettings) -> Translation? {
        upstream.translation(to: socket).map {
            Translation(framing: $0, disconnects: socket.unrepresentable == .disconnect)
        }
    }

    /// Each framing in which clients send, if not as the upstream wants it, once.
    public var translatedFramings: [Framing] {
        sockets.reduce(into: []) { all, socket in
            guard let framing = upstream.translation(from: socket), !all.contains(framing) else { return }
            all.append(framing)
        }
    }
}

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
