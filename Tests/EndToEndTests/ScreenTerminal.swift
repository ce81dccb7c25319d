import Glibc
import Linux
import TestSupport

/// A terminal that a person could sit at, with a shell in it: tmux(1), whose screen the test reads and whose keys it presses.
final class ScreenTerminal {
    private let work: TemporaryDirectory
    /// What programs in it find in their environment.
    private let environment: [String: String]

    init(columns: Int = 80, rows: Int = 24, environment: [String: String]) throws {
        work = try TemporaryDirectory()
        let usual = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "PS1": "ready> ",
            "HOME": work.path,
        ]
        self.environment = usual.merging(environment) { $1 }
        try work.write(
            "set -g history-limit 0\nset -g status off\nset -g escape-time 0\n", to: "configuration")
        _ = try tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh", "-i")
        try awaitScreen("ready>")
    }

    deinit { close() }

    /// Takes the terminal away from those who use it.
    func close() { _ = try? tmux("kill-server") }

    /// Runs a command of tmux.
    ///
    /// - Returns: What it prints.
    @discardableResult
    private func tmux(_ arguments: String...) throws -> String {
        let output = work("output.\(UInt64.random(in: 0 ... .max))")
        defer { unlink(output) }
        let command = ["/usr/bin/env", "tmux", "-u", "-S", work("socket"), "-f", work("configuration")]
        let process = try ChildProcess(
            command + arguments, environment: environment, output: output, errors: work("errors"))
        let status = try process.exitStatus()
        guard status == 0 else { throw Failed(command: arguments, errors: text(of: work("errors"))) }
        return text(of: output)
    }

    struct Failed: Error {
        let command: [String]
        let errors: String
    }

    /// The lines that it shows, without blanks at their ends.
    var screen: [String] {
        get throws {
            try tmux("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init)
        }
    }

    /// Waits until all words are on the screen.
    func awaitScreen(_ words: String..., within limit: Duration = .seconds(15)) throws {
        try awaitScreen(words.joined(separator: ", "), within: limit) { screen in
            words.allSatisfy { word in screen.contains { $0.contains(word) } }
        }
    }

    /// Waits until the screen is as it should be.
    func awaitScreen(_ what: String, within limit: Duration = .seconds(15), _ condition: ([String]) -> Bool)
        throws
    {
        var last: [String] = []
        do {
            try eventually(what, within: limit) {
                last = try screen
                return condition(last)
            }
        } catch is DeadlinePassed {
            throw DeadlinePassed(what: "\(what); the screen:\n\(last.joined(separator: "\n"))")
        }
    }

    /// Presses keys, by tmux's names: `q`, `Down`, `C-c`.
    func press(_ keys: String...) throws {
        for key in keys { try tmux("send-keys", key) }
    }

    /// Types a line for the shell.
    func type(_ line: String) throws {
        try tmux("send-keys", "-l", line)
        try press("Enter")
    }

    func resize(columns: Int, rows: Int) throws {
        try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// What a program has to leave as it was: the cursor can be seen, the screen is the usual one, lines go on at their end.
    var isAsShellsLikeIt: Bool {
        get throws {
            try tmux("display-message", "-p", "#{cursor_flag} #{alternate_on} #{wrap_flag}") == "1 0 1\n"
        }
    }

    /// The settings as the kernel has them (stty(1)).
    func settings() throws -> String {
        let name = "settings.\(UInt64.random(in: 0 ... .max))"
        try type("stty -a >\(work(name)); mv \(work(name)) \(work("\(name).whole"))")
        try eventually("stty to answer") { access(work("\(name).whole"), F_OK) == 0 }
        // The size is not a setting.
        return text(of: work("\(name).whole")).split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    /// Starts a program in it, through the shell.
    ///
    /// - Returns: Its process, once it is there.
    func start(_ command: String) throws -> pid_t {
        let file = work("pid.\(UInt64.random(in: 0 ... .max))")
        try type("/bin/sh -c 'echo $$ >\(file); exec \(command)'; echo status=$?")
        var pid: pid_t?
        try eventually("the process") {
            pid = text(of: file).last == "\n" ? pid_t(text(of: file).dropLast()) : nil
            return pid != nil
        }
        return pid ?? 0
    }
}
