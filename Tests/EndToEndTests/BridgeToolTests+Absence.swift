import Glibc
import TestSupport
import Testing

/// Without a bridge that runs: what is said then, of it and of a wrong command line.
extension BridgeToolTests {
    @Test(arguments: [
        ["status", "feed"], ["monitor", "feed"], ["monitor"], ["status"], ["reconnect", "feed"],
        ["disconnect", "feed", "1"], ["log-level", "feed"], ["metrics", "feed"], ["top", "--once"],
        ["tail", "feed"], ["send", "feed", "x"], ["connect", "feed"],
        ["top", "--once", "feed"],
    ])
    func `a bridge that is not running is told with status 3`(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let work = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments, environment: Self.environment(directory),
            output: work("output"), errors: work("errors"))
        #expect(try process.exitStatus() == 3)
        let told = text(of: work("output")) + text(of: work("errors"))
        #expect(told.contains("not running") || told.contains("no bridge is running"))
        #expect(
            arguments.count == 1 || told.contains("systemctl start trunkline@feed")
                || ["metrics", "top"].contains(arguments[0]))
    }

    @Test func `a socket that a killed daemon has left is none`() throws {
        try Self.withBridge { daemon, _, _ in
            _ = try daemon.terminate(SIGKILL)
            #expect(try Self.run("status", "feed", in: daemon.directory).status == 3)
            #expect(try Self.run("status", in: daemon.directory).errors.contains("no bridge is running"))
            try daemon.directory.write("upstream: {}", to: "feed.yaml")
            for words in ["no right file", "no file"] {
                let send = try Self.run("send", "feed", "x", in: daemon.directory)
                #expect(send.status == 3, "\(words)")
                #expect(
                    send.errors.hasPrefix(
                        "trunklinectl: the bridge feed is not running; start it with 'systemctl start trunkline@feed'"
                    ))
                unlink(daemon.directory("feed.yaml"))
            }
        }
    }

    @Test func `a control socket that was removed is not taken for a bridge that does not run`() throws {
        try Self.withBridge { daemon, upstream, _ in
            #expect(unlink(daemon.directory("feed.control")) == 0)
            for arguments in [["status"], ["reconnect"], ["top", "--once"]] {
                let outcome = try Self.run(arguments + ["feed"], in: daemon.directory)
                #expect(outcome.status == 1, "\(arguments)")
                #expect(
                    (outcome.output + outcome.errors).contains(
                        "the bridge feed is running, but the file of its control"),
                    "\(outcome)")
            }
            // Its other sockets are there still, and its file tells where.
            let send = try Self.run(["send", "feed", "x"], in: daemon.directory)
            #expect(send.status == 0 && send.errors.isEmpty)
        }
    }

    @Test(arguments: [
        ["disconnect", "feed"], ["disconnect", "feed", "x"], ["disconnect", "feed", "0"], ["reconnect"],
        ["reconnect", "a", "b"], ["list", "a"], ["status", "--color"], ["check"], ["completion", "tcsh"],
        ["explode"], ["help", "explode"], ["status", ""], ["status", "feed/"], ["log-level", "feed", "inf"],
        ["tail", "feed", "-t", "-f", "json"],
    ])
    func `a wrong command line is told with status 64`(arguments: [String]) throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments, environment: Self.environment(directory),
            output: directory("output"), errors: directory("errors"))
        #expect(try process.exitStatus() == 64)
        #expect(text(of: directory("output")).isEmpty)
        #expect(text(of: directory("errors")).contains("--help'"))
    }

    @Test(arguments: [
        (["taill", "feed"], "there is no verb 'taill'; there are list,", "; did you mean 'tail'?"),
        (
            ["log-level", "feed", "debugg"], "'debugg' is no LEVEL; there are error,",
            "; did you mean 'debug'?"
        ),
    ])
    func `what is likely meant by a word that is unknown is told`(
        arguments: [String], beginning: String, end: String
    ) throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            [ChildProcess.path(of: "trunklinectl")] + arguments, environment: [:],
            output: directory("output"),
            errors: directory("errors"))
        #expect(try process.exitStatus() == 64)
        let line = text(of: directory("errors")).split(separator: "\n").first ?? ""
        #expect(line.hasPrefix("trunklinectl: \(beginning)") && line.hasSuffix(end), "\(line)")
    }

    @Test func `check says what the daemon's own check says`() throws {
        let directory = try TemporaryDirectory()
        let right = try directory.write("upstream: {address: 'localhost:1'}", to: "right.yaml")
        let wrong = try directory.write("upstream: {address: nowhere}\nx: 1", to: "wrong.yaml")
        for files in [[right], [right, wrong], [directory("none.yaml")]] {
            let tools = [["trunklinectl", "check"], ["trunklined", "--check"]]
            let outcomes = try tools.enumerated().map { number, tool in
                let process = try ChildProcess(
                    [ChildProcess.path(of: tool[0]), tool[1]] + files,
                    environment: Self.environment(directory),
                    output: directory("output"), errors: directory("\(files.count)\(number)"))
                let status = try process.exitStatus()
                return "\(status)\n" + text(of: directory("\(files.count)\(number)"))
            }
            #expect(outcomes[0] == outcomes[1])
            #expect(outcomes[0].hasPrefix(files == [right] ? "0\n" : "78\n\(directory.path)"))
        }
        #expect(text(of: directory("output")).isEmpty)
    }
}
