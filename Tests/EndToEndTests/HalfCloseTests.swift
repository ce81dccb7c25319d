import Linux
import TestSupport
import Testing

/// A local program that ends one direction only.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct HalfCloseTests {
    private static func configuration(_ upstream: FakeUpstream, _ wire: Wire) -> String {
        "upstream: {address: '\(upstream.address)', framing: \(wire.yaml)}"
    }

    @Test(arguments: Wire.allCases)
    func `a client that has finished sending goes on receiving, and the upstream sees no end`(wire: Wire)
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let message = wire.frame(1)
            try program.send(message)
            program.finishSending()
            #expect(try server.receive(message.count) == message)
            for number in 0..<20 {
                let message = wire.frame(number)
                try server.send(message)
                #expect(try program.receive(message.count) == message)
            }
            #expect(server.staysSilent(for: .milliseconds(50)))
            #expect(program.staysSilent(for: .milliseconds(50)))
        }
    }

    @Test(arguments: Wire.allCases)
    func `what a client sent before it left goes up, but for what it left unfinished`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            var expected: Set<[UInt8]> = []
            for number in 0..<20 {
                let program = try Stream.connecting(to: .unix(path: daemon.path()))
                let message = wire.frame(number, size: 3000)
                expected.insert(message)
                try program.send(message + wire.frame("unfinished").dropLast())
                program.close()
            }
            let (frames, rest) = wire.split(try server.receive(expected.map(\.count).reduce(0, +)))
            #expect(Set(frames) == expected)
            #expect(frames.count == 20)
            #expect(rest.isEmpty)
            #expect(try daemon.terminate() == 0)
            #expect(try server.receiveToEnd() == [])
        }
    }
}
