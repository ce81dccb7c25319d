import CLinux
import Glibc

extension FileDescriptor {
    /// A non-blocking, close-on-exec stream socket of the address's family.
    static func streamSocket(family: Int32) throws(SystemError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        return FileDescriptor(owning: Int32(try retrying("socket") { Int(socket(family, type, 0)) }))
    }

    /// Begins to connect. The socket becomes writable when it is decided; `takeError` then tells how.
    ///
    /// TCP sockets get `TCP_NODELAY`.
    ///
    /// - Parameters:
    ///   - address: The peer's.
    ///   - local: Where a TCP connection comes from, of the same family; `nil` leaves it to the kernel.
    ///   - probing: The keepalive of a TCP connection; `nil` for none.
    /// - Returns: The socket, and whether it is connected already.
    /// - Throws: What is known at once: `ENOENT` or `ECONNREFUSED` for a Unix socket, `ENETUNREACH`, `EMFILE`;
    ///   `EADDRNOTAVAIL` of bind(2) when no interface has the local address.
    public static func connecting(
        to address: SocketAddress, from local: SocketAddress? = nil, probing: Probing? = nil
    ) throws(SystemError) -> ConnectingSocket {
        let socket = try streamSocket(family: address.family)
        if !address.isUnix { try socket.tuneForTCP(probing) }
        if let local {
            // The port is chosen when the peer is known: one port serves for many peers.
            try socket.setOption(Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
            try socket.bind(to: local)
        }
        let raw = socket.raw
        let result = unsafe address.withPointer { unsafe connect(raw, $0, $1) }
        // An interrupted connect goes on by itself.
        if result < 0 && errno != EINPROGRESS && errno != EINTR {
            throw SystemError(call: "connect", code: errno)
        }
        return ConnectingSocket(descriptor: socket, isConnected: result == 0)
    }

    /// Whether a TCP connection has met itself: nobody listens on a port of this machine, and the kernel happened to choose
    /// that very port for our own end (RFC 9293, section 3.5: both ends send a SYN).
    public borrowing func hasMetItself() -> Bool {
        guard let local = try? localAddress(), !local.isUnix else { return false }
        return (try? peerAddress()) == local
    }

    private borrowing func tuneForTCP(_ probing: Probing?) throws(SystemError) {
        try setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        try probe(probing)
    }

    /// When the kernel asks the peer of a TCP connection whether it is still there (keepalive, tcp(7)), while nothing else
    /// tells.
    public struct Probing: Sendable {
        /// After so many seconds in which nothing was received.
        let idle: Int32
        /// Again after so many seconds without an answer.
        let interval: Int32
        /// The connection is over after so many questions, where there is no `limitUnacknowledged`.
        let count: Int32

        /// Times are rounded up to seconds.
        public init(idle: Duration, interval: Duration, count: Int) {
            self.idle = Int32(clamping: Int((idle / .seconds(1)).rounded(.up)))
            self.interval = Int32(clamping: Int((interval / .seconds(1)).rounded(.up)))
            self.count = Int32(clamping: count)
        }

        /// At once, or within a second of the last sign of the peer.
        public static let urgent = Probing(idle: .seconds(1), interval: .seconds(1), count: 3)
    }

    /// From now on asks in this way, or not at all.
    public borrowing func probe(_ probing: Probing?) throws(SystemError) {
        guard let probing else { return try setOption(SOL_SOCKET, SO_KEEPALIVE, 0) }
        try setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        try setOption(Int32(IPPROTO_TCP), TCP_KEEPCNT, probing.count)
        try setOption(Int32(IPPROTO_TCP), TCP_KEEPINTVL, probing.interval)
        try setOption(Int32(IPPROTO_TCP), TCP_KEEPIDLE, probing.idle)
    }

    /// For how long a TCP connection has received nothing from its peer, neither data nor an acknowledgement; `nil` where
    /// the kernel does not tell.
    public borrowing func silence() -> Duration? {
        let milliseconds = tl_silence(raw)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    /// Ends a TCP connection whose peer acknowledges nothing for so long, or takes nothing of what waits for it
    /// (`TCP_USER_TIMEOUT`, tcp(7)); of keepalive's probes, too.
    public borrowing func limitUnacknowledged(to limit: Duration) throws(SystemError) {
        let milliseconds = Int32(clamping: Int((limit / .milliseconds(1)).rounded(.up)))
        try setOption(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
    }

    /// A non-blocking socket that listens on 127.0.0.1 or on a path; a port of 0 takes a free one, which
    /// `localAddress` tells.
    public static func listening(on address: SocketAddress) throws(SystemError) -> FileDescriptor {
        let socket = try streamSocket(family: address.family)
        if !address.isUnix { try socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1) }
        try socket.bind(to: address)
        try socket.listen()
        return socket
    }

    /// A non-blocking datagram socket whose peer is a Unix socket: a path, or `@` and an abstract name (unix(7)).
    public static func datagramSocket(connectedTo address: String) throws(SystemError) -> FileDescriptor {
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = FileDescriptor(
            owning: Int32(try retrying("socket") { Int(Glibc.socket(AF_UNIX, type, 0)) }))
        let peer =
            try address.hasPrefix("@")
            ? SocketAddress.abstract(name: String(address.dropFirst())) : .unix(path: address)
        let raw = socket.raw
        _ = try retrying("connect") { unsafe peer.withPointer { unsafe Int(connect(raw, $0, $1)) } }
        return socket
    }

    borrowing func bind(to address: SocketAddress) throws(SystemError) {
        let raw = raw
        _ = try retrying("bind") { unsafe address.withPointer { unsafe Int(Glibc.bind(raw, $0, $1)) } }
    }

    borrowing func listen() throws(SystemError) {
        let raw = raw
        // The kernel cuts the backlog to net.core.somaxconn.
        _ = try retrying("listen") { Int(Glibc.listen(raw, 4096)) }
    }

    /// getsockname(2).
    public borrowing func localAddress() throws(SystemError) -> SocketAddress {
        try unsafe address("getsockname") { unsafe getsockname($0, $1, $2) }
    }

    /// getpeername(2).
    public borrowing func peerAddress() throws(SystemError) -> SocketAddress {
        try unsafe address("getpeername") { unsafe getpeername($0, $1, $2) }
    }

    private borrowing func address(
        _ call: StaticString,
        _ get: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let raw = raw
        return try unsafe withUnsafeMutablePointer(to: &storage) { pointer throws(SystemError) in
            try unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(SystemError) in
                _ = try retrying(call) { unsafe Int(get(raw, address, &size)) }
                return unsafe SocketAddress(copying: address, size: size)
            }
        }
    }
}

/// A tuple cannot hold a noncopyable value.
public struct ConnectingSocket: ~Copyable {
    public let isConnected: Bool
    private let descriptor: FileDescriptor

    init(descriptor: consuming FileDescriptor, isConnected: Bool) {
        self.isConnected = isConnected
        self.descriptor = descriptor
    }

    public consuming func take() -> FileDescriptor { descriptor }
}
