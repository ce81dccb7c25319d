import Glibc
import Linux
import Testing

/// The uplink always comes back, without a storm and without a flood of the log.
@Suite(.timeLimit(.minutes(2)))
struct ReconnectTests {
    private static func configuration(_ addresses: String, _ more: String = "") -> String {
        """
        upstream:
          address: \(addresses)
          reconnect: {min: 50ms, max: 200ms}
          \(more)
        """
    }

    @Test func `fifty refused connections in a row, then success`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let start = ContinuousClock.now
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let program = try daemon.connect()
            var refusals = 0
            try eventually("fifty refusals", within: .seconds(30)) {
                refusals = daemon.manager.statuses.count { $0.hasPrefix("waiting") }
                return refusals >= 50
            }
            // Fifty delays, each at least the shortest.
            #expect(ContinuousClock.now - start >= .milliseconds(50 * 50))
            #expect(daemon.process.processorTime < .milliseconds(300))
            try upstream.listen()
            let server = try upstream.accept()
            try server.send(Wire.line.frame("here"))
            #expect(try program.receive(5) == Wire.line.frame("here"))
            try daemon.awaitLine("connected to \(upstream.address) after", "attempts")
            #expect(daemon.log.count < 8, "\(daemon.log)")
        }
    }

    @Test func `an upstream that accepts and closes at once makes no storm`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let start = ContinuousClock.now
            for _ in 0..<20 { try upstream.accept().close() }
            #expect(ContinuousClock.now - start >= .milliseconds(19 * 50))
            try daemon.awaitLine("lost", "closed it")
            #expect(daemon.log.count < 8, "\(daemon.log)")
        }
    }

    @Test func `addresses are tried in turn`() throws {
        let (first, second) = (try FakeUpstream(isListening: false), try FakeUpstream())
        let configuration = Self.configuration(
            "[\(first.address), 'unix:/nonexistent.sock', \(second.address)]")
        try DaemonProcess.run(configuration) { daemon in
            _ = try second.accept()
            try daemon.awaitStatus("ready \(second.address)")
        }
    }

    @Test func `a unix upstream`() throws {
        let directory = try TemporaryDirectory()
        let listener = try FileDescriptor.listening(on: .unix(path: directory("server")))
        try DaemonProcess.run(Self.configuration("unix:\(directory("server"))"), in: directory) { daemon in
            var accepted: Stream?
            try eventually("a connection") {
                if let raw = try listener.accept()?.release() { accepted = Stream(owning: raw) }
                return accepted != nil
            }
            try daemon.awaitStatus("ready unix:\(directory("server"))")
            let program = try daemon.connect()
            try accepted?.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
        }
    }

    @Test func `a name that does not exist is a reason to wait, and no obstacle to the end`() throws {
        try DaemonProcess.run(Self.configuration("nowhere.invalid:1")) { daemon in
            try daemon.awaitLine("cannot resolve nowhere.invalid:1")
            try daemon.awaitStatus("waiting", "cannot resolve nowhere.invalid:1")
            #expect(try daemon.terminate() == 0)
        }
    }

    @Test func `a connection that stands still is made anew after idle-timeout`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "idle-timeout: 200ms")) { daemon in
            let server = try upstream.accept()
            #expect(try server.receiveToEnd() == [])
            _ = try upstream.accept()
            try daemon.awaitLine("nothing was received for idle-timeout")
        }
    }

    @Test func `idle-timeout does not run while reading is paused`() throws {
        let upstream = try FakeUpstream()
        let configuration =
            Self.configuration(upstream.address, "idle-timeout: 300ms\n  max-message: 1K")
            + "\nbuffer: 64K\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let block = (0..<1000).flatMap { Wire.line.frame($0, size: 900) }
            var sent = 0
            while !server.staysFull(for: .milliseconds(100)) {
                sent += try server.sendSome(block[(sent % block.count)...])
            }
            // Longer than the limit: the daemon reads nothing, and that is its own doing.
            #expect(server.staysFull(for: .milliseconds(600)))
            let whole = min(sent - sent % 901, block.count)
            #expect(try program.receive(whole) == Array(block[..<whole]))
            #expect(try upstream.acceptNow().map(\.raw) == nil)
            #expect(!daemon.log.contains { $0.contains("idle-timeout") })
        }
    }

    @Test func `too long a message ends the connection, and it comes back`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "max-message: 16")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send(Array("short\nmuch longer than sixteen bytes\n".utf8))
            #expect(try program.receive(6) == Array("short\n".utf8))
            _ = try server.receiveToEnd()
            try daemon.awaitLine("a message is longer than max-message (16 bytes)")
            try upstream.accept().send(Array("again\n".utf8))
            #expect(try program.receive(6) == Array("again\n".utf8))
        }
    }

    @Test func `a daemon that stood still does not take the upstream for idle`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "idle-timeout: 3s")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            daemon.signal(SIGSTOP)
            try server.send(Array("one\n".utf8))
            // Longer than the limit: nothing can happen meanwhile.
            _ = program.staysSilent(for: .milliseconds(3500))
            daemon.signal(SIGCONT)
            #expect(try program.receive(4) == Array("one\n".utf8))
        }
    }
}
