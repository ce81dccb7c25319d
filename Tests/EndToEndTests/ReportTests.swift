import Glibc
import Linux
import TestSupport
import Testing

/// What users of other programs of this kind have reported, tried with this one.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ReportTests {
    private static func configuration(_ upstream: FakeUpstream, _ more: String = "") -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
        \(more)
        """
    }

    /// direwolf 620: a client that did not read fast enough blocked the write to it, and the queue of received frames grew
    /// until the program crashed.
    @Test(.bug("https://github.com/wb2osz/direwolf/issues/620"))
    func `a client that does not read makes no queue grow`() throws {
        let upstream = try FakeUpstream()
        let rings = "buffer: 64K\nsockets: {default: {patience: 200ms}, patient: {patience: infinity}}"
        let limit = "  max-message: 16K"
        try DaemonProcess.run(Self.configuration(upstream, "\(limit)\n\(rings)")) { daemon in
            let (reader, stuck) = (Flood.Reader(try daemon.connect(to: "patient")), try daemon.connect())
            var flood = Flood(from: try upstream.accept(), to: [reader])
            try flood.run(for: .zero) { daemon.log.contains { $0.contains("held the others up") } }
            let before = daemon.process.memory
            try flood.run(for: .milliseconds(300))
            try flood.drain([reader])
            #expect(flood.mistakes == [] && reader.received == flood.sent)
            #expect(daemon.process.memory - before < 1 << 20)
            stuck.close()
        }
    }

    /// signal-cli 893: after a client had closed its connection, a broken pipe ended the thread that received, and nobody
    /// got anything for eleven days.
    @Test(.bug("https://github.com/AsamK/signal-cli/issues/893"))
    func `a client that closes while it is written to does not end the receiving`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            let server = try upstream.accept()
            let message = Wire.line.frame("still here")
            for _ in 0..<20 {
                let client = try daemon.connect()
                // It is closed with messages that it has not read, and others on their way.
                for number in 0..<100 { try server.send(Wire.line.frame(number, size: 1000)) }
                client.close()
                let next = try daemon.connect()
                try server.send(message)
                _ = try next.receive(through: message)
                next.close()
            }
            #expect(try upstream.acceptNow() == nil)
        }
    }

    /// nanomsg 152: without descriptors, accept(2) failed again and again, with a processor at 100 %.
    /// swift-nio pull request 2782: it closed the listening socket.
    @Test(
        .bug("https://github.com/nanomsg/nanomsg/issues/152"),
        .bug("https://github.com/apple/swift-nio/pull/2782"))
    func `without descriptors accepting waits, and goes on when there are some`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream), launcher: Launcher.allowing(descriptors: 90)) {
            daemon in
            let server = try upstream.accept()
            var programs = try (0..<60).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
            try daemon.awaitLine("new clients have to wait")
            try daemon.process.awaitRest()
            for program in programs { program.hangUp() }
            programs = try daemon.connect(5)
            let message = Wire.line.frame("to those who came later")
            try server.send(message)
            for program in programs { #expect(try program.receive(message.count) == message) }
        }
    }

    /// swift-nio pull request 2408: when accept(2) failed for a connection that was gone already, after others had been
    /// accepted in the same turn, nobody was accepted ever again.
    @Test(.bug("https://github.com/apple/swift-nio/pull/2408"))
    func `one failed accept among others does not end the accepting`() throws {
        let upstream = try FakeUpstream()
        let fault = Fault(call: "accept4", errno: "ECONNABORTED", number: 3, lasts: false)
        try DaemonProcess.run(Self.configuration(upstream), environment: fault.environment) { daemon in
            let server = try upstream.accept()
            // All in one turn.
            daemon.signal(SIGSTOP)
            var programs = try (0..<6).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
            daemon.signal(SIGCONT)
            try eventually("six clients") { daemon.clientCount() == 6 }
            programs.append(try Stream.connecting(to: .unix(path: daemon.path())))
            try eventually("seven clients") { daemon.clientCount() == 7 }
            let message = Wire.line.frame("to all")
            try server.send(message)
            for program in programs { #expect(try program.receive(message.count) == message) }
            #expect(daemon.hasMetFault)
        }
    }

    /// lxd 296: the socket that a crash had left behind kept the daemon from starting again.
    @Test(.bug("https://github.com/canonical/lxd/issues/296"))
    func `after a crash the daemon starts again, and beside a living one it does not`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            daemon.signal(SIGKILL)
            #expect(try daemon.process.exitStatus() == -SIGKILL)
            #expect(access(daemon.path(), F_OK) == 0)
            try DaemonProcess.run(
                Self.configuration(upstream), in: daemon.directory, name: "second"
            ) { second in
                let program = try second.connect()
                try DaemonProcess.run(
                    Self.configuration(upstream), in: daemon.directory, name: "third", awaitsReady: false
                ) { third in
                    #expect(try third.process.exitStatus() == 1)
                    try third.awaitLine("in use by pid \(second.process.pid)")
                }
                #expect(program.receiveNow() == .nothing)
                #expect(second.clientCount() == 1)
            }
        }
    }

    /// fluent-bit 3192 and 2800: one failed connection was reported over and over again, its recovery never.
    @Test(.bug("https://github.com/fluent/fluent-bit/issues/3192"))
    func `an outage is reported once, and so is its end`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            try daemon.awaitLine("Connection refused")
            // Dozens of attempts.
            _ = poll(nil, 0, 500)
            try upstream.listen()
            let server = try upstream.accept()
            try daemon.awaitLine("connected to \(upstream.address) after", "attempts")
            #expect(daemon.log.count { $0.contains("Connection refused") } == 1)
            #expect(daemon.log.count { $0.contains("connected to \(upstream.address)") } == 1)
            server.close()
        }
    }
}
