import Glibc
import Linux
import TestSupport
import Testing

struct FileDescriptorTests {
    @Test func `what is sent is received, as much as has room`() throws {
        let pair = try Pair()
        try pair.sendFromFar([1, 2, 3, 4, 5])
        var (transfer, bytes) = try pair.near.receive(upTo: 3)
        #expect(transfer == .moved(3))
        #expect(bytes == [1, 2, 3])
        (transfer, bytes) = try pair.near.receive(upTo: 3)
        #expect(transfer == .moved(2))
        #expect(bytes == [4, 5])
    }

    @Test func `where nothing has come yet, receiving would block`() throws {
        let pair = try Pair()
        #expect(try pair.near.receive(upTo: 3).0 == .wouldBlock)
    }

    @Test func `after the peer's last byte comes the end`() throws {
        let pair = try Pair()
        try pair.sendFromFar([1])
        pair.closeFar()
        #expect(try pair.near.receive(upTo: 3).0 == .moved(1))
        #expect(try pair.near.receive(upTo: 3).0 == .ended)
        #expect(try pair.near.receive(upTo: 3).0 == .ended)
    }

    @Test func `to receive or read no bytes is not the end`() throws {
        let pair = try Pair()
        try pair.sendFromFar([1])
        #expect(try pair.near.receive(upTo: 0).0 == .moved(0))
        var nothing: [UInt8] = []
        var span = nothing.mutableSpan
        #expect(try pair.near.read(into: &span) == .moved(0))
        #expect(try pair.near.send([UInt8]().span) == .moved(0))
        #expect(try pair.near.receive(upTo: 9).1 == [1])
    }

    @Test func `sending stops when the peer reads nothing, and goes on when it does`() throws {
        let pair = try Pair()
        let bytes = [UInt8](repeating: 7, count: 1 << 16)
        var sent = 0
        while case .moved(let count) = try pair.near.send(bytes.span) { sent += count }
        #expect(sent > 0)
        #expect(try pair.near.send(bytes.span) == .wouldBlock)
        #expect(pair.near.unsent() >= sent)
        var received = 0
        while case .moved(let count) = try pair.withFar({ try $0.receive(upTo: 1 << 16).0 }) {
            received += count
        }
        #expect(received == sent)
        #expect(pair.near.unsent() == 0)
        #expect(try pair.near.send([1].span) == .moved(1))
    }

    @Test func `sending to a peer that has gone is an error, not a signal`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let pair = try Pair()
            pair.closeFar()
            #expect(throws: SystemError(call: "send", code: EPIPE)) { try pair.near.send([1].span) }
        }
    }

    @Test func `a connection closed with bytes unread is reset`() throws {
        let pair = try Pair()
        #expect(try pair.near.send([1].span) == .moved(1))
        pair.closeFar()
        #expect(throws: SystemError(call: "recv", code: ECONNRESET)) { try pair.near.receive(upTo: 1) }
    }

    @Test func `a pipe is read and written, and ends`() throws {
        let pipe = try privatePipe()
        for end in [pipe.reading, pipe.writing] { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let reader = FileDescriptor(owning: pipe.reading)
        var writer: FileDescriptor? = FileDescriptor(owning: pipe.writing)
        func read() throws -> Transfer {
            var bytes: [UInt8] = [0, 0, 0]
            var span = bytes.mutableSpan
            return try reader.read(into: &span)
        }
        #expect(try read() == .wouldBlock)
        #expect(try writer?.write([1, 2].span) == .moved(2))
        #expect(try read() == .moved(2))
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        while case .moved = try writer?.write(bytes.span) {}
        #expect(try writer?.write(bytes.span) == .wouldBlock)
        writer = nil
        while case .moved = try read() {}
        let isClosed = waitForHangUp(of: pipe.reading)
        #expect(isClosed, "the writing end is still open")
        #expect(try read() == .ended)
    }

    @Test func `errors of read and write name the call`() throws {
        let directory = FileDescriptor(owning: open("/", O_RDONLY | O_DIRECTORY))
        #expect(throws: SystemError(call: "read", code: EISDIR)) {
            var bytes: [UInt8] = [0]
            var span = bytes.mutableSpan
            _ = try directory.read(into: &span)
        }
        #expect(throws: SystemError(call: "write", code: EBADF)) { try directory.write([1].span) }
        #expect(throws: SystemError(call: "shutdown", code: ENOTSOCK)) { try directory.shutDown(.writing) }
        #expect(throws: SystemError(call: "setsockopt", code: ENOTSOCK)) {
            try directory.setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
        }
        #expect(throws: SystemError(call: "accept4", code: ENOTSOCK)) { _ = try directory.accept() }
        #expect(throws: SystemError(call: "getsockopt", code: ENOTSOCK)) {
            _ = try directory.peerCredentials()
        }
        #expect(directory.takeError() == ENOTSOCK)
        #expect(directory.unsent() == 0)
    }

    @Test func `shut down for writing, the peer sees the end and can still send`() throws {
        let pair = try Pair()
        try pair.near.shutDown(.writing)
        #expect(try pair.withFar { try $0.receive(upTo: 1).0 } == .ended)
        try pair.sendFromFar([1])
        #expect(try pair.near.receive(upTo: 1).1 == [1])
    }

    @Test func `shut down for reading, the kernel refuses what the peer sends`() throws {
        let pair = try Pair()
        try pair.near.shutDown(.reading)
        #expect(throws: SystemError(call: "send", code: EPIPE)) { try pair.withFar { try $0.send([1].span) } }
        #expect(try pair.near.send([1].span) == .moved(1))
        #expect(try pair.withFar { try $0.receive(upTo: 1).1 } == [1])
    }

    @Test func `the owner closes, unless it gave the descriptor up`() throws {
        let pair = try Pair()
        let copy = FileDescriptor(owning: dup(pair.near.raw))
        let raw = copy.release()
        // Still open: it can be written to.
        #expect(write(raw, [1], 1) == 1)
        try pair.near.shutDown(.writing)
        close(raw)

        let other = try Pair()
        other.closeFar()
        #expect(try other.near.receive(upTo: 1).0 == .ended, "the owner of the far end closed it")
    }

    @Test func `a connection tells who connected`() throws {
        let pair = try Pair()
        #expect(
            try pair.near.peerCredentials() == PeerCredentials(pid: getpid(), uid: getuid(), gid: getgid()))
    }

    @Test func `an error says what failed and why`() {
        let refused = SystemError(call: "connect", code: ECONNREFUSED)
        #expect("\(refused)" == "connect: Connection refused (errno 111)")
        #expect(describe(errno: 4095) == "Unknown error 4095 (errno 4095)")
        #expect(refused != SystemError(call: "connect", code: EPIPE))
        #expect(refused != SystemError(call: "send", code: ECONNREFUSED))
    }
}
