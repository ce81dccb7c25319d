import Glibc
import Linux
import TestSupport
import Testing

/// `max-clients` and `max-clients-per-user`.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct MaxClientsTests {
    private static func configuration(_ upstream: FakeUpstream, _ limit: String) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
        sockets:
          default: {mode: 0666}
          other: {mode: 0666}
        \(limit)
        """
    }

    @Test func `one client too many, on whatever socket, is disconnected at once`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "max-clients: 3")) { daemon in
            let server = try upstream.accept()
            var programs = try daemon.connect(2) + daemon.connect(1, to: "other")
            for socket in ["default", "other", "default"] {
                let refused = try Stream.connecting(to: .unix(path: daemon.path(of: socket)))
                #expect(try refused.receiveToEnd() == [])
            }
            let line = try daemon.awaitLine(
                "socket other: refused and disconnected pid \(getpid()), uid \(getuid())")
            #expect(line.hasSuffix("max-clients (3) are connected"))
            programs.removeFirst().hangUp()
            programs += try daemon.connect(1, to: "other")
            let message = Wire.line.frame("to all three")
            try server.send(message)
            for program in programs { #expect(try program.receive(message.count) == message) }
            #expect(try daemon.terminate() == 0)
            try daemon.awaitLine("stopped:", "refused 3 clients")
        }
    }

    @Test func `many that are refused fill no log, and keep nobody waiting`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "max-clients: 1")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let start = ContinuousClock.now
            for _ in 0..<500 {
                let refused = try Stream.connecting(to: .unix(path: daemon.path()))
                try? refused.send(Wire.line.frame("never sent on"))
                #expect(try refused.receiveToEnd() == [])
            }
            let message = Wire.line.frame("to the one")
            try server.send(message)
            #expect(try program.receive(message.count) == message)
            // Twenty in each interval of ten seconds; all this usually takes less than one.
            let intervals = 1 + Int((ContinuousClock.now - start) / .seconds(10))
            #expect(daemon.log.count { $0.contains("refused") } <= 20 * intervals)
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test func `one that closes and comes back at once is not one too many`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "max-clients: 1")) { daemon in
            let server = try upstream.accept()
            var program = try daemon.connect()
            for _ in 0..<5 {
                // Both are seen at once.
                daemon.signal(SIGSTOP)
                program.hangUp()
                program = try Stream.connecting(to: .unix(path: daemon.path()))
                daemon.signal(SIGCONT)
                try eventually("the new client") { daemon.clientCount() == 1 }
                let message = Wire.line.frame("to the one")
                try program.send(message)
                #expect(try server.receive(message.count) == message)
            }
            #expect(!daemon.log.contains { $0.contains("refused") })
        }
    }

    @Test func `the limit is enforced also where descriptors allow no more`() throws {
        let upstream = try FakeUpstream()
        // 106 less the reserve of 64, and three for each of two sockets.
        let configuration = Self.configuration(upstream, "max-clients: 36")
        try DaemonProcess.run(configuration, launcher: Launcher.allowing(descriptors: 106)) { daemon in
            let programs = try daemon.connect(36)
            let refused = try Stream.connecting(to: .unix(path: daemon.path()))
            #expect(try refused.receiveToEnd() == [])
            #expect(programs.allSatisfy { $0.receiveNow() == .nothing })
        }
    }

    @Test(.enabled(if: getuid() == 0, "only root can be somebody else"))
    func `one user's clients leave room for another's`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "max-clients-per-user: 2")) { daemon in
            chmod(daemon.directory.path, 0o755)
            let server = try upstream.accept()
            let own = try daemon.connect(2)
            let refused = try Stream.connecting(to: .unix(path: daemon.path()))
            #expect(try refused.receiveToEnd() == [])
            func start(_ number: Int) throws -> ChildProcess {
                try ChildProcess(
                    [
                        "/usr/bin/env", "setpriv", "--reuid", "65534", "--clear-groups", "nc", "-U",
                        daemon.path(),
                    ], environment: ["PATH": "/usr/bin:/bin"], output: daemon.directory("printed.\(number)"),
                    errors: daemon.directory("complaints.\(number)"))
            }
            let others = [try start(0), try start(1)]
            try eventually("two clients of another user") { daemon.clientCount() == 4 }
            #expect(try start(2).exitStatus() == 0)
            try daemon.awaitLine("uid 65534: max-clients-per-user (2) of this user are connected")
            let message = Wire.line.frame("to all four")
            try server.send(message)
            for program in own { #expect(try program.receive(message.count) == message) }
            try eventually("the other user's programs") {
                (0..<2).allSatisfy { contents(of: daemon.directory("printed.\($0)")) == message }
            }
            #expect(contents(of: daemon.directory("printed.2")).isEmpty)
            for other in others { other.signal(SIGTERM) }
        }
    }
}
