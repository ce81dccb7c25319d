import Configuration
import Framing
import Glibc
import Linux

/// `trunklinectl tail`: the messages of a bridge, one a line.
enum Tail {
    static let verb = Verb(
        "tail", in: .using, [.bridge()], summary: "print each message that arrives, on a line of its own",
        options: BridgeSocket.options + [count], run: run)

    private static let count = CommandOption("count", short: "n", value: "N", help: "end after N messages")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let limit = try invocation.count(count) ?? .max
        let socket = try BridgeSocket(invocation)
        // To end it is how it is meant to end.
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(EXIT_SUCCESS) } }
        try print(atMost: limit, from: try socket.connect(), of: socket)
        return EXIT_SUCCESS
    }

    private static func print(
        atMost count: Int, from descriptor: consuming FileDescriptor, of socket: BridgeSocket
    ) throws(Failure) {
        let upstream = socket.configuration.upstream
        var decoder = Decoder(upstream.framing, limit: upstream.maxMessage)
        let output = FileDescriptor(owning: dup(STDOUT_FILENO))
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        var remaining = count
        do {
            while remaining > 0 {
                try descriptor.wait(for: .readable)
                var free = chunk.mutableSpan
                switch try descriptor.receive(into: &free) {
                case .moved(let moved): buffer += chunk[..<moved]
                case .wouldBlock: continue
                case .ended:
                    throw Failure("the bridge \(socket.configuration.name) closed the connection")
                }
                var lines = Lines(buffer)
                let found = try decoder.decode(buffer.span, atMost: remaining, into: &lines)
                remaining -= found
                try output.writeAll(lines.text.span)
                buffer.removeFirst(lines.end)
            }
        } catch let error as Failure {
            throw error
        } catch let error as SystemError where error.call.description == "write" && error.code == EPIPE {
            // Whoever reads it has had enough: as good an end as SIGPIPE, which may be ignored here.
        } catch {
            throw Failure("\(error)")
        }
    }

    /// The payloads of frames, each with a line feed.
    private struct Lines: FrameSink {
        private let bytes: [UInt8]
        private(set) var text: [UInt8] = []
        private(set) var end = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        mutating func append(_ frame: Frame) {
            let payload = frame.payload
            text += bytes[end + payload.lowerBound..<end + payload.upperBound]
            text.append(0x0A)
            end += Int(frame.length)
        }

        mutating func skip(_ count: Int, isBeginning: Bool) { end += count }
    }
}
