import Configuration
import Framing

/// Makes frames for a socket of a bridge, of messages that the bridge can send on.
struct MessageEncoder {
    /// How messages are framed by who sends them to the socket.
    private let framing: Framing
    /// How the bridge frames what it sends on, if not as it comes.
    private let sendFraming: Framing?
    /// The most bytes of a message.
    let limit: Int

    init(to socket: SocketSettings, of upstream: UpstreamSettings) {
        framing = upstream.translation(from: socket) ?? upstream.sendFraming
        sendFraming = framing == upstream.sendFraming ? nil : upstream.sendFraming
        limit = upstream.maxMessage
    }

    /// Appends the frame of one message.
    ///
    /// - Throws: Why it cannot be sent, or not be sent on: the bridge would tell that to nobody but its log.
    func append(_ payload: [UInt8], to frames: inout [UInt8]) throws(MalformedLine) {
        guard payload.count <= limit else {
            throw MalformedLine(
                "a message of \(payload.count) bytes is longer than max-message (\(limit))")
        }
        if let sendFraming {
            do throws(UnrepresentableError) {
                var unused: [UInt8] = []
                try sendFraming.encode(payload, into: &unused)
            } catch {
                throw MalformedLine(
                    "the upstream's send-framing (\(sendFraming.kind)) cannot carry it: \(error)")
            }
        }
        do throws(UnrepresentableError) {
            try framing.encode(payload, into: &frames)
        } catch {
            throw MalformedLine("\(error)")
        }
    }
}
