import TestSupport
import Testing

/// What becomes of clients' messages while the upstream is away.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct HoldTests {
    private static func configuration(_ upstream: FakeUpstream, _ more: String) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
        \(more)
        """
    }

    private static let messages = (1...3).map { Wire.line.frame($0) }
    private static let stream = messages.flatMap { $0 }

    @Test(arguments: ["when-down: hold\nhold-time: 1min", "hold-time: infinity"])
    func `messages wait for an upstream that comes in time`(settings: String) throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream, settings)) { daemon in
            try daemon.awaitStatus("waiting")
            let program = try daemon.connect()
            try program.send(Self.stream)
            try upstream.listen()
            #expect(try upstream.accept().receive(Self.stream.count) == Self.stream)
        }
    }

    @Test func `messages wait for an upstream that was lost and comes back in time`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "hold-time: 1min")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try program.send(Self.messages[0])
            #expect(try server.receive(Self.messages[0].count) == Self.messages[0])
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting", "Connection refused")
            try program.send(Self.stream)
            program.close()
            try upstream.listen()
            // Nothing that went up before comes again.
            #expect(try upstream.accept().receive(Self.stream.count) == Self.stream)
        }
    }

    @Test(arguments: ["hold-time: 200ms", "hold-time: 0", "when-down: discard"])
    func `messages for an upstream that stays away are discarded and counted`(settings: String) throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream, settings)) { daemon in
            let program = try daemon.connect()
            try program.send(Self.stream)
            let amount = "discarded 3 messages (\(Self.stream.count) bytes)"
            try daemon.awaitLine(amount, "from clients, for the upstream is away")
            // What comes later is discarded as well, until the upstream is back.
            try program.send(Self.stream)
            program.close()
            try eventually("the client to be gone") { daemon.clientCount() == 0 }
            try upstream.listen()
            let server = try upstream.accept()
            try daemon.awaitStatus("ready")
            let last = Wire.line.frame("in time")
            try daemon.connect().send(last)
            #expect(try server.receive(last.count) == last)
            #expect(try daemon.terminate() == 0)
            try daemon.awaitLine(
                "stopped:", "discarded 6 messages (\(2 * Self.stream.count) bytes) from clients")
        }
    }

    @Test(arguments: ["hold-time: 200ms", "when-down: discard"])
    func `after a loss, messages are held or discarded as after the start`(settings: String) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, settings)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting", "Connection refused")
            try program.send(Self.stream)
            try daemon.awaitLine("discarded 3 messages", "from clients, for the upstream is away")
            try upstream.listen()
            let next = try upstream.accept()
            try daemon.awaitStatus("ready")
            try program.send(Self.messages[0])
            #expect(try next.receive(Self.messages[0].count) == Self.messages[0])
        }
    }

    @Test(arguments: [Wire.line, .length], [false, true])
    func `a message half sent when the connection was lost is sent again whole`(wire: Wire, isReset: Bool)
        throws
    {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let more = """
              framing: \(wire.yaml)
              max-message: 8M
            buffer: 16M
            outbox: 32M
            hold-time: 1min
            """
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let small = wire.frame("small")
            // More than the kernel takes.
            let large = wire.frame(1, size: 6_000_000)
            try program.send(small + large + small)
            #expect(try server.receive(small.count + 5000) == small + large.prefix(5000))
            #expect(program.staysSilent(for: .milliseconds(1)))
            if isReset { server.reset() } else { server.close() }
            let next = try upstream.accept()
            #expect(try next.receive(large.count + small.count) == large + small)
        }
    }

    @Test func `a message half sent and not held is dropped whole`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let more = """
              max-message: 8M
            buffer: 16M
            outbox: 32M
            when-down: discard
            """
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let large = Wire.line.frame(1, size: 6_000_000)
            try program.send(large)
            #expect(try server.receive(5000) == Array(large.prefix(5000)))
            server.reset()
            let next = try upstream.accept()
            try daemon.awaitLine("discarded 1 message (\(large.count) bytes) from clients")
            let small = Wire.line.frame("small")
            try program.send(small)
            #expect(try next.receive(small.count) == small)
        }
    }

    @Test func `clients that wait for room are let go when what is held is discarded`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let more = "  max-message: 16K\nhold-time: 700ms\noutbox: 64K"
        // Before time begins to count.
        let stream = (0..<1000).flatMap { Wire.line.frame($0, size: 1000) }
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let programs = try daemon.connect(3)
            var sent = [0, 0, 0]
            for (number, program) in programs.enumerated() {
                sent[number] = try program.sendSome(stream[...])
            }
            #expect(sent.allSatisfy { $0 < stream.count })
            for (number, program) in programs.enumerated() {
                try program.send(Array(stream[sent[number]...]))
            }
            try eventually("the daemon to have read everything") {
                programs.allSatisfy { $0.unacknowledged == 0 }
            }
            #expect(try daemon.terminate() == 0)
            try daemon.awaitLine(
                "stopped:", "discarded 3000 messages (\(3 * stream.count) bytes) from clients")
        }
    }

    @Test func `clients that leave while the outbox is full are let go`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let settings = "hold-time: infinity\noutbox: 64K"
        let configuration = Self.configuration(upstream, "  max-message: 16K\n" + settings)
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitStatus("waiting")
            let program = try daemon.connect()
            try program.send([UInt8](repeating: 0x0A, count: 1 << 16))
            for program in try daemon.connect(20) { program.close() }
            try eventually("them to be gone") { daemon.clientCount() == 1 }
        }
    }
}
