import Control
import Foundation
import Glibc
import TestSupport
import Testing

/// `trunklinectl` with a bridge that runs: seeing it, and steering it.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct BridgeToolTests {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Starts the tool. It finds the daemon's socket and file, and the programs that the test has put into `bin`.
    private static func start(_ arguments: [String], _ daemon: DaemonProcess, _ name: String) throws
        -> ChildProcess
    {
        try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments,
            environment: environment(daemon.directory), output: daemon.directory("\(name).output"),
            errors: daemon.directory("\(name).errors"))
    }

    static func environment(_ directory: TemporaryDirectory) -> [String: String] {
        [
            "RUNTIME_DIRECTORY": directory.path, "CONFIGURATION_DIRECTORY": directory.path,
            "PATH": directory("bin"), "TZ": "UTC",
        ]
    }

    static func run(_ arguments: String..., in directory: TemporaryDirectory) throws -> Outcome {
        try run(arguments, in: directory)
    }

    static func run(_ arguments: [String], in directory: TemporaryDirectory) throws -> Outcome {
        let work = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments, environment: environment(directory),
            output: work("output"), errors: work("errors"))
        let status = try process.exitStatus()
        return Outcome(status: status, output: text(of: work("output")), errors: text(of: work("errors")))
    }

    static func withBridge(_ body: (DaemonProcess, FakeUpstream, Stream) throws -> Void) throws {
        try ControlTests.run(sockets: "default: , watch: {send: no}", body)
    }

    // MARK: Seeing

    @Test func `list shows bridges that run, and those that are configured`() throws {
        try Self.withBridge { daemon, upstream, _ in
            _ = try daemon.directory.write("", to: "chat.yaml")
            let client = try daemon.connect()
            let list = try Self.run("list", in: daemon.directory)
            #expect(list.status == 0 && list.errors.isEmpty)
            let lines = list.output.split(separator: "\n").map {
                $0.split(separator: " ").map(String.init)
            }
            #expect(lines.count == 4)
            #expect(lines[1] == ["○", "chat", "not", "running"])
            #expect(lines[2].prefix(4) == ["●", "feed", "ready", upstream.address])
            #expect(lines[2].suffix(4) == ["ago", "1", "0", "0"])
            #expect(lines[3] == ["2", "bridges", "listed."])
            #expect(try Self.run("list", "--names", in: daemon.directory).output == "chat\nfeed\n")

            let json = try Self.run("list", "--json", in: daemon.directory).output
            let entries = try #require(
                try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
            #expect(entries.map { $0["state"] as? String } == ["not-running", "running"])
            #expect(entries[1]["clients"] as? Int == 1)
            withExtendedLifetime(client) {}
        }
    }

    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
        (["TERM": "xterm", "NO_COLOR": "1"], false), (["TERM": "dumb"], false), ([:], false),
    ])
    func `colours are for terminals that have them, and for who wants them`(
        environment: [String: String], isColoured: Bool
    ) throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "feed.yaml")
        let tool = "\(ChildProcess.path(of: "trunklinectl")) list"
        // script(1) makes a terminal.
        let commands = [["script", "-qec", tool, "/dev/null"], ["sh", "-c", tool]]
        for (number, command) in commands.enumerated() {
            let output = directory("output\(number)")
            let process = try ChildProcess(
                ["/usr/bin/env"] + command,
                environment: Self.environment(directory).merging(["PATH": "/usr/bin:/bin"]) { $1 }
                    .merging(environment) { $1 }, output: output, errors: "/dev/null")
            #expect(try process.exitStatus() == 0)
            #expect(text(of: output).contains("1 bridge listed."))
            #expect(text(of: output).contains("\u{1B}") == (number == 0 && isColoured))
        }
    }

    @Test(arguments: [["status"], ["status", "feed"]])
    func `status shows a bridge and its clients`(arguments: [String]) throws {
        try Self.withBridge { daemon, upstream, server in
            let client = try daemon.connect(to: "watch")
            try server.send(Array("news\n".utf8))
            _ = try client.receive(5)
            let process = try Self.start(arguments, daemon, "status")
            #expect(try process.exitStatus() == 0)
            let output = text(of: daemon.directory("status.output"))
            #expect(output.hasPrefix("● feed - ready \(upstream.address)\n"))
            #expect(output.contains("1 message, 5 B\n"))
            #expect(output.contains("watch    \(daemon.path(of: "watch"))  1 client\n"))
            let row = output.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
            #expect(
                row.count > 9 && row[0] == "1" && row[2...3] == ["5", "B"] && row.contains("\(getpid())"))
            #expect(text(of: daemon.directory("status.errors")).isEmpty)
        }
    }

    @Test func `status as JSON is what the bridge describes`() throws {
        try Self.withBridge { daemon, _, _ in
            let client = try daemon.connect()
            let output = try Self.run("status", "--json", in: daemon.directory).output
            let descriptions = try JSONDecoder().decode([Description].self, from: Data(output.utf8))
            #expect(descriptions.count == 1 && descriptions[0].bridge.pid == daemon.process.pid)
            #expect(descriptions[0].clients.map(\.pid) == [getpid()])
            withExtendedLifetime(client) {}
        }
    }

    @Test func `status ends with what the journal has, made printable`() throws {
        try Self.withBridge { daemon, _, _ in
            try FileManager.default.createDirectory(
                atPath: daemon.directory("bin"), withIntermediateDirectories: false)
            let script = "#!/bin/sh\nprintf 'of %s\\n\\033[31mred\\n' \"$1\"\n"
            let path = try daemon.directory.write(script, to: "bin/journalctl")
            chmod(path, 0o755)
            let output = try Self.run("status", "feed", in: daemon.directory).output
            #expect(output.hasSuffix("\n\nof --unit=trunkline@feed\n\\e[31mred\n"))
        }
    }

    @Test func `metrics tell whether a bridge runs, and what has flowed`() throws {
        try Self.withBridge { daemon, _, server in
            _ = try daemon.directory.write("", to: "chat.yaml")
            let client = try daemon.connect()
            try server.send(Array("news\n".utf8))
            _ = try client.receive(5)
            let metrics = try Self.run("metrics", in: daemon.directory)
            #expect(metrics.status == 0 && metrics.errors.isEmpty)
            let lines = Set(metrics.output.split(separator: "\n"))
            for line in [
                #"trunkline_up{bridge="chat"} 0"#, #"trunkline_up{bridge="feed"} 1"#,
                #"trunkline_received_bytes_total{bridge="feed"} 5"#,
                #"trunkline_uplink_state{bridge="feed",trunkline_uplink_state="ready"} 1"#, "# EOF",
            ] {
                #expect(lines.contains(line[...]), "\(line)")
            }
            #expect(try Self.run("metrics", "chat", in: daemon.directory).status == 3)
        }
    }

    // MARK: Following

    private func awaitLine(_ words: String, in daemon: DaemonProcess) throws {
        let path = daemon.directory("monitor.output")
        try eventually("'\(words)' from monitor, not \(text(of: path))") { text(of: path).contains(words) }
    }

    @Test(arguments: [(SIGTERM, "ended"), (SIGKILL, "closed the connection")])
    func `monitor tells what happens, that the bridge has ended, and that it is back`(
        signal: Int32, end: String
    ) throws {
        try Self.withBridge { daemon, upstream, server in
            let monitor = try Self.start(["monitor"], daemon, "monitor")
            try awaitLine("ready \(upstream.address)", in: daemon)
            let client = try daemon.connect()
            try awaitLine("client 1 of default", in: daemon)
            server.close()
            try awaitLine("connection to \(upstream.address) lost", in: daemon)
            client.close()
            _ = try daemon.terminate(signal)
            let errors = daemon.directory("monitor.errors")
            let told = "trunklinectl: the bridge feed has \(end)\n"
            try eventually("the end") { text(of: errors) == told }
            let before = text(of: daemon.directory("monitor.output"))
            let again = try ChildProcess(
                [ChildProcess.path(of: "trunklined"), daemon.directory("feed.yaml")],
                environment: Self.environment(daemon.directory), output: "/dev/null", errors: "/dev/null")
            try eventually("its return") {
                text(of: errors) == told + "trunklinectl: the bridge feed is back\n"
            }
            try eventually("its state") { text(of: daemon.directory("monitor.output")).count > before.count }
            #expect(!monitor.hasEnded)
            withExtendedLifetime(again) {}
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `monitor as JSON is an object a line, and ends quietly`(signal: Int32) throws {
        try Self.withBridge { daemon, _, _ in
            let monitor = try Self.start(["monitor", "feed", "--json"], daemon, "monitor")
            try awaitLine(#""event":"monitoring""#, in: daemon)
            let client = try daemon.connect()
            try awaitLine(#""event":"clientConnected""#, in: daemon)
            monitor.signal(signal)
            #expect(try monitor.exitStatus() == 0)
            #expect(text(of: daemon.directory("monitor.errors")).isEmpty)
            for line in text(of: daemon.directory("monitor.output")).split(separator: "\n") {
                let event = try JSONDecoder().decode(EventDescription.self, from: Data(line.utf8))
                #expect(event.time > 0)
            }
            withExtendedLifetime(client) {}
        }
    }

    @Test func `monitor ends when nobody reads it any more, though nothing happens`() throws {
        try Self.withBridge { daemon, _, _ in
            let reader = try daemon.directory.makePipe("monitor.output")
            let monitor = try Self.start(["monitor", "feed"], daemon, "monitor")
            try eventually("the first event") { reader.waiting > 0 }
            reader.close()
            #expect(try monitor.exitStatus() == 0)
            #expect(text(of: daemon.directory("monitor.errors")).isEmpty)
        }
    }

    // MARK: Steering

    @Test func `reconnect makes a new connection`() throws {
        try Self.withBridge { daemon, upstream, server in
            let outcome = try Self.run("reconnect", "feed", in: daemon.directory)
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
            _ = try upstream.accept()
            try daemon.awaitLine("connecting anew")
        }
    }

    @Test func `disconnect ends clients, and tells of those that there are not`() throws {
        try Self.withBridge { daemon, _, _ in
            let clients = try daemon.connect(3)
            let outcome = try Self.run("disconnect", "feed", "1", "77", "3", in: daemon.directory)
            #expect(outcome.status == 1 && outcome.output.isEmpty)
            #expect(outcome.errors == "trunklinectl: the bridge feed has no client 77\n")
            try eventually("one client") { daemon.clientCount() == 1 }
            withExtendedLifetime(clients) {}
        }
    }

    @Test func `log-level shows and sets what is logged`() throws {
        try Self.withBridge { daemon, _, _ in
            #expect(try Self.run("log-level", "feed", in: daemon.directory).output == "info\n")
            let set = try Self.run("log-level", "feed", "warning", in: daemon.directory)
            #expect(set.status == 0 && set.output.isEmpty)
            #expect(try Self.run("log-level", "feed", in: daemon.directory).output == "warning\n")
            let wrong = try Self.run("log-level", "feed", "loud", in: daemon.directory)
            #expect(wrong.status == 64)
            #expect(wrong.errors.contains("'loud' is no LEVEL; there are error, warning"))
        }
    }

    @Test func `of a bridge that hangs, everyone tells what is not known and what may still come`() throws {
        try Self.withBridge { daemon, _, _ in
            let clients = try daemon.connect(2)
            daemon.process.signal(SIGSTOP)
            defer { daemon.process.signal(SIGCONT) }
            let silence = "trunklinectl: the bridge feed has not answered for 5.0 seconds"
            let list = try Self.start(["list"], daemon, "list")
            let metrics = try Self.start(["metrics", "-o", daemon.directory("figures")], daemon, "metrics")
            let top = try Self.start(["top", "--once"], daemon, "top")
            let disconnect = try Self.start(["disconnect", "feed", "1", "2"], daemon, "disconnect")
            for (name, process) in [
                ("list", list), ("metrics", metrics), ("top", top), ("disconnect", disconnect),
            ] {
                #expect(try process.exitStatus() == 1, "\(name)")
            }
            #expect(text(of: daemon.directory("list.errors")) == "\(silence)\n")
            #expect(text(of: daemon.directory("list.output")).hasSuffix("unknown\n\n1 bridge listed.\n"))
            #expect(text(of: daemon.directory("metrics.errors")) == "\(silence)\n")
            #expect(text(of: daemon.directory("figures")) == "# EOF\n")
            #expect(
                text(of: daemon.directory("disconnect.errors"))
                    == "\(silence); it may still be done when the bridge answers again; "
                    + "disconnected before: none; without an answer: 1; not tried: 2\n")
            withExtendedLifetime(clients) {}
        }
    }

    // MARK: Output that cannot be written

    @Test(
        arguments: [
            ["--help"], ["--version"], ["help"], ["list"], ["list", "--names"], ["list", "--json"],
            ["status", "feed"], ["status", "--json"], ["top", "--once"], ["metrics"], ["log-level", "feed"],
            ["completion", "zsh"], ["manual"], ["monitor"], ["tail", "feed"],
        ])
    func `output that cannot be written is told, and ends with status 1`(arguments: [String]) throws {
        try Self.withBridge { daemon, _, server in
            let process = try ChildProcess(
                [ChildProcess.path(of: "trunklinectl")] + arguments,
                environment: Self.environment(daemon.directory), output: "/dev/full",
                errors: daemon.directory("full.errors"))
            if arguments[0] == "tail" {
                try eventually("tail to be connected") { daemon.clientCount() == 1 }
                try server.send(Array("news\n".utf8))
            }
            #expect(try process.exitStatus() == 1)
            #expect(
                text(of: daemon.directory("full.errors"))
                    == "trunklinectl: cannot write to standard output: No space left on device (errno 28)\n")
        }
    }

    @Test func `figures that cannot be written leave the file as it was`() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("old", to: "figures")
        let outcome = try Self.run("metrics", "-o", file, in: directory)
        #expect(outcome.status == 0 && outcome.output.isEmpty && text(of: file) == "# EOF\n")
        let none = directory("none/figures")
        let failed = try Self.run("metrics", "-o", none, in: directory)
        #expect(failed.status == 1)
        #expect(failed.errors.hasPrefix("trunklinectl: cannot write to \(none): open: No such file"))
    }

    @Test(arguments: [
        (["help"], "Usage: trunklinectl VERB"), (["help", "tail"], "Usage: trunklinectl tail"),
    ])
    func `help is a verb, too`(arguments: [String], beginning: String) throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments, environment: [:],
            output: directory("output"),
            errors: directory("errors"))
        #expect(try process.exitStatus() == 0)
        #expect(text(of: directory("output")).hasPrefix(beginning))
    }
}
