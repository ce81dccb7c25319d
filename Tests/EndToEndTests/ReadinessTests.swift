import Glibc
import TestSupport
import Testing

/// When the service manager hears that the service has started, and that it does not hang.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ReadinessTests {
    private static func configuration(_ upstream: FakeUpstream) -> String {
        """
        upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}
        ready-when: connected
        """
    }

    @Test func `a start that waits for the upstream is extended, and over with the first connection`() throws
    {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream), awaitsReady: false) { daemon in
            try daemon.awaitStatus("waiting until", "Connection refused")
            #expect(daemon.manager.notices.contains("EXTEND_TIMEOUT_USEC=60000000"))
            // Clients need not wait.
            let program = try daemon.connect()
            #expect(!daemon.manager.notices.contains("READY=1"))

            try upstream.listen()
            let server = try upstream.accept()
            try eventually("READY=1") { daemon.manager.notices.contains("READY=1") }
            try server.send(Wire.line.frame("on"))
            #expect(try program.receive(3) == Wire.line.frame("on"))

            server.close()
            try daemon.awaitStatus("ready")
            _ = try upstream.accept()
            #expect(daemon.manager.notices.count { $0 == "READY=1" } == 1)
            #expect(daemon.manager.notices.count { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") } == 1)
        }
    }

    @Test func `a start does not wait for an upstream that is connected from the first`() throws {
        let directory = try TemporaryDirectory()
        // Connecting to a Unix socket takes no time.
        let upstream = try FakeUpstream(path: directory("upstream"))
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            #expect(!daemon.manager.notices.contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
            #expect(daemon.manager.notices.count { $0 == "READY=1" } == 1)
        }
    }

    @Test func `a start that waits for the upstream can be ended`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream), awaitsReady: false) { daemon in
            try daemon.awaitStatus("waiting until")
            #expect(try daemon.terminate(within: .milliseconds(1500)) == 0)
            #expect(daemon.manager.notices.contains("STOPPING=1"))
            #expect(!daemon.manager.notices.contains("READY=1"))
        }
    }

    @Test func `the watchdog is fed as long as the loop turns`() throws {
        let upstream = try FakeUpstream()
        let environment = ["WATCHDOG_USEC": "20000"]
        try DaemonProcess.run(Self.configuration(upstream), environment: environment) { daemon in
            func beats() -> Int { daemon.manager.notices.count { $0 == "WATCHDOG=1" } }
            try eventually("the watchdog to be fed") { beats() >= 10 }
            daemon.signal(SIGSTOP)
            try eventually("the daemon to stand still") { daemon.process.isStopped }
            let before = beats()
            // Ten intervals.
            _ = poll(nil, 0, 100)
            #expect(beats() == before)
            daemon.signal(SIGCONT)
            try eventually("the watchdog to be fed again") { beats() > before }
        }
    }

    @Test func `a watchdog of another process is left alone`() throws {
        let upstream = try FakeUpstream()
        let environment = ["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"]
        try DaemonProcess.run(Self.configuration(upstream), environment: environment) { daemon in
            try daemon.awaitStatus("ready")
            for _ in 0..<5 { _ = try daemon.connect() }
            #expect(!daemon.manager.notices.contains("WATCHDOG=1"))
        }
    }
}
