import Glibc
import TestSupport
import Testing

/// What a person sees at a terminal.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct TerminalTests {
    private static let tool = ChildProcess.path(of: "trunklinectl")

    /// A bridge that is connected to a server, and a terminal beside it.
    private static func withTerminal(
        columns: Int = 80, rows: Int = 24,
        _ body: (ScreenTerminal, DaemonProcess, Stream, FakeUpstream) throws -> Void
    ) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}")
        {
            daemon in
            let server = try upstream.accept()
            let terminal = try ScreenTerminal(
                columns: columns, rows: rows,
                environment: [
                    "RUNTIME_DIRECTORY": daemon.directory.path,
                    "CONFIGURATION_DIRECTORY": daemon.directory.path,
                ])
            try body(terminal, daemon, server, upstream)
        }
    }

    /// Starts `top`, lends the terminal, and sees that everything is as before once `top` has ended.
    private static func restores(
        _ terminal: ScreenTerminal, _ arguments: String = "top", status: Int32 = 0,
        _ body: (pid_t) throws -> Void
    ) throws {
        let before = try terminal.settings()
        let pid = try terminal.start("\(tool) \(arguments)")
        try terminal.awaitScreen("BRIDGE", "CLIENTS")
        #expect(try !terminal.isAsShellsLikeIt)
        try body(pid)
        try terminal.awaitScreen("status=\(status)")
        #expect(try terminal.isAsShellsLikeIt)
        let after = try terminal.settings()
        #expect(after == before)
    }

    @Test func `status tells how a bridge is`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            let client = try daemon.connect()
            try server.send(Array("hello\n".utf8))
            #expect(try client.receive(6) == Array("hello\n".utf8))
            try terminal.type("clear; \(Self.tool) status feed; echo status=$?")
            try terminal.awaitScreen("● feed", upstream.address, "status=0")
            #expect(try terminal.screen.allSatisfy { $0.count <= 80 })
        }
    }

    @Test func `top shows a bridge and its clients, live`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal, "top -d 0.1") { _ in
                try terminal.awaitScreen("● feed", "ready", upstream.address, "1 bridge, 0 clients")
                try terminal.awaitScreen("a time of day up to the last column") {
                    $0[0].count == 80 && $0[0].wholeMatch(of: /.* [0-9]{2}:[0-9]{2}:[0-9]{2}/) != nil
                }
                let client = try daemon.connect()
                try terminal.awaitScreen(
                    "1 bridge, 1 client,", "Clients of feed, most lag first", "\(getpid())")
                try server.send([UInt8](repeating: 0x0A, count: 5000))
                try terminal.awaitScreen("the bars of a history") {
                    $0.contains { $0.contains("feed") && $0.contains("█") }
                }
                client.close()
                try terminal.awaitScreen("1 bridge, 0 clients")
                upstream.stopListening()
                server.close()
                try terminal.awaitScreen("waiting")
                try terminal.press("q")
            }
        }
    }

    @Test func `top follows the size of its terminal`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal, "top -d 0.1") { _ in
                for (columns, rows) in [(20, 5), (200, 50), (1, 1), (40, 10), (80, 24)] {
                    try terminal.resize(columns: columns, rows: rows)
                    try terminal.awaitScreen("the whole screen to be used") { screen in
                        // A line for each row, and the output's own end.
                        screen.count == rows + 1
                            && (rows < 5
                                || screen[rows - 1].hasPrefix("q quit") && screen[0].hasPrefix("1 bridge"))
                    }
                }
                try terminal.press("q")
            }
        }
    }

    @Test func `top's keys`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal, "top -d 0.1") { _ in
                let client = try daemon.connect()
                try terminal.awaitScreen("most lag first")
                try terminal.press("s")
                try terminal.awaitScreen("most missed first")
                try terminal.press("h")
                try terminal.awaitScreen("any key: back")
                try terminal.press("Down")
                try terminal.awaitScreen("q quit")
                try terminal.press("p")
                try terminal.awaitScreen("paused")
                try terminal.press("p", "r")
                try terminal.awaitScreen("Reconnect feed to its upstream? y/n", "every 0.1 s")
                try terminal.press("y")
                try terminal.awaitScreen("feed reconnects")
                _ = try server.receiveToEnd()
                _ = try upstream.accept()
                try terminal.press("q")
                client.close()
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func `a signal that ends top leaves the terminal as it was`(signal: Int32) throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal) { kill($0, signal) }
        }
    }

    @Test func `what would hold output up does not keep top from giving the terminal back`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal, "top -d 0.1") { pid in
                try terminal.press("C-s")
                let client = try daemon.connect()
                try terminal.awaitScreen("1 bridge, 1 client,")
                kill(pid, SIGTERM)
                client.close()
            }
        }
    }

    @Test func `top ends with its terminal`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            let pid = try terminal.start("\(Self.tool) top")
            try terminal.awaitScreen("● feed")
            terminal.close()
            // Nobody may have reaped it.
            try eventually("the end of top") { text(of: "/proc/\(pid)/cmdline").isEmpty }
        }
    }

    @Test func `top that is stopped gives the terminal to the shell, and takes it again`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            let before = try terminal.settings()
            _ = try terminal.start("\(Self.tool) top")
            try terminal.awaitScreen("● feed")
            try terminal.press("C-z")
            try terminal.awaitScreen("ready>")
            #expect(try terminal.isAsShellsLikeIt)
            #expect(try terminal.settings() == before)
            try terminal.type("fg")
            try terminal.awaitScreen("● feed")
            try terminal.press("C-c")
            try terminal.awaitScreen("ready>")
            #expect(try terminal.isAsShellsLikeIt)
            #expect(try terminal.settings() == before)
        }
    }

    @Test func `top outlives a bridge that hangs, and one that ends`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try Self.restores(terminal, "top feed -d 0.1") { _ in
                try terminal.awaitScreen("● feed", "ready")
                daemon.signal(SIGSTOP)
                /// For how many seconds there was no answer.
                func silence(_ screen: [String]) -> Int? {
                    let matches = screen.compactMap { $0.firstMatch(of: /no answer for ([0-9]+) s/) }
                    return matches.first.flatMap { Int($0.output.1) }
                }
                var first = 0
                try terminal.awaitScreen("no answer") { screen in
                    first = silence(screen) ?? 0
                    return first >= 2 && screen.contains { $0.contains("× feed") }
                }
                // It goes on.
                try terminal.awaitScreen("no answer for longer") { silence($0) ?? 0 > first }
                daemon.signal(SIGCONT)
                try terminal.awaitScreen("● feed", "ready")
                _ = try daemon.terminate()
                try terminal.awaitScreen(
                    "○ feed", "not running; start it with 'systemctl start trunkline@feed'")
                try terminal.press("q")
            }
        }
    }

    @Test func `without a terminal top says so, and prints one page if that is wanted`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            let client = try daemon.connect()
            try terminal.type("\(Self.tool) top | cat; \(Self.tool) top </dev/null; echo status=$?")
            try terminal.awaitScreen("top needs a terminal", "status=1")
            for redirection in ["| cat", "</dev/null"] {
                try terminal.type("clear; \(Self.tool) top --once \(redirection); echo status=$?")
                try terminal.awaitScreen("1 bridge, 1 client", "● feed", "LAG", "status=0")
            }
            #expect(try terminal.isAsShellsLikeIt)
            client.close()
        }
    }

    @Test func `connect is a chat, whose messages do not control the terminal`() throws {
        try Self.withTerminal { terminal, daemon, server, upstream in
            try terminal.type(
                "clear; \(Self.tool) connect feed -c \(daemon.directory("feed.yaml")); echo status=$?")
            try eventually("connect to be connected") { daemon.clientCount() == 1 }
            try terminal.type("hello")
            #expect(try server.receive(6) == Array("hello\n".utf8))
            try server.send(Array("\u{1B}[2Jwelcome é\n".utf8))
            try terminal.awaitScreen(#"\e[2Jwelcome é"#)
            // What is typed without an end is sent as well.
            try terminal.press("b", "y", "e", "C-d", "C-d")
            try terminal.awaitScreen("status=0")
            #expect(try server.receive(4) == Array("bye\n".utf8))
        }
    }

    @Test func `connect goes on after a typed line that is no message`() throws {
        try Self.withTerminal { terminal, daemon, server, _ in
            try terminal.type("clear; \(Self.tool) connect feed -f hex; echo status=$?")
            try eventually("connect to be connected") { daemon.clientCount() == 1 }
            try terminal.type("xyz")
            try terminal.awaitScreen("cannot send that line: it holds what is no hexadecimal digit")
            try terminal.type("4142")
            #expect(try server.receive(3) == Array("AB\n".utf8))
            try terminal.press("C-d")
            try terminal.awaitScreen("status=0")
        }
    }
}
