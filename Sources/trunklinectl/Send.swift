import Configuration
import Framing
import Glibc
import Linux

/// `trunklinectl send`: messages to a bridge's upstream.
enum Send {
    static let verb = Verb(
        "send", in: .using, [.bridge(), Operand("TEXT", .optional)],
        summary: "send TEXT as one message, or each line of standard input",
        options: BridgeSocket.options, run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let socket = try BridgeSocket(invocation)
        guard socket.settings.maySend else {
            throw Failure("the socket \(socket.settings.name) has send: no in its configuration")
        }
        let descriptor = try socket.connect()
        if invocation.operands.count == 2 {
            try send(Array(invocation.operands[1].utf8), to: descriptor, of: socket)
        } else {
            try sendLines(to: descriptor, of: socket)
        }
        return EXIT_SUCCESS
    }

    /// A last line without a line feed is a message as well.
    private static func sendLines(to descriptor: borrowing FileDescriptor, of socket: BridgeSocket)
        throws(Failure)
    {
        let input = FileDescriptor(owning: dup(STDIN_FILENO))
        let longest = socket.configuration.upstream.maxMessage
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while let count = try read(input, &chunk) {
            for part in chunk[..<count].split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            {
                if part.offset > 0 {
                    try send(line, to: descriptor, of: socket)
                    line = []
                }
                line += part.element
                guard line.count <= longest else { throw tooLong(line.count, longest) }
            }
        }
        if !line.isEmpty { try send(line, to: descriptor, of: socket) }
    }

    private static func read(_ input: borrowing FileDescriptor, _ chunk: inout [UInt8]) throws(Failure)
        -> Int?
    {
        do throws(SystemError) {
            var free = chunk.mutableSpan
            guard case .moved(let count) = try input.read(into: &free) else { return nil }
            return count
        } catch {
            throw Failure("cannot read standard input: \(describe(errno: error.code))")
        }
    }

    private static func tooLong(_ count: Int, _ limit: Int) -> Failure {
        Failure("a message of \(count) bytes is longer than max-message (\(limit)); it was not sent")
    }

    private static func send(
        _ payload: [UInt8], to descriptor: borrowing FileDescriptor, of socket: BridgeSocket
    ) throws(Failure) {
        let upstream = socket.configuration.upstream
        guard payload.count <= upstream.maxMessage else { throw tooLong(payload.count, upstream.maxMessage) }
        var frame: [UInt8] = []
        do throws(UnrepresentableError) {
            try upstream.sendFraming.encode(payload, into: &frame)
        } catch {
            throw Failure("the message cannot be sent as it is: \(error)")
        }
        do throws(SystemError) {
            try descriptor.sendAll(frame.span)
        } catch {
            throw Failure("cannot send to \(socket.settings.path): \(describe(errno: error.code))")
        }
    }
}
