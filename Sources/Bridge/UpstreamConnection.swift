import Glibc
import Linux
import TLS
import Uplink

/// The socket to the upstream, from connect(2) to close(2).
///
/// It is watched level-triggered, for a short read proves nothing: a FIN or urgent data may follow.
final class UpstreamConnection: ReadinessHandler {
    enum Stage {
        /// connect(2) is not decided.
        case connecting
        /// The TLS handshake: nothing else is read or sent.
        case securing
        case open
    }

    /// The uplink's number for it.
    let step: UInt64
    /// The address that it leads to.
    let address: String
    /// Over a Unix socket.
    let isLocal: Bool
    unowned let bridge: Bridge
    let descriptor: FileDescriptor
    /// `nil` for a connection that is not encrypted, or not yet.
    var tls: TLSSession?
    /// How TLS has ended, if not in order.
    var brokenOff: Uplink.Reason?
    private var registration: Registration?
    var stage: Stage
    /// Something can be read, or the connection's end was seen.
    var isReadable = false
    /// The upstream has ended the connection; what it sent before may still be unread.
    private(set) var hasEnded = false
    /// The kernel takes nothing more: for now, or ever again after an error.
    var isSendBlocked = false
    /// Nothing can be sent any more, but what the upstream sent before is still read.
    private(set) var sendError: SystemError?
    var sentBytes: UInt64 = 0
    /// `sentBytes` after the last byte of a client's message; what follows is a heartbeat.
    var endOfMessages: UInt64 = 0
    /// Left alone, for the kernel had no memory for a transfer.
    private var isResting = false

    init(
        _ socket: consuming ConnectingSocket, to peer: SocketAddress, step: UInt64, bridge: Bridge
    ) throws(SystemError) {
        address = peer.description
        isLocal = peer.isUnix
        self.step = step
        self.bridge = bridge
        stage = socket.isConnected ? .open : .connecting
        descriptor = socket.take()
        registration = try bridge.loop.add(
            descriptor, for: stage == .connecting ? .writable : .readable, handler: self)
    }

    func becameReady(_ readiness: Readiness) {
        switch stage {
        case .connecting: return finishConnecting()
        case .securing: return continueHandshake()
        case .open: break
        }
        if !readiness.isDisjoint(with: [.readable, .hangup]) { isReadable = true }
        if !readiness.isDisjoint(with: [.ended, .hangup]) { hasEnded = true }
        if !readiness.isDisjoint(with: [.writable, .hangup]) {
            isSendBlocked = sendError != nil
            flushAnswers()
        }
        bridge.requestTurn()
    }

    private func finishConnecting() {
        let code = descriptor.takeError()
        // One that is reset before it is established was refused, so this one has been established, and ended before we
        // looked: what came from the upstream is there to be read.
        let hasEnded = code == ECONNRESET || code == EPIPE
        guard code == 0 || hasEnded else {
            return bridge.upstreamFailed(step: step, .system(call: "connect", errno: code))
        }
        guard !descriptor.hasMetItself() else {
            // The port is free again at once, for the server that is to come.
            try? descriptor.resetOnClose()
            return bridge.upstreamFailed(step: step, .system(call: "connect", errno: ECONNREFUSED))
        }
        stage = .open
        bridge.upstreamOpened(step: step)
        if hasEnded { sendingFailed(SystemError(call: "connect", code: code)) }
    }

    /// The peer must acknowledge within `limit` what is sent to it.
    func limitUnacknowledged(to limit: Duration) throws(SystemError) {
        try descriptor.limitUnacknowledged(to: limit)
    }

    /// The address of this machine that it comes from, as netlink has it; `nil` over a Unix socket.
    var localHost: [UInt8]? { (try? descriptor.localAddress())?.host }

    /// Bytes that the kernel has taken and the upstream not acknowledged; over a Unix socket with the kernel's own overhead.
    var unacknowledged: Int { descriptor.unsent() }

    /// The same, up to the last byte of a client's message.
    var unacknowledgedOfMessages: Int { max(0, unacknowledged - Int(sentBytes - endOfMessages)) }

    func probe(_ probing: FileDescriptor.Probing?) throws(SystemError) { try descriptor.probe(probing) }

    /// For how long nothing has come from the upstream's kernel either.
    var silence: Duration? { descriptor.silence() }

    /// A number that changes when the kernel has taken something, or the upstream has acknowledged it.
    var progress: UInt64 { sentBytes &- UInt64(descriptor.unsent()) }

    func receive(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Transfer {
        // When nothing can be sent any more it is read until nothing is there: epoll need not report anything again.
        isReadable = sendError != nil
        if let tls { return try receive(into: &bytes, through: tls) }
        return try descriptor.receive(into: &bytes)
    }

    /// - Returns: How many bytes are gone: with TLS those of whole records only, for of others the upstream sees nothing.
    func send(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
        if let tls { return try send(bytes, through: tls) }
        var count = 0
        if case .moved(let moved) = try descriptor.send(bytes) { count = moved }
        sentBytes += UInt64(count)
        isSendBlocked = count < bytes.count
        return count
    }

    /// The upstream takes nothing any more. The connection is over when everything that came from it was read.
    func sendingFailed(_ error: SystemError) {
        sendError = error
        isSendBlocked = true
        isReadable = true
        bridge.requestTurn()
    }

    /// `receive` is to be asked whether something has arrived that was not reported.
    ///
    /// - Returns: Whether it may be asked.
    func look() -> Bool {
        if !isResting { isReadable = true }
        return !isResting
    }

    /// Is neither read nor written until `restEnded`.
    func rest() {
        isResting = true
        isReadable = false
        isSendBlocked = true
    }

    /// Tries again what may have failed.
    func restEnded() {
        guard isResting else { return }
        isResting = false
        isReadable = true
        isSendBlocked = sendError != nil
    }

    /// Asks the kernel for just what can be acted upon. While reading is paused, what was reported once is known, and
    /// asking again would only spin; but the end of the connection is wanted, once.
    func updateInterest(isReadingPaused: Bool) {
        guard stage != .connecting, let registration else { return }
        var interest: Interest =
            isResting ? [] : isReadingPaused && isReadable ? [.ended, .edgeTriggered] : .readable
        if isSendBlocked && sendError == nil && !isResting { interest.insert(.writable) }
        do throws(SystemError) {
            try bridge.loop.modify(registration, for: interest)
        } catch {
            bridge.upstreamFailed(step: step, .system(error))
        }
    }

    /// Closes the connection. What was sent last still arrives: the direction is ended in good order, and unread bytes,
    /// which would turn the end into a reset, are thrown away.
    func close() {
        if let registration { bridge.loop.remove(registration) }
        registration = nil
        guard stage != .connecting else { return }
        endTLS()
        try? descriptor.shutDown(.writing)
        descriptor.discardReceived(atMost: 1 << 20)
    }
}
