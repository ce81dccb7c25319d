import Glibc
import Linux
import TestSupport
import Testing

/// Local programs that die at the worst moment.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct CasualtyTests {
    /// A program that will not live long.
    private enum Casualty {
        /// A process, which SIGKILL ends.
        case process(ChildProcess)
        /// A connection that is closed with bytes unread, after half a message.
        case connection(Stream)
    }

    private static func casualty(_ daemon: DaemonProcess, isProcess: Bool) throws -> Casualty {
        guard isProcess else {
            return .connection(try Stream.connecting(to: .unix(path: daemon.path(of: "doomed"))))
        }
        return .process(try daemon.tail("--socket", "doomed"))
    }

    private static func end(_ casualty: Casualty) {
        switch casualty {
        case .process(let process): process.signal(SIGKILL)
        case .connection(let stream):
            // It may have lost its patience by now.
            _ = try? stream.sendSome(Array("never finished".utf8)[...])
            stream.close()
        }
    }

    @Test(arguments: seeds.suffix(2))
    func `programs that are killed at random during a flood harm nobody`(seed: UInt64) throws {
        var random = Seeded(seed)
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)'}
            sockets: {default: {patience: 10s}, doomed: {patience: 100ms}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let readers = try daemon.connect(3).map { Flood.Reader($0) }
            // While one is accepted, another descriptor tells its name.
            try daemon.awaitLine("client 3 of default")
            let before = daemon.process.descriptorCount
            var casualties = try (0..<8).map { try Self.casualty(daemon, isProcess: $0 % 2 == 0) }
            var flood = Flood(from: server, to: readers)
            for _ in 0..<40 {
                try flood.run(for: .milliseconds(.random(in: 0...20, using: &random)))
                let index = Int.random(in: casualties.indices, using: &random)
                Self.end(casualties[index])
                casualties[index] = try Self.casualty(daemon, isProcess: .random(using: &random))
            }
            casualties.forEach(Self.end)
            try flood.drain(readers)
            #expect(flood.mistakes == [])
            #expect(readers.allSatisfy { !$0.isCut && $0.received == flood.sent })
            try eventually("the dead to be gone") { daemon.clientCount(of: "doomed") == 0 }
            try eventually("their descriptors to be free") { daemon.process.descriptorCount == before }
            #expect(server.receiveNow() == .nothing, "what they left unfinished is not sent")
            #expect(!daemon.process.hasEnded)
        }
    }

    @Test func `programs that are gone before they are accepted harm nobody`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try daemon.awaitLine("client 1 of default")
            let before = daemon.process.descriptorCount
            daemon.signal(SIGSTOP)
            for number in 0..<200 {
                let stream = try Stream.connecting(to: .unix(path: daemon.path()))
                if number % 2 == 0 { try stream.send(Wire.line.frame(number)) }
                stream.close()
            }
            daemon.signal(SIGCONT)
            // What they had sent whole is sent.
            let sent = stride(from: 0, to: 200, by: 2).flatMap { Wire.line.frame($0) }
            #expect(
                Set(Wire.line.split(try server.receive(sent.count)).frames)
                    == Set(Wire.line.split(sent).frames))
            try eventually("their descriptors to be free") { daemon.process.descriptorCount == before }
            try server.send(Wire.line.frame("still here"))
            #expect(try program.receive(11) == Wire.line.frame("still here"))
        }
    }

    @Test func `nobody's end can raise SIGPIPE in the daemon, not even that of its log`() throws {
        let upstream = try FakeUpstream()
        let directory = try TemporaryDirectory()
        let file = try directory.write("upstream: {address: '\(upstream.address)'}", to: "feed.yaml")
        let reader = try directory.makePipe("log")
        let daemon = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), file], environment: ["RUNTIME_DIRECTORY": directory.path],
            output: "/dev/null", errors: directory("log"))
        let server = try upstream.accept()
        reader.close()
        // Each client's coming and going is a line.
        for _ in 0..<20 { _ = try Stream.connecting(to: .unix(path: directory("feed.sock"))) }
        let program = try Stream.connecting(to: .unix(path: directory("feed.sock")))
        try program.send(Wire.line.frame("hello"))
        #expect(try server.receive(6) == Wire.line.frame("hello"))
        #expect(daemon.ignores(SIGPIPE))
        daemon.signal(SIGTERM)
        #expect(try daemon.exitStatus() == 0)
    }

    @Test(arguments: [false, true])
    func `tail ends quietly when nobody reads it any more`(ignoresSignal: Bool) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let server = try upstream.accept()
            let reader = try daemon.directory.makePipe("pipe")
            let tail = try daemon.tail(
                launcher: ignoresSignal ? Launcher.shell("trap '' PIPE; \(Launcher.rest)") : [],
                output: daemon.directory("pipe"), errors: daemon.directory("errors"))
            try eventually("tail to be connected") { daemon.clientCount() == 1 }
            reader.close()
            try daemon.directory.awaitNoReader(of: "pipe")
            try server.send(Wire.line.frame("hello"))
            #expect(try tail.exitStatus() == (ignoresSignal ? 0 : -SIGPIPE))
            #expect(text(of: daemon.directory("errors")) == "")
        }
    }

    @Test func `tail with its output closed does not write to the bridge instead`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let server = try upstream.accept()
            let tail = try daemon.tail(
                "--count", "1", launcher: Launcher.shell("\(Launcher.rest) <&- >&- 2>&-"))
            try eventually("tail to be connected") { daemon.clientCount() == 1 }
            try server.send(Wire.line.frame("hello"))
            #expect(try tail.exitStatus() == 0)
            try eventually("tail to be gone") { daemon.clientCount() == 0 }
            #expect(server.receiveNow() == .nothing)
        }
    }
}
