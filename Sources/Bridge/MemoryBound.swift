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
                    || upstream.heartbeat?.hidesAnswers == true))
        outbox = Ring(
            bytes: configuration.outbox, frames: frames.sent,
            indexBytes: Outbox.indexBytes(
                maximumFrames: frames.sent, maySkip: upstream.sendFraming.maySkip))
        tlsBytes = upstream.tls == nil ? 0 : TLSSession.longestMemory
        dialogueBytes = Greeting.longestMemory(upstream.onConnect)
        let inlet = Inlet.longestStorage(framing: upstream.sendFraming, limit: upstream.maxMessage)
        let rest = upstream.maxMessage + upstream.framing.overhead(of: upstream.maxMessage)
        let messages = configuration.sockets.map { socket in
            (socket.maySend ? inlet : 0) + (socket.whenBehind == .drop ? rest : 0)
        }
        clientBytes = Self.recordBytes + (messages.max() ?? 0)
        clients = configuration.clientLimits.total
    }

    /// Without the clients.
    public var fixedBytes: Int {
        buffer.bytes + buffer.indexBytes + outbox.bytes + outbox.indexBytes + tlsBytes + dialogueBytes
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
