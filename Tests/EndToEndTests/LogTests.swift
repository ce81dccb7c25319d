import Glibc
import TestSupport
import Testing

/// Where the log goes, and what becomes of the bridge when it cannot go there.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LogTests {
    private static func configuration(_ upstream: FakeUpstream) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
        """
    }

    /// The bridge works: a message in each direction.
    private static func expectWork(_ server: Stream, _ program: Stream) throws {
        let message = Wire.line.frame("hello")
        try server.send(message)
        #expect(try program.receive(message.count) == message)
        try program.send(message)
        #expect(try server.receive(message.count) == message)
    }

    /// Has the daemon log a line, and waits until it has done so or tried to.
    private static func log(_ daemon: DaemonProcess) throws {
        func writes() -> Int {
            let line = text(of: "/proc/\(daemon.process.pid)/io").split(separator: "\n").first {
                $0.hasPrefix("syscw: ")
            }
            return line.flatMap { Int($0.dropFirst(7)) } ?? 0
        }
        let before = writes()
        daemon.signal(SIGHUP)
        // One write(2) wakes the thread that writes, the next is its own.
        try eventually("the line to be written or lost") { writes() >= before + 2 }
    }

    // MARK: The journal

    /// What journald would hear of the daemon: `body` is given the assignments that have arrived.
    private static func runUnderJournal<R>(
        _ configuration: String, _ body: (DaemonProcess, FakeManager) throws -> R
    ) throws -> R {
        let directory = try TemporaryDirectory()
        try #require(mkdir(directory("journal"), 0o755) == 0)
        let journald = try FakeManager(at: directory("journal/socket"))
        var status = stat()
        try #require(stat(try directory.write("", to: "daemon.log"), &status) == 0)
        let launcher = Launcher.mounting(
            "mount -t tmpfs tmpfs /run; mkdir -p /run/systemd/journal; "
                + "mount --bind \(directory("journal")) /run/systemd/journal")
        return try DaemonProcess.run(
            configuration, in: directory, launcher: launcher,
            environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
        ) { daemon in try body(daemon, journald) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `under systemd each line is an entry of the journal, with its fields`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try Self.runUnderJournal(Self.configuration(upstream)) { daemon, journald in
            try eventually("the outage") { journald.notices.contains("REASON=connect") }
            try upstream.listen()
            _ = try upstream.accept()
            _ = try daemon.connect()
            #expect(try daemon.terminate() == 0)
            let heard = Set(journald.notices)
            let expected = [
                "SYSLOG_IDENTIFIER=trunklined", "BRIDGE=feed", "UPSTREAM=\(upstream.address)",
                "REASON=connect",
                "ERRNO=111", "SOCKET=default", "CLIENT_PID=\(getpid())", "CLIENT_UID=\(getuid())",
                "PRIORITY=4", "PRIORITY=5", "PRIORITY=6", "MESSAGE_ID=11f3e84ef7cb4590a1ecb06591123436",
                "MESSAGE=listening on \(daemon.path())", "MESSAGE=SIGTERM: stopping",
                "MESSAGE_ID=7fc933485b44410fb31f12058fd0c32b",
            ]
            #expect(heard.isSuperset(of: expected), "\(heard.sorted())")
            #expect(daemon.log == [])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `a journal that reads nothing stops neither the feed nor the end`() throws {
        let upstream = try FakeUpstream()
        try Self.runUnderJournal(Self.configuration(upstream)) { daemon, _ in
            var (server, program) = (try upstream.accept(), try daemon.connect())
            // Each is some entries; the kernel's queue holds about ten.
            for _ in 0..<20 {
                try Self.expectWork(server, program)
                server.close()
                server = try upstream.accept()
                program.close()
                program = try daemon.connect()
            }
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

    // MARK: Standard error

    @Test func `a file that cannot grow costs lines, which are counted, and nothing else`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            try daemon.awaitLine("client 1 of default", "connected")
            let before = daemon.log
            let size = contents(of: daemon.directory("daemon.log")).count
            try Self.limitFileSize(of: daemon, to: "\(size)")
            for _ in 0..<37 { try Self.log(daemon) }
            try Self.expectWork(server, program)
            #expect(daemon.log == before)
            try Self.limitFileSize(of: daemon, to: "unlimited")
            try Self.log(daemon)
            try daemon.awaitLine("37 lines could not be logged")
            try daemon.awaitLine("SIGHUP")
            #expect(daemon.log.count == before.count + 2)
            try Self.expectWork(server, program)
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

    /// The next write(2) to a larger file fails, as on a full disk (setrlimit(2)).
    private static func limitFileSize(of daemon: DaemonProcess, to size: String) throws {
        let prlimit = try ChildProcess(
            [
                "/usr/bin/env", "prlimit", "--pid", "\(daemon.process.pid)", "--fsize=\(size):unlimited",
            ], environment: ["PATH": "/usr/bin:/bin"], output: daemon.directory("output"),
            errors: daemon.directory("errors"))
        try #require(try prlimit.exitStatus() == 0)
    }

    @Test func `a full disk from the start costs the log, and nothing else`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(
            Self.configuration(upstream), launcher: Launcher.errors(to: "/dev/full")
        ) { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            try Self.expectWork(server, program)
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

    @Test func `a reader of the log that is gone costs the log, and nothing else`() throws {
        let upstream = try FakeUpstream()
        let directory = try TemporaryDirectory()
        let reader = try directory.makePipe("pipe")
        try DaemonProcess.run(
            Self.configuration(upstream), in: directory, launcher: Launcher.errors(to: directory("pipe"))
        ) { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            reader.close()
            for _ in 0..<10 { try Self.log(daemon) }
            try Self.expectWork(server, program)
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

    /// F_SETPIPE_SZ (linux/fcntl.h), a macro that Swift does not see.
    private static let setPipeSize: Int32 = 1031

    @Test func `a reader of the log that has stopped costs the log, and nothing else`() throws {
        let upstream = try FakeUpstream()
        let directory = try TemporaryDirectory()
        let reader = try directory.makePipe("pipe")
        try DaemonProcess.run(
            Self.configuration(upstream), in: directory, launcher: Launcher.errors(to: directory("pipe"))
        ) { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            // One page, in which no line of this kind finds room any more.
            #expect(fcntl(reader.raw, Self.setPipeSize, 4096) == 4096)
            try eventually("the pipe to be full") {
                daemon.signal(SIGHUP)
                return reader.waiting > 3900
            }
            try Self.expectWork(server, program)
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
        }
    }

}
