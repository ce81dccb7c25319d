import Control
import Glibc
import TestSupport
import Testing

/// The way back to an upstream that refuses, drops, or is not there at all.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ReconnectTests {
    private static func configuration(
        _ addresses: String..., min: String = "10ms", max: String = "10ms"
    ) -> String {
        """
        upstream:
          address: [\(addresses.joined(separator: ", "))]
          reconnect: {min: \(min), max: \(max)}
        """
    }

    /// nng 693: after a first attempt in vain the delay was never set, and the next ones followed without any.
    @Test(.bug("https://github.com/nanomsg/nng/issues/693"))
    func `fifty refusals in a row follow the schedule, cost nothing and fill no log`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let configuration = Self.configuration(upstream.address, max: "200ms")
        try DaemonProcess.run(configuration) { daemon in
            var refusals: [ContinuousClock.Instant] = []
            let before = daemon.process.processorTime
            try eventually("50 refusals", within: .seconds(30)) {
                let count = daemon.manager.statuses.count { $0.contains("Connection refused") }
                while refusals.count < count { refusals.append(.now) }
                return count >= 50
            }
            #expect(daemon.process.processorTime - before < .milliseconds(300))
            // Each is seen up to some milliseconds after it happened.
            let gaps = zip(refusals.dropFirst(), refusals).map { $0 - $1 }
            #expect(gaps.dropFirst(10).reduce(.zero, +) > .milliseconds(10 * 39))
            // But for a test or a daemon that was not scheduled now and then.
            #expect(gaps.count { $0 >= .milliseconds(200) + .seconds(1) } <= 3)
            let told = try Controller(daemon).describe().bridge.uplink.attempts
            try upstream.listen()
            let server = try upstream.accept()
            let line = try daemon.awaitLine("connected to \(upstream.address) after")
            #expect(server.staysSilent(for: .milliseconds(1)))
            let attempts = line.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
            #expect(told >= 50 && told + 1...told + 10 ~= attempts, "\(told), \(line)")
            #expect(daemon.log.count <= 4, "\(daemon.log)")
        }
    }

    /// znc 67: a server that had banned the user, or ended the session each time, was connected to again and again.
    @Test(.bug("https://github.com/znc/znc/issues/67"))
    func `an upstream that closes at once, again and again, makes no storm`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, min: "100ms", max: "100ms")) { daemon in
            let start = ContinuousClock.now
            for _ in 0..<11 { try upstream.accept().close() }
            #expect(ContinuousClock.now - start > .milliseconds(990))
            #expect(daemon.process.processorTime < .milliseconds(300))
            #expect(daemon.log.count <= 5, "\(daemon.log)")
        }
    }

    @Test func `addresses are tried in turn, from the first`() throws {
        let (first, second) = (try FakeUpstream(isListening: false), try FakeUpstream())
        let missing = "unix:/nonexistent/upstream"
        try DaemonProcess.run(Self.configuration(first.address, missing, second.address)) { daemon in
            let server = try second.accept()
            try daemon.awaitStatus("ready \(second.address)")
            try first.listen()
            server.close()
            let next = try first.accept()
            try daemon.awaitStatus("ready \(first.address)")
            next.close()
        }
    }

    @Test func `an upstream on a Unix socket is found as soon as it is there`() throws {
        let directory = try TemporaryDirectory()
        try DaemonProcess.run(Self.configuration("unix:\(directory("server"))"), in: directory) { daemon in
            try daemon.awaitStatus("unix:\(directory("server"))", "No such file or directory")
            let upstream = try FakeUpstream(path: directory("server"))
            let server = try upstream.accept()
            let program = try daemon.connect()
            try server.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
        }
    }

    @Test func `a name that does not exist is told, and does not keep the daemon from ending`() throws {
        try DaemonProcess.run(Self.configuration("does-not-exist.invalid:1")) { daemon in
            try daemon.awaitStatus("does-not-exist.invalid:1")
            #expect(try daemon.terminate(within: .seconds(2)) == 0)
        }
    }

    @Test func `clients stay while the upstream comes and goes`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let programs = try daemon.connect(3)
            for round in 0..<5 {
                let server = try upstream.accept()
                let message = Wire.line.frame(round)
                try server.send(message)
                for program in programs {
                    #expect(try program.receive(message.count) == message)
                    try program.send(message)
                }
                #expect(try server.receive(3 * message.count) == message + message + message)
            }
        }
    }

    @Test func `a daemon that stood still does not take the upstream for idle`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address) + "\n  idle-timeout: 3s") { daemon in
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

    @Test func `a wall clock that is set by twelve hours, there and back, changes nothing`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let configuration =
            Self.configuration(upstream.address, max: "50ms") + "\n  idle-timeout: 1h\nhold-time: 1h"
        let environment = Fault.steppingWallClock(byHours: 12)
        try DaemonProcess.run(configuration, environment: environment) { daemon in
            let program = try daemon.connect()
            try program.send(Wire.line.frame("held"))
            try eventually("20 refusals") {
                daemon.manager.statuses.count { $0.contains("Connection refused") } >= 20
            }
            let hours = daemon.manager.statuses.compactMap { status in
                status.split(separator: "waiting until ").last?.prefix(2)
            }
            #expect(Set(hours.filter { Int($0) != nil }).count >= 2, "the clock has jumped")
            try upstream.listen()
            let server = try upstream.accept()
            #expect(try server.receive(5) == Wire.line.frame("held"))
            try server.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

    @Test func `an address that leads to a socket of the bridge itself is not connected to`() throws {
        let directory = try TemporaryDirectory()
        #expect(symlink(directory.path, directory("here")) == 0)
        let address = "unix:\(directory("here/feed.sock"))"
        try DaemonProcess.run(Self.configuration(address), in: directory) { daemon in
            try daemon.awaitLine("cannot connect to \(address): it is a socket of this bridge itself", "next")
            try daemon.awaitStatus("waiting", "a socket of this bridge itself", "0 clients")
            #expect(!daemon.log.contains { $0.contains("client") })
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may make a network namespace"))
    func
        `a connection to a free port of this machine that meets itself is refused, and leaves the port free`()
        throws
    {
        try DaemonProcess.run(
            Self.configuration("127.0.0.1:40000"), launcher: Launcher.network(port: 40000)
        ) { daemon in
            try eventually("ten attempts") {
                daemon.manager.statuses.count { $0.contains("Connection refused") } >= 10
            }
            #expect(!daemon.manager.statuses.contains { $0.contains("ready") })
            #expect(daemon.log.count <= 2, "\(daemon.log)")
        }
    }

    @Test func `SIGUSR1 ends the waiting, and a connection that stands`() throws {
        let upstream = try FakeUpstream(isListening: false)
        let configuration = """
            upstream:
              address: \(upstream.address)
              reconnect: {min: 1h, max: 2h}
            """
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitStatus("waiting until", "Connection refused")
            try upstream.listen()
            let program = try daemon.connect()
            daemon.signal(SIGUSR1)
            let first = try upstream.accept()
            let message = Wire.line.frame("hello")
            try first.send(message)
            #expect(try program.receive(message.count) == message)
            daemon.signal(SIGUSR1)
            #expect(try first.receiveToEnd() == [])
            let second = try upstream.accept()
            try second.send(message)
            #expect(try program.receive(message.count) == message)
            try daemon.awaitLine("given up: a new one was asked for")
        }
    }
}
