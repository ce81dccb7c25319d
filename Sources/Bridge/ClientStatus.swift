import Configuration
import Exchange

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

/// Looking at a bridge, and disconnecting its clients.
extension Bridge {
    /// The numbers of the connected clients, in no order.
    public var clientNumbers: [UInt32] { clients.map(\.identity.number) }

    /// - Returns: `nil` when there is no such client.
    public func client(_ number: UInt32) -> ClientStatus? { clientOfNumber[number]?.status(log) }

    public var sockets: [SocketStatus] {
        listeners.map { $0.status(clients: admission.count(on: $0.settings.name)) }
    }

    /// Bytes of the buffer that some client has not been sent yet, or that are no whole message yet.
    public var bufferedBytes: Int { log.kept }

    /// Bytes that wait for the upstream.
    public var outboxBytes: Int { outbox.pendingBytes }

    /// - Returns: Whether there was such a client.
    public func disconnect(client number: UInt32) -> Bool {
        guard let client = clientOfNumber[number] else { return false }
        leave(client, .requested)
        return true
    }
}
