import Configuration
import Glibc
import Linux

/// `trunklinectl send`: messages to a bridge's upstream.
enum Send {
    static let verb = Verb(
        "send", in: .using, [.bridge(), Operand("TEXT", .optional)],
        summary: "send TEXT as one message, or each line of standard input or of files",
        details: [
            MessageFormat.help,
            """
            A line that is no message, or none that the bridge can send on (max-message, send-framing), is told with \
            its number and ends the sending with status 1: what stands before it has been sent, and nothing after it. \
            While a server that is away makes the bridge throw away all that it is sent (hold-time, when-down), \
            nothing is sent, and the status is 1, too.
            """,
        ],
        options: BridgeSocket.options + [MessageFormat.option, file, .count], run: run)

    private static let file = CommandOption(
        "file", short: "F", value: "FILE", help: "send its lines; may be repeated, and - is standard input")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let (format, limit) = (try invocation.format, try invocation.count(.count) ?? .max)
        let files = invocation.all(file)
        let text = invocation.operands.count > 1 ? invocation.operands[1] : nil
        guard text == nil || files.isEmpty else { throw UsageError("there is a TEXT as well as --file") }
        let socket = try BridgeSocket.forSending(invocation)
        if let text {
            let frame = try frame(text, format, socket)
            try socket.warnSender()
            try Conversation(with: socket, frames: frame, ending: .sent).run()
        } else {
            try socket.warnSender()
            let input = MessageInput(
                files.isEmpty ? ["-"] : files, format, by: socket.encoder, count: limit)
            try Conversation(with: socket, input: input, ending: .sent).run()
        }
        return EXIT_SUCCESS
    }

    private static func frame(_ text: String, _ format: MessageFormat, _ socket: BridgeSocket) throws(Failure)
        -> [UInt8]
    {
        var frame: [UInt8] = []
        do throws(MalformedLine) {
            let payload = try format.payload(Array(text.utf8))
            try socket.encoder.append(payload, to: &frame)
        } catch {
            let shown = DisplayText.cut(printable(text), 40)
            throw Failure("cannot send '\(shown)': \(error.reason); nothing was sent")
        }
        return frame
    }
}
