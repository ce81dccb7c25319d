import Glibc
import Linux
import Synchronization

/// A server that the test itself plays, on a loopback address of its own, so that nothing else takes its port while it
/// does not listen.
final class FakeUpstream {
    private static let count = Atomic(0)

    /// Where it can be reached, as a configuration names it: `127.0.0.1:10110`.
    let address: String
    private let place: SocketAddress
    private let receiveBuffer: Int32?
    private var listener: FileDescriptor?

    /// The receive buffer is that of its connections in the kernel, in bytes.
    init(isListening: Bool = true, receiveBuffer: Int32? = nil) throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let host = "127.\(1 + getpid() % 250).\(number / 250 % 250).\(1 + number % 250)"
        self.receiveBuffer = receiveBuffer
        let first = try Self.listening(on: try Self.place(host, 0), receiveBuffer)
        address = try first.localAddress().description
        place = try Self.place(host, UInt16(address.split(separator: ":").last ?? "") ?? 0)
        if isListening { listener = consume first } else { Self.refuse(first.raw) }
    }

    /// A server at another address, with the port of one that exists.
    init(beside other: FakeUpstream, at host: String) throws {
        let port = UInt16(other.address.split(separator: ":").last ?? "") ?? 0
        place = try Self.place(host, port)
        address = place.description
        receiveBuffer = nil
        try listen()
    }

    /// A server at any port of an address that this machine has.
    init(on host: String, receiveBuffer: Int32? = nil) throws {
        self.receiveBuffer = receiveBuffer
        let first = try Self.listening(on: try Self.place(host, 0), receiveBuffer)
        place = try first.localAddress()
        address = place.description
        listener = consume first
    }

    /// A server on a Unix socket.
    init(path: String) throws {
        address = "unix:\(path)"
        place = try .unix(path: path)
        receiveBuffer = nil
        try listen()
    }

    /// Refuses connections from now on; those that stand are not touched.
    func stopListening() {
        if let raw = listener?.raw { Self.refuse(raw) }
        listener = nil
    }

    /// Connections are refused at once, and the port is free for who listens next: a process that is just being started has a
    /// copy for a moment, which would go on listening.
    private static func refuse(_ listener: Int32) { shutdown(listener, Int32(SHUT_RDWR)) }

    func listen() throws { listener = try Self.listening(on: place, receiveBuffer) }

    /// Takes no further connection: attempts stay half open from now on, until one that waits has been accepted.
    func fillBacklog() throws -> Stream {
        guard let raw = listener?.raw, Glibc.listen(raw, 0) == 0 else {
            throw SystemError(call: "listen", code: errno)
        }
        return try Stream.connecting(to: place)
    }

    /// The next connection that is waiting.
    func acceptNow() throws -> Stream? {
        guard let raw = try listener?.accept()?.release() else { return nil }
        return Stream(owning: raw)
    }

    func accept(within limit: Duration = .seconds(15)) throws -> Stream {
        var stream: Stream?
        try eventually("a connection to \(address)", within: limit) {
            stream = try acceptNow()
            return stream != nil
        }
        guard let stream else { throw DeadlinePassed(what: "a connection") }
        return stream
    }

    private static func place(_ host: String, _ port: UInt16) throws -> SocketAddress {
        guard let address = SocketAddress.numeric(host: host, port: port) else {
            throw SystemError(call: "getaddrinfo", code: EINVAL)
        }
        return address
    }

    private static func listening(on address: SocketAddress, _ receiveBuffer: Int32?) throws -> FileDescriptor
    {
        let listener = try FileDescriptor.listening(on: address)
        // Before a connection comes: its window follows from it.
        if let receiveBuffer { try listener.setOption(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        return listener
    }
}
