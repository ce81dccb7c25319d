import Glibc
import Linux
import TestSupport
import Testing

/// SIGTERM, whatever the daemon is doing: it ends within 2.5 s, without a connection within one, with status 0, and leaves
/// no socket.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct OrderlyEndTests {
    private static func configuration(_ address: String, _ more: String = "") -> String {
        """
        upstream:
          address: \(address)
          connect-timeout: 1h
          reconnect: {min: 1h, max: 1h}
        \(more)
        """
    }

    private static func end(_ daemon: DaemonProcess, isConnected: Bool = true) throws {
        let status = try daemon.terminate(within: isConnected ? .orderlyEnd : .promptEnd)
        #expect(status == 0)
        expectOrder(daemon)
    }

    private static func expectOrder(_ daemon: DaemonProcess) {
        #expect(daemon.log.contains { $0.contains("SIGTERM: stopping") })
        #expect(daemon.log.last?.contains("stopped: received ") == true)
        #expect(daemon.manager.notices.contains("STOPPING=1"))
        #expect(access(daemon.path(), F_OK) != 0)
        #expect(access(daemon.path() + ".lock", F_OK) != 0)
    }

    /// Sends until the daemon takes nothing more, for it has no room and sleeps.
    private static func send(from stream: Stream, toFill daemon: DaemonProcess) throws {
        repeat { try stream.fill() } while !daemon.process.isAsleep
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `while a name server does not answer`() throws {
        let directory = try TemporaryDirectory()
        let server = try FakeNameServer(.silence)
        try DaemonProcess.run(
            Self.configuration("feed.example.org:1"), in: directory, launcher: try server.launcher(directory)
        ) { daemon in
            try daemon.awaitStatus("resolving feed.example.org:1")
            try eventually("a question to the name server") { server.hasBeenAsked }
            try Self.end(daemon, isConnected: false)
        }
    }

    @Test func `while a connection is neither accepted nor refused`() throws {
        let upstream = try FakeUpstream()
        let filler = try upstream.fillBacklog()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            try daemon.awaitStatus("connecting to \(upstream.address)")
            try Self.end(daemon, isConnected: false)
        }
        filler.close()
    }

    @Test func `while it waits for the next attempt, with messages held`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            try daemon.awaitStatus("waiting until")
            let program = try daemon.connect()
            try program.send(Wire.line.frame("held"))
            try eventually("the message to be read") { program.unacknowledged == 0 }
            try Self.end(daemon, isConnected: false)
            try daemon.awaitLine("discarded 1 message", "from clients that the upstream had not taken")
        }
    }

    @Test func `while it is connected and nothing happens`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try daemon.awaitStatus("ready")
            try Self.end(daemon)
            #expect(try server.receiveNext() == .end)
            #expect(try program.receiveNext() == .end)
        }
    }

    @Test func `while the upstream sends as fast as it can`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let reader = Flood.Reader(try daemon.connect())
            let server = try upstream.accept()
            var flood = Flood(from: server, to: [reader])
            try flood.run(for: .milliseconds(50)) { reader.received > 0 }
            daemon.signal(SIGTERM)
            // Its end of the connection closes first.
            #expect(throws: SystemError.self) {
                try flood.run(for: .seconds(5), within: .seconds(8)) { daemon.process.hasEnded }
            }
            try flood.drain([reader])
            #expect(try daemon.process.exitStatus(within: .orderlyEnd) == 0)
            #expect(flood.mistakes.isEmpty)
            Self.expectOrder(daemon)
        }
    }

    @Test func `while a client that reads nothing holds the upstream up`() throws {
        let upstream = try FakeUpstream()
        let more = "buffer: 1M\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream.address, more)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try Self.send(from: server, toFill: daemon)
            try Self.end(daemon)
            _ = try program.receiveToEnd()
        }
    }

    @Test func `while an upstream that reads nothing fills the outbox`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream.address, "outbox: 1M")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try Self.send(from: program, toFill: daemon)
            try Self.end(daemon)
            server.close()
        }
    }

    @Test func `what watches the socket is let go last, for the kernel may take seconds for that`() throws {
        let upstream = try FakeUpstream()
        let more = "buffer: 1M\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream.address, more)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try daemon.awaitStatus("ready")
            // As the program does not read, the end takes the whole time that there is for it.
            try Self.send(from: server, toFill: daemon)
            let count = daemon.process.notifierCount
            let start = ContinuousClock.now
            daemon.signal(SIGTERM)
            try daemon.awaitStatus("stopping")
            let remaining = daemon.process.notifierCount
            // A test that was not scheduled for that long has seen the end.
            let isLate = ContinuousClock.now - start > .milliseconds(1900)
            #expect(count > 0 && (remaining == count || isLate))
            withExtendedLifetime(program) {}
        }
    }
}
