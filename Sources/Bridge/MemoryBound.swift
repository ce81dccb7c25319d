public import Configuration
import Exchange
import Framing
import TLS

/// The most memory that a bridge takes, whatever its clients and its upstream do, in bytes.
///
/// The bridge makes its rings by it. Not counted are the program itself and the kernel's socket buffers.
public struct MemoryBound: Equatable, Sendable {
    /// A ring of messages.
    public struct Ring: Equatable, Sendable {
        public let bytes: Int
        /// How many messages it holds at the most.
        public let frames: Int
        /// What tells where they end.
        public let indexBytes: Int
    }
    /// A client's records, generously.
    private static let recordBytes = 1 << 10

    /// What was received from the upstream.
    public let buffer: Ring
    /// What is to be sent to it.
    public let outbox: Ring
    /// What holds messages in the framings that sockets have of their own; 0 where none has.
    public let translationBytes: Int
    /// What TLS takes, if the upstream is to be spoken to with it.
    public let tlsBytes: Int
    /// The dialogue before everything else; 0 without one.
    public let dialogueBytes: Int
    /// One client: its records, the message that it has begun, if it may send, and the rest of one that it had the
    /// beginning of, where messages may be dropped for it.
    public let clientBytes: Int
    /// `max-clients`; `nil` is as many as there are descriptors for.
    public let clients: Int?

    public init(_ configuration: Configuration) {
        let upstream = configuration.upstream
        // Messages that are shorter on the average fill the index before the ring.
        let frames = (received: configuration.buffer / 64, sent: configuration.outbox / 16)
        buffer = Ring(
            bytes: configuration.buffer, frames: frames.received,
            indexBytes: BroadcastLog.indexBytes(
                maximumFrames: frames.received,
                maySkip: upstream.oversize == .skip || upstream.framing.maySkip
                    || upstream.firstMessage == .discard
                    || upstream.heartbeat?.hidesAnswers == true))
        outbox = Ring(
            bytes: configuration.outbox, frames: frames.sent,
            indexBytes: Outbox.indexBytes(
                maximumFrames: frames.sent, maySkip: upstream.sendFraming.maySkip))
        translationBytes = Self.translationBytes(configuration, buffer)
        tlsBytes = upstream.tls == nil ? 0 : TLSSession.longestMemory
        dialogueBytes = Greeting.longestMemory(upstream.onConnect)
        let messages = configuration.sockets.map { Self.longestMessages(of: $0, upstream) }
        clientBytes = Self.recordBytes + (messages.max() ?? 0)
        clients = configuration.clientLimits.total
    }

    /// What a client of a socket has not finished, and what is left of a message that it is sent.
    private static func longestMessages(of socket: SocketSettings, _ upstream: UpstreamSettings) -> Int {
        let limit = upstream.maxMessage
        var bytes = 0
        if let own = upstream.translation(from: socket) {
            // All that was read together may have to wait for room in the outbox.
            bytes += max(own.longestFrame(of: limit), InletTranslator.stagingBytes)
        } else if socket.maySend {
            bytes += upstream.sendFraming.longestFrame(of: limit)
        }
        if socket.whenBehind == .drop {
            bytes += (upstream.translation(to: socket) ?? upstream.framing).longestFrame(of: limit)
        }
        return bytes
    }

    private static func translationBytes(_ configuration: Configuration, _ buffer: Ring) -> Int {
        let upstream = configuration.upstream
        // Payloads that are spelt otherwise are put together somewhere, in an array that doubles.
        let scratch = { (framing: Framing) in framing.hasEscapes ? 2 * upstream.maxMessage : 0 }
        let log = buffer.bytes + buffer.indexBytes + scratch(upstream.framing)
        return configuration.translations.count * log
            + configuration.translatedFramings.reduce(0) {
                $0 + InletTranslator.stagingBytes + scratch($1)
            }
    }

    /// Without the clients.
    public var fixedBytes: Int {
        buffer.bytes + buffer.indexBytes + outbox.bytes + outbox.indexBytes + translationBytes + tlsBytes
            + dialogueBytes
    }

    /// All of it, or `Int.max`; `nil` if the number of clients is not bounded.
    public var total: Int? {
        clients.map { clients in
            let (product, isTooLarge) = clientBytes.multipliedReportingOverflow(by: clients)
            // One message more, for a moment, while the room for one grows.
            let (sum, isTooLargeInAll) = product.addingReportingOverflow(fixedBytes + clientBytes)
            return isTooLarge || isTooLargeInAll ? .max : sum
        }
    }
}
