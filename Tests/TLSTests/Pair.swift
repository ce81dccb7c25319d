import Glibc
import Linux
import TLS
import TestSupport

/// A client of ours and a server of the tests, on a pair of sockets, in one thread.
final class Pair {
    let directory: TemporaryDirectory
    private(set) var session: TLSSession
    private(set) var server: TLSPeer
    private var descriptors: [Int32]

    init(
        _ client: TLSClient, _ server: TLSPeer.Server, name: String? = "localhost",
        in directory: TemporaryDirectory
    ) throws {
        self.directory = directory
        descriptors = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else {
            throw SystemError(call: "socketpair", code: errno)
        }
        session = try client.connect(descriptors[0], serverName: name)
        self.server = try TLSPeer(server, on: descriptors[1])
    }

    deinit { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }

    /// What comes of the handshake.
    func handshake() throws -> TLSSession.Handshake {
        while true {
            let progress = session.handshake()
            try flush()
            guard progress == .underWay else {
                // What the server says of it.
                if case .done = progress { try server.turn() }
                return progress
            }
            try server.turn()
        }
    }

    func seal(_ bytes: [UInt8], counts: Bool = true) -> Int? { session.seal(bytes.span, counts: counts) }

    /// Sends what is encrypted.
    @discardableResult
    func flush() throws -> Int {
        var count = 0
        while !session.isOutputEmpty {
            let moved = session.withOutput { bytes in
                bytes.withUnsafeBufferPointer {
                    send(descriptors[0], $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            guard moved > 0 else { return count }
            count += session.moved(moved)
        }
        return count
    }

    func receive(atMost limit: Int = 1 << 16) -> (received: TLSSession.Received, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        var span = bytes.mutableSpan
        let received = session.receive(into: &span)
        guard case .moved(let count) = received else { return (received, []) }
        return (received, Array(bytes[..<count]))
    }

    /// All that has arrived, and why there is no more.
    func receiveAll() -> (end: TLSSession.Received, bytes: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            let (received, more) = receive()
            bytes += more
            switch received {
            case .moved: continue
            case .wouldBlock where session.hasMore: continue
            default: return (received, bytes)
            }
        }
    }

    /// The server is gone, without a word; returns once the client's socket knows.
    func cut() {
        close(descriptors[1])
        descriptors[1] = -1
        waitForHangUp(of: descriptors[0])
    }
}

extension TemporaryDirectory {
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = self(name)
        guard let file = fopen(path, "w") else { throw SystemError(call: "fopen", code: errno) }
        defer { fclose(file) }
        fputs(text, file)
        return path
    }
}
