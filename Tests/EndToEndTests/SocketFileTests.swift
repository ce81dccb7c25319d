import Glibc
import Linux
import Testing

/// Who owns a socket in the file system.
@Suite(.timeLimit(.minutes(2)))
struct SocketFileTests {
    private static let configuration = """
        upstream: {address: 'unix:/nonexistent.sock'}
        sockets: {default: {mode: 0640}, other: {mode: 0666}}
        """

    /// Type and permissions of a file; `nil` when there is none.
    private static func mode(of path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    /// Runs a daemon that cannot start to its end.
    private static func failing(in directory: TemporaryDirectory) throws -> (status: Int32, log: String) {
        try directory.write(configuration, to: "feed.yaml")
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), directory("feed.yaml")],
            environment: ["RUNTIME_DIRECTORY": directory.path], output: directory("output"),
            errors: directory("failure"))
        return (try process.exitStatus(), text(of: directory("failure")))
    }

    @Test func `mode is as configured, and everything is gone at the end`() throws {
        try DaemonProcess.run(Self.configuration) { daemon in
            #expect(Self.mode(of: daemon.path()) == S_IFSOCK | 0o640)
            #expect(Self.mode(of: daemon.path(of: "other")) == S_IFSOCK | 0o666)
            let status = try daemon.terminate()
            #expect(status == 0)
            for name in ["feed.sock", "feed.sock.lock", "feed.other.sock", "feed.other.sock.lock"] {
                #expect(Self.mode(of: daemon.directory(name)) == nil)
            }
        }
    }

    @Test func `a second daemon is refused, and the first goes on`() throws {
        try DaemonProcess.run(Self.configuration) { daemon in
            let (status, log) = try Self.failing(in: daemon.directory)
            #expect(status == 1)
            #expect(log.contains("in use by pid \(daemon.process.pid)"))
            _ = try daemon.connect()
        }
    }

    @Test func `a live socket that has lost its lock file is not stolen`() throws {
        try DaemonProcess.run(Self.configuration) { daemon in
            try removeFile(daemon.path() + ".lock")
            let (status, log) = try Self.failing(in: daemon.directory)
            #expect(status == 1)
            #expect(log.contains("in use by another process"))
            _ = try daemon.connect()
        }
    }

    @Test func `a socket that a killed daemon left is replaced`() throws {
        let directory = try TemporaryDirectory()
        try DaemonProcess.run(Self.configuration, in: directory) { daemon in
            #expect(try daemon.terminate(SIGKILL) == -SIGKILL)
            #expect(Self.mode(of: daemon.path()).map { $0 & S_IFMT } == S_IFSOCK)
            try removeFile(directory("notify"))
        }
        try DaemonProcess.run(Self.configuration, in: directory) { daemon in _ = try daemon.connect() }
    }

    @Test func `what is no socket is left alone`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "feed.sock")
        let (status, log) = try Self.failing(in: directory)
        #expect(status == 1)
        #expect(log.contains("not a socket"))
        #expect(text(of: directory("feed.sock")) == "precious")
    }

    @Test func `a second socket that cannot be made takes the first away again`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("precious", to: "feed.other.sock")
        #expect(try Self.failing(in: directory).status == 1)
        #expect(Self.mode(of: directory("feed.sock")) == nil)
    }

    @Test func `of two that start at once one wins`() throws {
        for _ in 0..<20 {
            let directory = try TemporaryDirectory()
            try directory.write(Self.configuration, to: "feed.yaml")
            let processes = try (0..<2).map { number in
                try ChildProcess(
                    [ChildProcess.path(of: "trunklined"), directory("feed.yaml")],
                    environment: ["RUNTIME_DIRECTORY": directory.path], output: directory("output"),
                    errors: directory("log.\(number)"))
            }
            try eventually("one to give up") { processes.contains(where: \.hasEnded) }
            let winner = processes.first { !$0.hasEnded }
            try eventually("the other to listen") {
                (0..<2).contains { text(of: directory("log.\($0)")).contains("listening on") }
            }
            _ = try Stream.connecting(to: .unix(path: directory("feed.sock")))
            winner?.signal(SIGTERM)
            #expect(try winner?.exitStatus() == 0)
        }
    }

    @Test func `a directory that is missing is named`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "upstream: {address: 'unix:/x'}\nsockets: {default: {path: \(directory("missing/feed.sock"))}}",
            to: "feed.yaml")
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), directory("feed.yaml")], environment: [:],
            output: directory("output"), errors: directory("log"))
        #expect(try process.exitStatus() == 1)
        #expect(
            text(of: directory("log")).contains(
                "\(directory("missing/feed.sock")): there is no such directory"))
    }

    @Test func `a live socket of another type is not stolen, and no lock file is left`() throws {
        let directory = try TemporaryDirectory()
        let manager = try FakeManager(at: directory("feed.sock"))
        #expect(try Self.failing(in: directory).log.contains("in use by another process"))
        #expect(manager.notices == [])
        #expect(Self.mode(of: directory("feed.sock")) != nil)
        #expect(Self.mode(of: directory("feed.sock.lock")) == nil)
    }
}
