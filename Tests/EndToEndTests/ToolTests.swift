import Glibc
import TestSupport
import Testing

/// The two programs as a person uses them.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ToolTests {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    private static func run(
        _ program: String, _ arguments: String..., in directory: TemporaryDirectory, input: String = ""
    ) throws -> Outcome {
        let work = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: program)] + arguments, environment: ["RUNTIME_DIRECTORY": directory.path],
            input: try work.write(input, to: "input"), output: work("output"), errors: work("errors"))
        let status = try process.exitStatus()
        return Outcome(status: status, output: text(of: work("output")), errors: text(of: work("errors")))
    }

    private static func withFeed(
        _ wire: Wire = .line, _ body: (DaemonProcess, FakeUpstream, String) throws -> Void
    ) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', framing: \(wire.yaml), max-message: 1000}
            sockets: {default: , listen: {send: no}}
            """
        try DaemonProcess.run(configuration) { try body($0, upstream, $0.directory("feed.yaml")) }
    }

    // MARK: trunklinectl

    @Test(arguments: Wire.allCases)
    func `tail prints each message on a line, and ends after --count`(wire: Wire) throws {
        try Self.withFeed(wire) { daemon, upstream, file in
            let server = try upstream.accept()
            let work = try TemporaryDirectory()
            let tail = try daemon.tail("--count", "3", output: work("output"), errors: work("errors"))
            try eventually("tail to be connected") { daemon.clientCount() == 1 }
            for word in ["one", "", "three", "four"] { try server.send(wire.frame(word)) }
            let status = try tail.exitStatus()
            #expect(status == 0)
            let lines = ["one", "", "three"].map { wire.payload($0) + "\n" }
            #expect(text(of: work("output")) == lines.joined())
            #expect(text(of: work("errors")).isEmpty)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `tail that a signal ends has succeeded; tail of a bridge that ends has not`(signal: Int32) throws {
        try Self.withFeed { daemon, upstream, file in
            let work = try TemporaryDirectory()
            let tails = try (0..<2).map { number in
                try daemon.tail(
                    "--socket", "listen", output: work("output"), errors: work("errors\(number)"))
            }
            try eventually("both tails to be connected") { daemon.clientCount(of: "listen") == 2 }
            tails[0].signal(signal)
            let status = try tails[0].exitStatus()
            #expect(status == 0)
            _ = try daemon.terminate()
            let other = try tails[1].exitStatus()
            #expect(other == 1)
            #expect(text(of: work("errors1")).contains("the bridge feed closed the connection"))
        }
    }

    @Test(arguments: Wire.allCases)
    func `send sends one text, or each line of its input`(wire: Wire) throws {
        try Self.withFeed(wire) { daemon, upstream, file in
            let server = try upstream.accept()
            let words = ["hello", "one", "", "three", "last"]
            let texts = words.map(wire.payload)
            let one = try Self.run(
                "trunklinectl", "send", "feed", texts[0], "--config", file, in: daemon.directory)
            // The last line need not be ended.
            let more = try Self.run(
                "trunklinectl", "send", "feed", "-c", file, in: daemon.directory,
                input: texts.dropFirst().joined(separator: "\n"))
            let expected = words.flatMap { wire.frame($0) }
            #expect(try server.receive(expected.count) == expected)
            for outcome in [one, more] {
                #expect(outcome.status == 0)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.isEmpty)
            }
        }
    }

    @Test func `send refuses what cannot be sent, and says why`() throws {
        try Self.withFeed { daemon, upstream, file in
            let server = try upstream.accept()
            let refused = [
                (["two\nlines"], "holds the bytes that end a message"),
                ([String(repeating: "x", count: 1001)], "longer than max-message (1000)"),
                (["hello", "--socket", "listen"], "send: no"),
                (["hello", "--socket", "nowhere"], "has no socket 'nowhere'; it has default, listen"),
            ]
            for (arguments, words) in refused {
                let work = try TemporaryDirectory()
                let process = try ChildProcess(
                    [ChildProcess.path(of: "trunklinectl"), "send", "feed", "--config", file] + arguments,
                    environment: ["RUNTIME_DIRECTORY": daemon.directory.path], output: work("output"),
                    errors: work("errors"))
                let status = try process.exitStatus()
                #expect(status == 1)
                #expect(text(of: work("errors")).contains(words), "\(text(of: work("errors")))")
            }
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    @Test(arguments: ["tail", "send"])
    func `a bridge that is not running is told, and how to start it`(verb: String) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("upstream: {address: 'localhost:1'}", to: "feed.yaml")
        let outcome = try Self.run("trunklinectl", verb, "feed", "-c", file, in: directory)
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("is not running; start it with 'systemctl start trunkline@feed'"))
    }

    // MARK: trunklined

    private static let everySetting = """
        upstream:
          address: [feed.example.org:10110, '[2001:db8::1]:10110', unix:/run/server]
          framing: {kind: delimiter, end: '\\r\\n\\xff'}
          send-framing: {kind: length, bytes: 2, order: little}
          max-message: 30K
          connect-timeout: infinity
          idle-timeout: 1min 30s
          reconnect: {min: 20ms, max: 1h}
        sockets:
          default:
          other: {path: /tmp/other, mode: 0600, send: no, patience: infinity}
        buffer: 100K
        outbox: 1G
        when-down: discard
        hold-time: infinity
        """

    @Test func `check says nothing of what is right`() throws {
        let directory = try TemporaryDirectory()
        let one = try directory.write("upstream: {address: 'localhost:1'}", to: "one.yaml")
        let two = try directory.write(Self.everySetting, to: "two.yaml")
        let outcome = try Self.run("trunklined", "--check", one, two, in: directory)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.isEmpty)
    }

    @Test func `what this machine lacks is a warning of check, and no mistake`() throws {
        let directory = try TemporaryDirectory()
        let path = directory("none/x.sock")
        let file = try directory.write(
            "upstream: {address: 'localhost:1'}\nsockets: {a: {path: \(path)}}", to: "one.yaml")
        let outcome = try Self.run("trunklined", "--check", file, in: directory)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors
                == "\(file): warning: sockets.a.path: cannot listen on \(path): there is no directory"
                + " \(directory("none")), on this machine\n")
    }

    @Test(arguments: [["--check"], []])
    func `every error of a file is told with its place, and nothing starts`(options: [String]) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            upstream:
              address: nowhere
              framing: lines
              idle-timeout: soon
            sockets: {default: {mode: 9999}}
            unknown: 1
            """, to: "feed.yaml")
        let work = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklined")] + options + [file],
            environment: ["RUNTIME_DIRECTORY": directory.path], output: work("output"), errors: work("errors")
        )
        let status = try process.exitStatus()
        #expect(status == 78)
        let lines = text(of: work("errors")).split(separator: "\n")
        #expect(lines.count == 5, "\(lines)")
        let places = [
            "2:12: upstream.address", "3:12: upstream.framing", "4:17: upstream.idle-timeout",
            "5:27: sockets.default.mode", "6:1: unknown",
        ]
        for (line, place) in zip(lines, places) { #expect(line.hasPrefix("\(file):\(place): "), "\(line)") }
        #expect(text(of: work("output")).isEmpty)
    }

    @Test func `what show prints is accepted, and shows the same again`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Self.everySetting, to: "feed.yaml")
        let shown = try Self.run("trunklined", "--show", file, in: directory)
        #expect(shown.status == 0)
        #expect(shown.errors.isEmpty)
        let again = try TemporaryDirectory()
        let copy = try again.write(shown.output, to: "feed.yaml")
        let checked = try Self.run("trunklined", "--check", copy, in: again)
        #expect(checked.status == 0)
        #expect(checked.errors.isEmpty)
        #expect(try Self.run("trunklined", "--show", copy, in: again).output == shown.output)
        for setting in ["buffer: 128K", "hold-time: infinity", "patience: 1s", "\(directory.path)/feed.sock"]
        {
            #expect(shown.output.contains(setting), "\(shown.output)")
        }
    }

    @Test(arguments: ["trunklined", "trunklinectl"])
    func `version and help go to standard output, and a wrong option is told`(program: String) throws {
        let directory = try TemporaryDirectory()
        for (option, words) in [("--version", "\(program) "), ("--help", "Usage: \(program)")] {
            let outcome = try Self.run(program, option, in: directory)
            #expect(outcome.status == 0)
            #expect(outcome.output.hasPrefix(words))
            #expect(outcome.errors.isEmpty)
        }
        for option in ["--nonsense", "-Z"] {
            let outcome = try Self.run(program, option, in: directory)
            #expect(outcome.status == 64)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("--help"))
        }
        let nothing = try Self.run(program, in: directory)
        #expect(nothing.status == 64)
        #expect(nothing.errors.contains("missing"))
    }

    @Test func `the help names every key`() throws {
        let directory = try TemporaryDirectory()
        let help = try Self.run("trunklined", "--help", in: directory).output
        let keys = [
            "address", "framing", "send-framing", "max-message", "connect-timeout", "idle-timeout",
            "reconnect", "path",
            "mode", "group", "send", "when-behind", "patience", "buffer", "outbox", "when-down", "hold-time",
        ]
        for key in keys { #expect(help.contains(key), "\(key)") }
    }

    @Test func `a file that is not there is told`() throws {
        let directory = try TemporaryDirectory()
        let outcome = try Self.run("trunklined", directory("missing.yaml"), in: directory)
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains(directory("missing.yaml")))
        #expect(outcome.errors.contains("No such file"))
    }
}
