import Configuration
import Exchange

/// Looking at a bridge, and disconnecting its clients.
extension Bridge {
    /// The numbers of the connected clients, in no order.
    public var clientNumbers: [UInt32] { clients.map(\.identity.number) }

    /// - Returns: `nil` when there is no such client.
    public func client(_ number: UInt32) -> ClientStatus? { clientOfNumber[number]?.status }

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
