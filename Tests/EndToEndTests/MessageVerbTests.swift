import Glibc
import Linux
import TestSupport
import Testing

/// `trunklinectl`'s verbs for messages, beyond what `ToolTests` has.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct MessageVerbTests {
    /// The tool at work, with a pipe to its input.
    private final class Tool {
        let process: ChildProcess
        private var input: FileDescriptor?
        private let work: TemporaryDirectory

        convenience init(_ arguments: String..., of daemon: DaemonProcess) throws {
            try self.init(arguments, of: daemon)
        }

        init(_ arguments: [String], of daemon: DaemonProcess) throws {
            work = try TemporaryDirectory()
            guard mkfifo(work("input"), 0o600) == 0 else { throw SystemError(call: "mkfifo", code: errno) }
            // Both ends, so that nobody waits for the other to open it.
            input = FileDescriptor(owning: open(work("input"), O_RDWR | O_CLOEXEC))
            let command = [ChildProcess.path(of: "trunklinectl")] + arguments
            process = try ChildProcess(
                command + ["--config", daemon.directory("feed.yaml")],
                environment: ["RUNTIME_DIRECTORY": daemon.directory.path], input: work("input"),
                output: work("output"), errors: work("errors"))
        }

        func type(_ text: String) throws { try input?.writeAll(Array(text.utf8).span) }
        func endInput() { input = nil }
        var output: String { text(of: work("output")) }
        var errors: String { text(of: work("errors")) }
    }

    private static func withFeed(
        _ wire: Wire = .line, reconnect: String = "250ms", patience: String = "1s",
        _ body: (DaemonProcess, Stream) throws -> Void
    ) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              framing: \(wire.yaml)
              max-message: 1000
              reconnect: {min: \(reconnect), max: 1h}
            hold-time: 1h
            sockets: {default: {patience: \(patience)}, listen: {send: no}}
            """
        try DaemonProcess.run(configuration) { try body($0, try upstream.accept()) }
    }

    @Test(arguments: ["hex", "base64", "json"])
    func `what tail prints, send takes`(format: String) throws {
        try Self.withFeed(.delimiter) { daemon, server in
            let frame = Wire.delimiter.frame("two\nlines \u{1B}[2J")
            let tail = try Tool("tail", "feed", "--format", format, "--count", "1", of: daemon)
            try eventually("tail to be connected") { daemon.clientCount() == 1 }
            try server.send(frame)
            #expect(try tail.process.exitStatus() == 0)
            #expect(tail.output.split(separator: "\n").count == 1, "\(tail.output)")
            let send = try Tool("send", "feed", "-f", format, of: daemon)
            try send.type(tail.output)
            send.endInput()
            #expect(try send.process.exitStatus() == 0)
            #expect(try server.receive(frame.count) == frame)
        }
    }

    @Test func `a line that is no message is told with its number, and nothing after it is sent`() throws {
        try Self.withFeed { daemon, server in
            let send = try Tool("send", "feed", "--format", "hex", of: daemon)
            try send.type("4142\n43\nxyz\n44\n")
            #expect(try send.process.exitStatus() == 1)
            #expect(
                send.errors
                    == "trunklinectl: cannot send line 3 of standard input: it holds what is no hexadecimal digit; "
                    + "the 2 lines before it were sent\n")
            #expect(try server.receive(5) == Array("AB\nC\n".utf8))
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test func `files are sent one after the other, as many messages as are wanted`() throws {
        try Self.withFeed { daemon, server in
            let directory = try TemporaryDirectory()
            let one = try directory.write("a\nb", to: "one")
            let two = try directory.write("c\nd\n", to: "two")
            let send = try Tool("send", "feed", "-F", one, "--file", two, "-n", "3", of: daemon)
            #expect(try send.process.exitStatus() == 0)
            #expect(try server.receive(6) == Array("a\nb\nc\n".utf8))
            let bad = try directory.write("e\n\(String(repeating: "x", count: 1001))\nf\n", to: "bad")
            let more = try Tool("send", "feed", "-F", two, "-F", bad, of: daemon)
            #expect(try more.process.exitStatus() == 1)
            #expect(
                more.errors.contains("cannot send line 2 of \(bad): it is longer than any message"),
                "\(more.errors)")
            #expect(try server.receive(6) == Array("c\nd\ne\n".utf8))
            let none = try Tool("send", "feed", "-F", directory("none"), of: daemon)
            #expect(try none.process.exitStatus() == 1)
            #expect(none.errors.contains("cannot read \(directory("none")): No such file"), "\(none.errors)")
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test func `a text that is no message is told, and that nothing was sent`() throws {
        try Self.withFeed { daemon, _ in
            let send = try Tool("send", "feed", "-f", "hex", "414", of: daemon)
            #expect(try send.process.exitStatus() == 1)
            let words = "cannot send '414': an odd number of hexadecimal digits; nothing was sent"
            #expect(send.errors == "trunklinectl: \(words)\n")
        }
    }

    @Test func `a message that the bridge could not send on is told, and not sent`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', framing: {kind: fixed, size: 4}}
            sockets: {default: {framing: line}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let why = "the upstream's send-framing (fixed) cannot carry it: every message has exactly 4 bytes"
            let one = try Tool("send", "feed", "abcde", of: daemon)
            #expect(try one.process.exitStatus() == 1)
            #expect(one.errors == "trunklinectl: cannot send 'abcde': \(why); nothing was sent\n")
            for verb in ["send", "connect"] {
                let several = try Tool(verb, "feed", of: daemon)
                try several.type("abcd\nabcde\nefgh\n")
                several.endInput()
                #expect(try several.process.exitStatus() == 1)
                #expect(
                    several.errors
                        == "trunklinectl: cannot send line 2 of standard input: \(why); the line before it was sent\n"
                )
                #expect(try server.receive(4) == Array("abcd".utf8))
            }
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test func `the settings are those of the daemon, whatever has become of its file`() throws {
        try Self.withFeed(.delimiter) { daemon, server in
            try daemon.directory.write("upstream: {address: 'localhost:1'}", to: "feed.yaml")
            let work = try TemporaryDirectory()
            let tail = try ChildProcess(
                [ChildProcess.path(of: "trunklinectl"), "tail", "feed", "--count", "1", "-f", "hex"],
                environment: [
                    "RUNTIME_DIRECTORY": daemon.directory.path,
                    "CONFIGURATION_DIRECTORY": daemon.directory.path,
                ], output: work("output"), errors: work("errors"))
            try eventually("tail to be connected") { daemon.clientCount() == 1 }
            try server.send(Wire.delimiter.frame("two\nlines"))
            #expect(try tail.exitStatus() == 0)
            let digits = Wire.delimiter.payload("two\nlines").utf8.map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }
            #expect(text(of: work("output")) == digits.joined() + "\n")
        }
    }

    @Test(arguments: ["tail", "send", "connect"])
    func `that the server is away is told`(verb: String) throws {
        try Self.withFeed(reconnect: "1h") { daemon, server in
            server.close()
            try daemon.awaitStatus("waiting")
            let tool = try Tool(verb, "feed", of: daemon)
            let end =
                verb == "tail" ? "messages come when it is back" : "what is sent waits until it has been away"
            try eventually("the warning") {
                tool.errors.hasPrefix("trunklinectl: the server is away: ")
                    && tool.errors.contains("; \(end)")
            }
        }
    }

    @Test(arguments: [
        ("hold-time: 0", "it has been away for longer than hold-time, 0"),
        ("when-down: discard", "when-down: discard"),
    ])
    func `what would be thrown away at once is not sent`(setting: String, why: String) throws {
        let upstream = try FakeUpstream(isListening: false)
        let configuration =
            "upstream: {address: '\(upstream.address)', reconnect: {min: 1h, max: 1h}}\n\(setting)"
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitStatus("waiting")
            for arguments in [["send", "feed", "now"], ["send", "feed"], ["connect", "feed"]] {
                let send = try Tool(arguments, of: daemon)
                #expect(try send.process.exitStatus() == 1)
                #expect(send.errors.hasPrefix("trunklinectl: the server is away: "), "\(send.errors)")
                #expect(
                    send.errors.hasSuffix(
                        "; what is sent is thrown away at once (\(why)); nothing was sent\n"))
            }
        }
    }

    @Test(arguments: ["max-clients", "max-clients-per-user"])
    func `what a bridge has not taken that refuses one more client is told`(limit: String) throws {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)'}\n\(limit): 1"
        try DaemonProcess.run(configuration) { daemon in
            let (server, client) = (try upstream.accept(), try daemon.connect())
            for arguments in [["send", "feed", "x"], ["connect", "feed"]] {
                let tool = try Tool(arguments, of: daemon)
                try tool.type("x\n")
                tool.endInput()
                #expect(try tool.process.exitStatus() == 1, "\(arguments)")
                #expect(
                    tool.errors
                        == "trunklinectl: the bridge feed closed the connection: \(limit) (1) are connected\n"
                )
            }
            #expect(server.staysSilent(for: .milliseconds(20)))
            client.close()
            try eventually("room for another client") {
                try Tool("send", "feed", "y", of: daemon).process.exitStatus() == 0
            }
            #expect(try server.receive(2) == Array("y\n".utf8))
        }
    }

    @Test(arguments: ["tail", "send", "connect"])
    func `a socket whose file was removed is told, and what puts it back`(verb: String) throws {
        try Self.withFeed { daemon, _ in
            #expect(unlink(daemon.path()) == 0)
            let tool = try Tool(verb, "feed", of: daemon)
            #expect(try tool.process.exitStatus() == 1)
            #expect(
                tool.errors
                    == "trunklinectl: the bridge feed is running, but the file of its socket default is gone "
                    + "(\(daemon.path())); 'systemctl restart trunkline@feed' puts it back\n")
        }
    }

    @Test func `send is no slow client, however much arrives meanwhile`() throws {
        // Whatever the tool has to wait for a processor; one that never reads stops the server for good.
        try Self.withFeed(patience: "infinity") { daemon, server in
            let send = try Tool("send", "feed", of: daemon)
            try eventually("send to be connected") { daemon.clientCount() == 1 }
            // More than the ring and the kernel hold.
            let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
            for _ in 0..<8000 { try server.send(line) }
            try send.type("still here\n")
            send.endInput()
            #expect(try send.process.exitStatus() == 0)
            #expect(try server.receive(11) == Array("still here\n".utf8))
        }
    }

    @Test
    func `connect prints what arrives and sends what is typed, until the input has ended and the time is up`()
        throws
    {
        try Self.withFeed { daemon, server in
            let tool = try Tool("connect", "feed", "--wait", "1", of: daemon)
            try eventually("connect to be connected") { daemon.clientCount() == 1 }
            try server.send(Array("hello\n".utf8))
            try eventually("the message") { tool.output == "hello\n" }
            try tool.type("hi\nthe last")
            #expect(try server.receive(3) == Array("hi\n".utf8))
            let end = ContinuousClock.now
            tool.endInput()
            #expect(try server.receive(9) == Array("the last\n".utf8))
            try server.send(Array("bye\n".utf8))
            // A test that was not scheduled in time has missed it.
            let isLate = ContinuousClock.now - end > .milliseconds(500)
            #expect(try tool.process.exitStatus() == 0)
            #expect(tool.output == "hello\nbye\n" || isLate && tool.output == "hello\n")
            #expect(tool.errors.isEmpty)
        }
    }

    @Test func `connect goes on after the end of its input until the bridge ends it`() throws {
        try Self.withFeed { daemon, server in
            let tool = try Tool("connect", "feed", of: daemon)
            try tool.type("hi\n")
            tool.endInput()
            #expect(try server.receive(3) == Array("hi\n".utf8))
            try server.send(Array("a\n".utf8))
            try eventually("the message") { tool.output == "a\n" }
            _ = try daemon.terminate()
            #expect(try tool.process.exitStatus() == 0)
            #expect(tool.errors.isEmpty)
        }
    }

    @Test func `connect to a bridge that ends has failed, unless nothing more was to be sent`() throws {
        try Self.withFeed { daemon, server in
            let tool = try Tool("connect", "feed", of: daemon)
            try eventually("connect to be connected") { daemon.clientCount() == 1 }
            let listening = try Tool("connect", "feed", "--socket", "listen", of: daemon)
            #expect(try listening.process.exitStatus() == 1)
            #expect(listening.errors.contains("send: no"))
            _ = try daemon.terminate()
            #expect(try tool.process.exitStatus() == 1)
            #expect(tool.errors == "trunklinectl: the bridge feed closed the connection\n")
        }
    }
}
