import Glibc
import Linux
import TestSupport
import Testing

/// One feed, many local programs, both directions.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct FanOutTests {
    private static func configuration(_ upstream: FakeUpstream, _ wire: Wire) -> String {
        """
        upstream:
          address: \(upstream.address)
          framing: \(wire.yaml)
        """
    }

    @Test(arguments: Wire.allCases, [1, 10, 100])
    func `every client receives the same messages in order`(wire: Wire, clients: Int) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            let programs = try daemon.connect(clients)
            let stream = (0..<200).flatMap { wire.frame($0, size: $0 * 3) }
            try server.send(stream)
            for program in programs { #expect(try program.receive(stream.count) == stream) }
        }
    }

    @Test(arguments: Wire.allCases)
    func `a client that connects in the middle of a message starts with that message`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            let early = try daemon.connect()
            let (first, second, third) = (wire.frame(1, size: 100), wire.frame(2, size: 100), wire.frame(3))
            try server.send(first + second.prefix(20))
            #expect(try early.receive(first.count) == first)
            let late = try daemon.connect()
            try server.send(second.dropFirst(20) + third)
            #expect(try early.receive(second.count + third.count) == second + third)
            #expect(try late.receive(second.count + third.count) == second + third)
        }
    }

    @Test func `a client that is still to be accepted gets what the server sends after it has connected`()
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, .line)) { daemon in
            let server = try upstream.accept()
            try daemon.awaitStatus("ready")
            // Both are seen at once.
            daemon.signal(SIGSTOP)
            let program = try Stream.connecting(to: .unix(path: daemon.path()))
            let message = Wire.line.frame("hello")
            try server.send(message)
            daemon.signal(SIGCONT)
            #expect(try program.receive(message.count) == message)
        }
    }

    @Test(arguments: Wire.allCases, [1, 10, 100])
    func `frames of many clients that send in pieces never interleave`(wire: Wire, clients: Int) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            let programs = try daemon.connect(clients)
            // Some are longer than what the daemon copies back and forth.
            let sent = (0..<clients).map { client in
                (0..<5).map { wire.frame($0, of: client, size: $0 == 3 ? 9000 : 50) }
            }
            let streams = sent.map { $0.flatMap { $0 } }
            let longest = streams.map(\.count).max() ?? 0
            let piece = wire == .fixed ? 7 : 1111
            for start in stride(from: 0, to: longest, by: piece) {
                for (program, stream) in zip(programs, streams) {
                    try program.send(Array(stream.dropFirst(start).prefix(piece)))
                }
            }
            let (frames, rest) = wire.split(try server.receive(streams.map(\.count).reduce(0, +)))
            #expect(rest.isEmpty)
            for client in 0..<clients {
                let own = Set(sent[client])
                #expect(frames.filter(own.contains) == sent[client])
            }
            #expect(frames.count == 5 * clients)
        }
    }
}
