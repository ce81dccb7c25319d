import Glibc
import Linux

/// `trunklinectl connect`: both directions at once.
enum Connect {
    static let verb = Verb(
        "connect", in: .using, [.bridge()], summary: "send each line that is typed, and print what arrives",
        details: [
            """
            On a terminal ^D ends it, once all that was typed is sent; so does ^C, at once. When standard input is \
            no terminal, what arrives is printed after its end as well, until the bridge closes the connection, or \
            for as long as --wait says. A line that is no message, or none that the bridge can send on, is told, and ends \
            it with status 1 unless it was typed on a terminal; so does a server that has been away for so long that \
            all would be thrown away.
            """,
            MessageFormat.help,
        ],
        options: BridgeSocket.options + [MessageFormat.option, MessagePrinter.timestamps, wait], run: run)

    private static let wait = CommandOption(
        "wait", short: "w", value: "SECONDS", help: "go on for so long after the end of the input")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let format = try invocation.format
        let time = try waiting(invocation)
        try MessagePrinter.check(invocation)
        let socket = try BridgeSocket.forSending(invocation)
        let isTyped = Terminal.isTerminal(STDIN_FILENO)
        try socket.warnSender(isTyped: isTyped)
        Program.endWhenInterrupted()
        let printer = MessagePrinter(format, of: socket, invocation)
        let input = MessageInput(
            ["-"], format, by: socket.encoder, isTyped: isTyped)
        try Conversation(with: socket, printer: printer, input: input, ending: .after(time)).run()
        return EXIT_SUCCESS
    }

    private static func waiting(_ invocation: Invocation) throws(UsageError) -> Duration? {
        guard let text = invocation[wait] else { return Terminal.isTerminal(STDIN_FILENO) ? .zero : nil }
        guard let seconds = Double(text), 0...1e9 ~= seconds else {
            throw UsageError("'\(text)' is no number of seconds for --\(wait.name)")
        }
        return .milliseconds(Int(seconds * 1000))
    }
}
