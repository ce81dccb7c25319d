import Glibc
import TestSupport
import Testing

@testable import Linux

struct SocketTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1:10110", AF_INET), ("0.0.0.0", "0.0.0.0:10110", AF_INET),
        ("2001:db8::1", "[2001:db8::1]:10110", AF_INET6), ("::", "[::]:10110", AF_INET6),
        ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:10110", AF_INET6),
    ])
    func `an internet address is written as people write it`(host: String, text: String, family: Int32) {
        let address = SocketAddress.numeric(host: host, port: 10110)
        #expect(address?.description == text)
        #expect(address?.family == family)
    }

    @Test func `the loopback address and a path are written as people write them`() throws {
        #expect(SocketAddress.loopback(port: 8080).description == "127.0.0.1:8080")
        let address = try SocketAddress.unix(path: "/run/feed é")
        #expect(address.description == "unix:/run/feed é")
        #expect(address.family == AF_UNIX)
    }

    @Test func `a path has at most 107 bytes, and all of them count`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + String(repeating: "x", count: 106 - directory.path.utf8.count)
        #expect(path.utf8.count == SocketAddress.longestPath)
        let address = try SocketAddress.unix(path: path)
        let listener = try FileDescriptor.listening(on: address)
        #expect(access(path, F_OK) == 0)
        #expect(try listener.localAddress().description == "unix:" + path)
        let client = try FileDescriptor.connecting(to: address).take()
        #expect(try client.peerAddress().description == "unix:" + path)
        #expect(throws: SystemError.self) { try SocketAddress.unix(path: path + "x") }
        do {
            _ = try SocketAddress.unix(path: path + "x")
        } catch {
            #expect(error.code == ENAMETOOLONG)
        }
    }

    @Test(arguments: ["", "/run/\0feed"])
    func `a path that the kernel would read differently is refused`(path: String) {
        do {
            _ = try SocketAddress.unix(path: path)
            Issue.record("taken")
        } catch {
            #expect(error.code == EINVAL)
        }
    }

    @Test func `a connection comes from the local address that was asked for`() throws {
        let listener = try FileDescriptor.listening(on: .loopback(port: 0))
        let local = try SocketAddress.local("127.0.0.9")
        let socket = try FileDescriptor.connecting(to: try listener.localAddress(), from: local).take()
        #expect(try socket.localAddress().description.hasPrefix("127.0.0.9:"))
    }

    @Test func `a TCP connection that meets itself is told from one that meets another`() throws {
        let listener = try FileDescriptor.listening(on: .loopback(port: 0))
        let address = try listener.localAddress()
        let other = try FileDescriptor.connecting(to: address).take()
        let otherHasMetItself = other.hasMetItself()
        #expect(!otherHasMetItself)
        // What the kernel does by chance: our own end gets the port that is dialled. One that it has had all the while, for
        // a port that is given back may be another's.
        let socket = try FileDescriptor.streamSocket(family: AF_INET)
        try socket.bind(to: .loopback(port: 0))
        let own = try socket.localAddress()
        let raw = socket.raw
        let code = own.withPointer { connect(raw, $0, $1) == 0 ? 0 : errno }
        #expect(code == 0 || code == EINPROGRESS)
        var entry = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&entry, 1, 15_000) == 1)
        let (error, hasMetItself) = (socket.takeError(), socket.hasMetItself())
        #expect(error == 0)
        #expect(hasMetItself)
    }

    @Test func `a Unix socket has not met itself`() throws {
        let directory = try TemporaryDirectory()
        let address = try SocketAddress.unix(path: directory("socket"))
        let listener = try FileDescriptor.listening(on: address)
        let socket = try FileDescriptor.connecting(to: address).take()
        let answers = [listener.hasMetItself(), socket.hasMetItself()]
        #expect(answers == [false, false])
    }

    @Test func `a local address that no interface has is an error of bind`() throws {
        let listener = try FileDescriptor.listening(on: .loopback(port: 0))
        let address = try listener.localAddress()
        #expect(throws: SystemError(call: "bind", code: EADDRNOTAVAIL)) {
            _ = try FileDescriptor.connecting(to: address, from: .local("192.0.2.7"))
        }
        #expect(throws: SystemError(call: "bind", code: ENODEV)) {
            _ = try SocketAddress.local("fe80::1%nosuch")
        }
    }

    @Test(
        arguments: [(.milliseconds(1), 1), (.microseconds(1), 1), (.seconds(120), 120_000)]
            as [(Duration, Int32)])
    func `the kernel is told how long a peer may acknowledge nothing`(limit: Duration, milliseconds: Int32)
        throws
    {
        let listener = try FileDescriptor.listening(on: .loopback(port: 0))
        let socket = try FileDescriptor.connecting(to: try listener.localAddress()).take()
        try socket.limitUnacknowledged(to: limit)
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket.raw, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, &size)
        #expect(value == milliseconds)
    }

    /// Waits until it is decided, and tells how.
    func outcome(of socket: borrowing FileDescriptor) throws -> Int32 {
        let ear = Ear()
        let registration = try loop.add(socket, for: .writable, handler: ear)
        defer { loop.remove(registration) }
        try loop.turn { !ear.heard.isEmpty }
        return socket.takeError()
    }

    /// The next connection: it may be handed over a moment after the other end is connected.
    func accept(from listener: borrowing FileDescriptor) throws -> FileDescriptor {
        let isThere = try listener.wait(for: .readable, atMost: Duration.seconds(20) * slowdown)
        #expect(isThere)
        guard let accepted = try listener.accept() else { throw Missing(what: "nobody connected") }
        return accepted
    }

    func port(of listener: borrowing FileDescriptor) throws -> UInt16 {
        let text = try listener.localAddress().description
        return try #require(UInt16(text.split(separator: ":").last ?? ""))
    }

    @Test func `a connection over TCP is made without waiting, and is tuned`() throws {
        let listener = try FileDescriptor.listening(on: .loopback(port: 0))
        let port = try port(of: listener)
        #expect(try listener.accept() == nil)
        let probing = FileDescriptor.Probing(idle: .seconds(30), interval: .milliseconds(9001), count: 3)
        let socket = try FileDescriptor.connecting(to: .loopback(port: port), probing: probing).take()
        #expect(try outcome(of: socket) == 0)
        #expect(try socket.peerAddress().description == "127.0.0.1:\(port)")
        #expect(socket.option(Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(socket.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 30)
        #expect(socket.option(Int32(IPPROTO_TCP), TCP_KEEPINTVL) == 10)
        #expect(socket.option(Int32(IPPROTO_TCP), TCP_KEEPCNT) == 3)
        try socket.probe(nil)
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 0)
        try socket.probe(.urgent)
        #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(socket.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 1)
        let accepted = try accept(from: listener)
        for raw in [socket.raw, accepted.raw, listener.raw] {
            #expect(fcntl(raw, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try accepted.send([1, 2].span) == .moved(2))
        var bytes: [UInt8] = []
        let ear = Ear()
        let registration = try loop.add(socket, for: .readable, handler: ear)
        try loop.turn { !ear.heard.isEmpty }
        loop.remove(registration)
        bytes = try socket.receive(upTo: 9).1
        #expect(bytes == [1, 2])
    }

    @Test func `a connection that nobody listens for is refused`() throws {
        // A port that was free a moment ago, and that this socket keeps anybody else from.
        let holder = try FileDescriptor.streamSocket(family: AF_INET)
        try holder.bind(to: .loopback(port: 0))
        let port = try port(of: holder)
        do {
            let socket = try FileDescriptor.connecting(to: .loopback(port: port)).take()
            #expect(try outcome(of: socket) == ECONNREFUSED)
            #expect(socket.takeError() == 0, "the error is taken")
        } catch let error as SystemError {
            #expect(error == SystemError(call: "connect", code: ECONNREFUSED))
        }
    }

    @Test func `a Unix socket is connected at once`() throws {
        let directory = try TemporaryDirectory()
        let address = try SocketAddress.unix(path: directory.path + "/socket")
        let listener = try FileDescriptor.listening(on: address)
        let connecting = try FileDescriptor.connecting(to: address)
        let isConnected = connecting.isConnected
        #expect(isConnected)
        let socket = connecting.take()
        guard let accepted = try listener.accept() else { throw Missing(what: "nobody connected") }
        #expect(try socket.send([5].span) == .moved(1))
        #expect(try accepted.receive(upTo: 2).1 == [5])
        #expect(try accepted.peerCredentials().pid == getpid())
        #expect(try listener.accept() == nil)
    }

    @Test func `a Unix socket that is not there, and one that nobody listens on, are told at once`() throws {
        let directory = try TemporaryDirectory()
        let address = try SocketAddress.unix(path: directory.path + "/socket")
        #expect(throws: SystemError(call: "connect", code: ENOENT)) {
            _ = try FileDescriptor.connecting(to: address)
        }
        do {
            let listener = try FileDescriptor.listening(on: address)
            // Nobody gets through any more, even if a process that another test is just starting still has it.
            try listener.shutDown(.reading)
        }
        #expect(throws: SystemError(call: "connect", code: ECONNREFUSED)) {
            _ = try FileDescriptor.connecting(to: address)
        }
        #expect(throws: SystemError(call: "bind", code: EADDRINUSE)) {
            _ = try FileDescriptor.listening(on: address)
        }
    }
}
