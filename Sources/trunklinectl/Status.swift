import Control
import Glibc
import Linux

/// `trunklinectl status`: how bridges are doing, in the manner of `systemctl status`.
enum Status {
    static let verb = Verb(
        "status", in: .looking, [.bridge(.any)],
        summary: "show all that bridges know, of themselves and their clients",
        details: [
            """
            Without a BRIDGE, all that run. Clients are sorted by their lag, which is what they have not been sent \
            yet, the largest first; ten of them are shown. The last lines are those of the journal, for whoever may \
            read it.
            """,
            """
            Traffic is told as averages over the last second, ten seconds and minute, and since the start. Of clients, \
            LAG is what they have not been sent yet, SENT what they were sent and RECEIVED what came from them, each \
            with parts of messages; MISSED is how many messages they were never sent (when-behind: drop), with a + \
            while they go on missing more. On a terminal, tables that are too wide have fewer columns; into a pipe or \
            a file all are printed. Bytes are told in powers of ten: 1 kB is 1000 B.
            """,
            """
            With --json, an array of what the method Describe of org.trunkline.Bridge returns, one for each bridge \
            that runs.
            """,
        ], options: [all, .json, .runtimeDirectory], run: run)

    private static let all = CommandOption("all", short: "a", help: "show all clients")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let inquiries = try Inquiry.all(invocation)
        guard !inquiries.isEmpty else { throw Failure("no bridge is running", .notRunning) }
        var look = StatusText(
            palette: .ofOutput, clock: .local, user: Users.name, missingFile: Bridges.missingFile)
        if invocation.has(all) { look.clientLimit = .max }
        look.width = Terminal.size?.columns ?? .max
        var status = EXIT_SUCCESS
        var descriptions: [Description] = []
        var texts: [String] = []
        for (bridge, inquiry) in inquiries {
            switch inquiry {
            case .running(let description): descriptions.append(description)
            case .notRunning: status = max(status, ExitStatus.notRunning.rawValue)
            case .failed(let failure):
                Program.report(failure.message)
                status = max(status, failure.status.rawValue)
            }
            if !invocation.has(.json), let text = look.text(bridge, inquiry) {
                texts.append(text + Journal.lines(of: bridge))
            }
        }
        Program.say(invocation.has(.json) ? jsonLine(descriptions) : texts.joined(separator: "\n"))
        return status
    }
}

/// The users of this machine.
enum Users {
    /// A user's name, or its number where it has none.
    static func name(_ id: UInt32) -> String {
        guard let entry = unsafe getpwuid(id) else { return "\(id)" }
        return unsafe String(cString: entry.pointee.pw_name)
    }
}
