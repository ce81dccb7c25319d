import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// The sockets in the file system: who may use them, who owns them, and what is left behind.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct SocketTests {
    private static let nobody = "upstream: {address: 'unix:/nonexistent/upstream'}"

    private static func status(of path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError(call: "lstat", code: errno) }
        return status
    }

    private static func exists(_ path: String) -> Bool { (try? status(of: path)) != nil }

    /// A group of this machine that the tests may give a file to, other than their own if there is one.
    private static var otherGroup: (name: String, id: gid_t)? {
        var groups = [gid_t](repeating: 0, count: 1024)
        let count = getgroups(Int32(groups.count), &groups)
        let own = groups.prefix(Int(max(0, count))).first { $0 != getegid() } ?? getegid()
        let entries = text(of: "/etc/group").split(separator: "\n").map { $0.split(separator: ":") }
        for entry in entries where entry.count >= 3 {
            guard let id = gid_t(entry[2]) else { continue }
            if geteuid() == 0 ? id != 0 : id == own { return (String(entry[0]), id) }
        }
        return nil
    }

    @Test(arguments: ["0600", "0660", "0666", "0620"])
    func `a socket has the configured mode and group, whatever the umask`(mode: String) throws {
        let group = try #require(Self.otherGroup)
        let configuration = """
            \(Self.nobody)
            sockets:
              plain:
              special: {mode: \(mode), group: \(group.name)}
            """
        try DaemonProcess.run(configuration) { daemon in
            let special = try Self.status(of: daemon.path(of: "special"))
            #expect(special.st_mode & S_IFMT == S_IFSOCK)
            #expect(special.st_mode & 0o7777 == mode_t(mode, radix: 8))
            #expect(special.st_gid == group.id)
            let plain = try Self.status(of: daemon.path(of: "plain"))
            #expect(plain.st_mode & 0o7777 == 0o660)
            #expect(plain.st_gid == getegid())
        }
    }

    @Test func `the kernel refuses what is sent to a socket with send no, and messages still come`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)'}
            sockets: {default: , listen: {send: no}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let (talker, listener) = (try daemon.connect(), try daemon.connect(to: "listen"))
            #expect(throws: SystemError(call: "send", code: EPIPE)) { try listener.send([0x61, 0x0A]) }
            let message = Wire.line.frame("hello")
            try talker.send(message)
            #expect(try server.receive(message.count) == message)
            try server.send(message)
            #expect(try listener.receive(message.count) == message)
            #expect(try talker.receive(message.count) == message)
            listener.close()
            try eventually("the listener to be gone") { daemon.clientCount(of: "listen") == 0 }
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test func `a second daemon on the same sockets says who has them, and harms nothing`() throws {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)'}"
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            try DaemonProcess.run(
                configuration, in: daemon.directory, name: "second", awaitsReady: false
            ) { second in
                let status = try second.process.exitStatus()
                #expect(status == 1)
                #expect(
                    second.log.contains { $0.contains("in use by pid \(daemon.process.pid)") },
                    "\(second.log)")
            }
            let message = Wire.line.frame("hello")
            let program = try daemon.connect()
            try server.send(message)
            #expect(try program.receive(message.count) == message)
        }
    }

    @Test func `a live socket that has lost its lock file is not stolen`() throws {
        try DaemonProcess.run(Self.nobody) { daemon in
            #expect(unlink(daemon.path() + ".lock") == 0)
            try DaemonProcess.run(Self.nobody, in: daemon.directory, name: "second", awaitsReady: false) {
                second in
                let status = try second.process.exitStatus()
                #expect(status == 1)
                #expect(second.log.contains { $0.contains("in use by another process") }, "\(second.log)")
            }
            _ = try daemon.connect()
        }
    }

    @Test func `of two that start at once one wins, also where a dead one left its socket`() throws {
        var named = 0
        for round in 0..<20 {
            let directory = try TemporaryDirectory()
            let file = try directory.write(Self.nobody, to: "feed.yaml")
            if round % 2 == 1 {
                try DaemonProcess.run(Self.nobody, in: directory) { _ = try $0.terminate(SIGKILL) }
            }
            let processes = try (0..<2).map { number in
                try ChildProcess(
                    [ChildProcess.path(of: "trunklined"), file],
                    environment: ["RUNTIME_DIRECTORY": directory.path], output: directory("output"),
                    errors: directory("log.\(number)"))
            }
            try eventually("one to give up") { processes.contains(where: \.hasEnded) }
            try eventually("the other to listen") {
                (0..<2).contains { text(of: directory("log.\($0)")).contains("listening on") }
            }
            _ = try Stream.connecting(to: .unix(path: directory("feed.sock")))
            let winner = try #require(processes.first { !$0.hasEnded })
            let loser = try #require(processes.firstIndex { $0.hasEnded })
            let words = text(of: directory("log.\(loser)"))
            #expect(words.contains("in use by "), "\(words)")
            if words.contains("in use by pid \(winner.pid)") { named += 1 }
            winner.signal(SIGTERM)
            #expect(try winner.exitStatus() == 0)
        }
        // Hardly ever the winner was not scheduled between taking the lock and writing its number.
        #expect(named >= 17)
    }

    @Test func `a socket left by SIGKILL is replaced`() throws {
        let directory = try TemporaryDirectory()
        try DaemonProcess.run(Self.nobody, in: directory) { daemon in
            let status = try daemon.terminate(SIGKILL)
            #expect(status == -SIGKILL)
            #expect(Self.exists(daemon.path()))
        }
        try DaemonProcess.run(Self.nobody, in: directory, name: "next") { daemon in
            _ = try daemon.connect()
            let status = try daemon.terminate()
            #expect(status == 0)
        }
    }

    @Test func `socket and lock are gone after the end`() throws {
        try DaemonProcess.run("\(Self.nobody)\nsockets: {one: , two: }") { daemon in
            let paths = ["one", "two"].flatMap { [daemon.path(of: $0), daemon.path(of: $0) + ".lock"] }
            #expect(paths.allSatisfy(Self.exists))
            let status = try daemon.terminate()
            #expect(status == 0)
            #expect(!paths.contains(where: Self.exists))
        }
    }

    @Test func `a file that is no socket stays, and is named`() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("precious", to: "feed.sock")
        try DaemonProcess.run(Self.nobody, in: directory, awaitsReady: false) { daemon in
            let status = try daemon.process.exitStatus()
            #expect(status == 1)
            #expect(daemon.log.contains { $0.contains(path) && $0.contains("not a socket") }, "\(daemon.log)")
        }
        #expect(text(of: path) == "precious")
    }

    @Test func `a directory that is missing is named`() throws {
        let directory = try TemporaryDirectory()
        let path = directory("missing/feed.sock")
        let configuration = "\(Self.nobody)\nsockets: {default: {path: \(path)}}"
        try DaemonProcess.run(configuration, in: directory, awaitsReady: false) { daemon in
            let status = try daemon.process.exitStatus()
            #expect(status == 1)
            #expect(
                daemon.log.contains { $0.contains("\(path): there is no such directory") }, "\(daemon.log)")
        }
    }

    @Test func `a directory that vanishes is told once, and harms nobody who is connected`() throws {
        let upstream = try FakeUpstream()
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory("sockets"), withIntermediateDirectories: false)
        let path = directory("sockets/feed.sock")
        let configuration = """
            upstream: {address: '\(upstream.address)'}
            sockets: {default: {path: \(path)}}
            """
        try DaemonProcess.run(configuration, in: directory) { daemon in
            let server = try upstream.accept()
            let program = try Stream.connecting(to: .unix(path: path))
            try daemon.awaitLine("client 1 of default", "connected")
            try FileManager.default.removeItem(atPath: directory("sockets"))
            try daemon.awaitLine("socket default: \(path) was removed", "nobody can connect")
            let before = daemon.process.processorTime
            let message = Wire.line.frame("hello")
            try server.send(message)
            #expect(try program.receive(message.count) == message)
            try program.send(message)
            #expect(try server.receive(message.count) == message)
            #expect(program.staysSilent(for: .milliseconds(200)))
            #expect(daemon.process.processorTime - before < .milliseconds(100))
            #expect(try daemon.terminate(within: .orderlyEnd) == 0)
            #expect(daemon.log.count { $0.contains("was removed") } == 1)
        }
    }

    @Test func `a socket whose mode is changed is not taken for removed, one that is renamed is`() throws {
        try DaemonProcess.run(Self.nobody) { daemon in
            #expect(chmod(daemon.path(), 0o600) == 0)
            daemon.signal(SIGHUP)
            try daemon.awaitLine("SIGHUP")
            #expect(!daemon.log.contains { $0.contains("was removed") })
            #expect(rename(daemon.path(), daemon.path() + ".old") == 0)
            try daemon.awaitLine("\(daemon.path()) was removed")
            #expect(rename(daemon.path() + ".old", daemon.path()) == 0)
            #expect(try daemon.terminate() == 0)
            #expect(daemon.log.count { $0.contains("was removed") } == 1)
        }
    }

    @Test func `when one of the sockets fails, none is left behind`() throws {
        let directory = try TemporaryDirectory()
        let configuration = "\(Self.nobody)\nsockets: {one: , two: {path: \(directory("missing/two"))}}"
        try DaemonProcess.run(configuration, in: directory, awaitsReady: false) { daemon in
            let status = try daemon.process.exitStatus()
            #expect(status == 1)
            #expect(!Self.exists(daemon.path(of: "one")))
            #expect(!Self.exists(daemon.path(of: "one") + ".lock"))
        }
    }

    @Test func `a live socket of another type is not stolen, and no lock file is left`() throws {
        let directory = try TemporaryDirectory()
        let manager = try FakeManager(at: directory("feed.sock"))
        try DaemonProcess.run(Self.nobody, in: directory, awaitsReady: false) { daemon in
            #expect(try daemon.process.exitStatus() == 1)
            try daemon.awaitLine("in use by another process")
        }
        #expect(manager.notices == [])
        #expect(Self.exists(directory("feed.sock")))
        #expect(!Self.exists(directory("feed.sock.lock")))
    }
}
