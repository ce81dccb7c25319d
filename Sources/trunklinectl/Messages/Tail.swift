import Configuration
import Glibc
import Linux

/// `trunklinectl tail`: the messages of a bridge, one a line.
enum Tail {
    static let verb = Verb(
        "tail", in: .using, [.bridge()], summary: "print each message that arrives, on a line of its own",
        details: [MessageFormat.help],
        options: BridgeSocket.options + [MessageFormat.option, MessagePrinter.timestamps, .count], run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let (format, limit) = (try invocation.format, try invocation.count(.count) ?? .max)
        try MessagePrinter.check(invocation)
        let socket = try BridgeSocket(invocation)
        socket.warn(sends: false)
        Program.endWhenInterrupted()
        let printer = MessagePrinter(format, of: socket, invocation, count: limit)
        try Conversation(with: socket, printer: printer, ending: .never).run()
        return EXIT_SUCCESS
    }
}

extension MessageFormat {
    static let option = CommandOption(
        "format", short: "f", value: names, help: "how a line tells a message (text)")

    /// A paragraph for every verb that has the option.
    static let help = """
        In JSON each line is an object with the payload as 'text', or as 'base64' if it is no UTF-8, and the 'time' of \
        its arrival in microseconds since 1970, which is not needed for sending. A message of which a text holds line \
        feeds is one message all the same in every format but text.
        """
}

extension Invocation {
    var format: MessageFormat {
        get throws(UsageError) {
            guard let name = self[MessageFormat.option] else { return .text }
            guard let format = MessageFormat(rawValue: name) else {
                throw UsageError("'\(name)' is no format; there are \(MessageFormat.names)")
            }
            return format
        }
    }
}

extension MessagePrinter {
    /// - Throws: That the option would change nothing.
    static func check(_ invocation: Invocation) throws(UsageError) {
        guard try invocation.format == .json, invocation.has(timestamps) else { return }
        throw UsageError("--timestamps is not for JSON, in which each line tells the time already")
    }

    static let timestamps = CommandOption("timestamps", short: "t", help: "begin each line with the time")

    init(_ format: MessageFormat, of socket: BridgeSocket, _ invocation: Invocation, count: Int = .max) {
        self.init(
            format, framing: socket.framing, limit: socket.maxMessage, count: count,
            hasTimestamps: invocation.has(Self.timestamps),
            isForTerminal: Terminal.isTerminal(STDOUT_FILENO))
    }
}
