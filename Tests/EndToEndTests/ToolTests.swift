import Glibc
import Linux
import Testing

/// The command lines of `trunklined` and `trunklinectl`.
@Suite(.timeLimit(.minutes(2)))
struct ToolTests {
    /// Runs a program to its end.
    private static func run(
        _ program: String, _ arguments: [String], in directory: TemporaryDirectory, input: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let (output, errors) = (directory("run.output"), directory("run.errors"))
        for path in [output, errors] { try? removeFile(path) }
        var inputPath = "/dev/null"
        if let input { inputPath = try directory.write(input, to: "run.input") }
        let process = try ChildProcess(
            [ChildProcess.path(of: program)] + arguments, environment: ["RUNTIME_DIRECTORY": directory.path],
            input: inputPath, output: output, errors: errors)
        return (try process.exitStatus(), text(of: output), text(of: errors))
    }

    @Test func `check is silent when all is well, and tells every mistake otherwise`() throws {
        let directory = try TemporaryDirectory()
        let good = try directory.write("upstream: {address: 'localhost:1'}", to: "good.yaml")
        let bad = try directory.write(
            "upstream: {address: 'localhost', framing: lines}\nsocket: {}", to: "bad.yaml")
        let fine = try Self.run("trunklined", ["--check", good, good], in: directory)
        #expect(fine.status == 0 && fine.output == "" && fine.errors == "")
        let wrong = try Self.run("trunklined", ["--check", good, bad], in: directory)
        #expect(wrong.status == 78 && wrong.output == "")
        let lines = wrong.errors.split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix(bad) }, "\(wrong.errors)")
        #expect(try Self.run("trunklined", [bad], in: directory).status == 78)
    }

    @Test func `what show prints is accepted by check, and shows the same again`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "upstream: {address: ['[::1]:5', 'unix:/x'], framing: {kind: delimiter, end: '\\0'}}",
            to: "a.yaml")
        let shown = try Self.run("trunklined", ["--show", directory("a.yaml")], in: directory)
        #expect(shown.status == 0)
        try directory.write(shown.output, to: "a.yaml")
        #expect(try Self.run("trunklined", ["--check", directory("a.yaml")], in: directory).status == 0)
        #expect(
            try Self.run("trunklined", ["--show", directory("a.yaml")], in: directory).output == shown.output)
    }

    @Test(arguments: ["trunklined", "trunklinectl"])
    func `version, help and mistakes`(program: String) throws {
        let directory = try TemporaryDirectory()
        #expect(
            try Self.run(program, ["--version"], in: directory).output == "\(program) \(Program.version)\n")
        let help = try Self.run(program, ["--help"], in: directory)
        #expect(help.status == 0 && help.output.hasPrefix("Usage: \(program)"))
        #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(help.output)")
        let mistake = try Self.run(program, ["--nonsense"], in: directory)
        #expect(mistake.status == 64 && mistake.errors.contains("nonsense"))
        #expect(try Self.run(program, [], in: directory).status == 64)
    }

    @Test(arguments: Wire.allCases)
    func `tail and send speak every framing`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', framing: \(wire.yaml)}") { daemon in
            let server = try upstream.accept()
            let config = daemon.directory("feed.yaml")
            let tail = try ChildProcess(
                [ChildProcess.path(of: "trunklinectl"), "tail", "feed", "--config", config, "--count", "2"],
                environment: ["RUNTIME_DIRECTORY": daemon.directory.path], output: daemon.directory("tail"),
                errors: daemon.directory("tail.errors"))
            try eventually("tail to be connected") { try daemon.clientCount() == 1 }
            let texts = ["one", "two", "three"].map {
                wire == .fixed ? $0 + String(repeating: ".", count: 40 - $0.count) : $0
            }
            for text in texts { try server.send(wire.frame(text)) }
            #expect(try tail.exitStatus() == 0)
            #expect(text(of: daemon.directory("tail")) == texts[0] + "\n" + texts[1] + "\n")
            let sent = try Self.run(
                "trunklinectl", ["send", "feed", "-c", config, texts[2]], in: daemon.directory)
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try server.receive(wire.frame(texts[2]).count) == wire.frame(texts[2]))
            let lines = try Self.run(
                "trunklinectl", ["send", "feed", "-c", config], in: daemon.directory,
                input: texts[0] + "\n" + texts[1])
            #expect(lines.status == 0, "\(lines.errors)")
            let expected = wire.frame(texts[0]) + wire.frame(texts[1])
            #expect(try server.receive(expected.count) == expected)
        }
    }

    @Test func `tail ends with an error when the bridge does, and without one when it is told to`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let tails = try (0..<2).map { number in
                try ChildProcess(
                    [
                        ChildProcess.path(of: "trunklinectl"), "tail", "feed", "--config",
                        daemon.directory("feed.yaml"),
                    ],
                    environment: ["RUNTIME_DIRECTORY": daemon.directory.path],
                    output: daemon.directory("tail"),
                    errors: daemon.directory("tail.\(number)"))
            }
            try eventually("both to be connected") { try daemon.clientCount() == 2 }
            tails[0].signal(SIGTERM)
            #expect(try tails[0].exitStatus() == 0)
            #expect(try daemon.terminate() == 0)
            #expect(try tails[1].exitStatus() == 1)
            #expect(text(of: daemon.directory("tail.1")).contains("the bridge feed closed the connection"))
        }
    }

    @Test func `a bridge that is not running is told how to be started`() throws {
        let directory = try TemporaryDirectory()
        let config = try directory.write(
            "upstream: {address: 'localhost:1'}\nsockets: {a: {send: no}}", to: "feed.yaml")
        let tail = try Self.run("trunklinectl", ["tail", "feed", "--config", config], in: directory)
        #expect(tail.status == 1 && tail.errors.contains("systemctl start trunkline@feed"))
        let send = try Self.run("trunklinectl", ["send", "feed", "--config", config, "x"], in: directory)
        #expect(send.status == 1 && send.errors.contains("send: no"))
        let other = try Self.run(
            "trunklinectl", ["tail", "feed", "--config", config, "--socket", "b"], in: directory)
        #expect(other.status == 1 && other.errors.contains("it has a"))
        let unknown = try Self.run("trunklinectl", ["tail", "none"], in: directory)
        #expect(unknown.status == 1 && unknown.errors.contains("/etc/trunkline/none.yaml"))
    }
}
