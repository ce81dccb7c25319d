import TestSupport
import Testing

/// `oversize: skip`: messages that are too long are passed over.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct OversizeTests {
    private static func configuration(_ upstream: FakeUpstream, _ framing: String) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
          framing: \(framing)
          max-message: 100
          oversize: skip
        buffer: 64K
        """
    }

    @Test(arguments: [Wire.line, .delimiter, .length])
    func `many times what the ring holds is passed over, memory stays flat, and the connection stands`(
        wire: Wire
    )
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire.yaml)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send(wire.frame("before"))
            let before = wire.frame("before")
            #expect(try program.receive(before.count) == before)
            let memory = daemon.process.memory
            let long = wire.frame(String(repeating: "x", count: 6 << 20))
            try server.send(long)
            try server.send(wire.frame("between") + long + wire.frame("after"))
            let rest = wire.frame("between") + wire.frame("after")
            #expect(try program.receive(rest.count) == rest)
            #expect(daemon.process.memory - memory < 1 << 20)
            try daemon.awaitLine("discarded 1 message (", "from the upstream, longer than max-message")
            #expect(try upstream.acceptNow() == nil)
            #expect(try daemon.terminate() == 0)
            try daemon.awaitLine(
                "received 3 messages", "discarded 2 messages (\(2 * long.count) bytes) from the upstream")
        }
    }

    @Test func `it may drip in, and nobody is held up`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "line")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            for count in [101, 1, 1, 50_000, 1, 1, 100_000] {
                try server.send([UInt8](repeating: 0x61, count: count))
                try eventually("the daemon to read") { server.unacknowledged == 0 }
            }
            try server.send([0x0A] + Wire.line.frame("next"))
            let next = Wire.line.frame("next")
            #expect(try program.receive(next.count) == next)
        }
    }

    @Test func `a connection that ends inside a message that is passed over leaves nothing of it`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "length")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([0, 0, 1, 0] + [UInt8](repeating: 0x61, count: 200))
            server.finishSending()
            let next = try upstream.accept()
            try next.send(Wire.length.frame("next"))
            let expected = Wire.length.frame("next")
            #expect(try program.receive(expected.count) == expected)
        }
    }
}
