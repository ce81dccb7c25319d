import Configuration
import Exchange
import Linux

/// One connected local program: a descriptor and a cursor.
final class Client: ReadinessHandler {
    /// What we do with what the client sends.
    enum Reading {
        /// It goes to the upstream, frame by frame.
        case frames(Inlet)
        /// Its socket has `send: no`: the kernel refuses what comes, what came before is thrown away.
        case refused
        /// It sends nothing more.
        case ended
    }

    let identity: ClientIdentity
    let recipient: Recipient
    let patience: Duration?
    let whenBehind: SocketSettings.WhenBehind
    /// What it is sent.
    let log: FrameLog
    private unowned let bridge: Bridge
    private let descriptor: FileDescriptor
    private var registration: Registration?
    private var isWatchingWritable = false

    /// Its place in the bridge's list.
    var slot = -1
    var cursor: Cursor
    var backlog = Backlog()
    var reading: Reading
    var isQueuedForReading = false
    /// The last send took everything, or the kernel has said since that there is room.
    private(set) var isWritable = true
    /// It has closed its connection: nothing can be sent, but what it sent is still read.
    private(set) var isHungUp = false
    /// Left alone, for the kernel had no memory for a transfer.
    private var isResting = false

    /// It was too far behind, and is made to skip messages, without any patience, until it has caught up.
    private(set) var isSkipping = false
    /// What it has missed since.
    private(set) var missed = Amount()
    /// What it had missed before.
    private var missedBefore = Amount()
    /// The end of a message that it had the beginning of when it was made to skip; goes before all else.
    private var remainder: [UInt8] = []
    /// How much of that has been sent.
    private var remainderSent = 0

    private let command: String?
    private let since = wallMicroseconds()
    /// Messages that the log had had when it connected.
    private let firstMessage: UInt64
    private var sentBytes = 0
    private var received = Amount()

    init(
        _ descriptor: consuming FileDescriptor, identity: ClientIdentity, patience: Duration?,
        whenBehind: SocketSettings.WhenBehind, reading: Reading, log: FrameLog, bridge: Bridge
    ) {
        self.descriptor = descriptor
        self.identity = identity
        self.patience = patience
        self.whenBehind = whenBehind
        self.reading = reading
        self.log = log
        cursor = log.newCursor()
        firstMessage = log.messages
        command = processName(pid: identity.pid)
        self.bridge = bridge
        recipient = Recipient(client: identity.number)
    }

    func watch(in loop: EventLoop) throws(SystemError) {
        registration = try loop.add(descriptor, for: [.readable, .edgeTriggered], handler: self)
    }

    func unwatch(in loop: EventLoop) {
        if let registration { loop.remove(registration) }
        registration = nil
    }

    /// Ends the connection, so that the client sees end-of-file after what it was sent: bytes of its own that nobody read
    /// would turn that into a reset.
    func close() { descriptor.discardReceived(atMost: 1 << 20) }

    var isReadingEnded: Bool { if case .ended = reading { true } else { false } }

    func becameReady(_ readiness: Readiness) {
        if readiness.contains(.writable) {
            // Told although nothing was blocked: it has caught up, so this need not be watched any more.
            // If that fails, it is told once more.
            if isWritable { try? watchWritable(false) }
            isWritable = true
            bridge.needsFanOut()
        }
        if !readiness.isDisjoint(with: .hangup) {
            isHungUp = true
            bridge.needsFanOut()
        }
        if !readiness.isDisjoint(with: [.readable, .hangup]) { bridge.queueForReading(self) }
    }

    private func watchWritable(_ wanted: Bool) throws(SystemError) {
        guard wanted != isWatchingWritable, let registration else { return }
        let interest: Interest =
            wanted ? [.readable, .writable, .edgeTriggered] : [.readable, .edgeTriggered]
        try bridge.loop.modify(registration, for: interest)
        isWatchingWritable = wanted
    }

    /// Has something to be sent, or may just have caught up.
    var isBehind: Bool { !isAtHead || isSkipping }

    /// Has been sent everything.
    var isUpToDate: Bool { isAtHead && remainder.isEmpty }

    /// Nothing more is there for it.
    var isAtHead: Bool { cursor.position == log.head }

    /// Sends what stands between the cursor and the head, as far as the kernel takes it.
    func flush() throws(SystemError) {
        // One that trickles comes near the head by chance: what has caught up is one that has read all it was given.
        let hasReadAll = !isSkipping || descriptor.unsent() == 0
        if !remainder.isEmpty { try flushRemainder() }
        while isWritable && cursor.position < log.head {
            var wanted = 0
            let transfer = try log.withRun(at: &cursor, for: recipient) { bytes throws(SystemError) in
                wanted = bytes.count
                return try descriptor.send(bytes)
            }
            guard let transfer else { break }
            var count = 0
            if case .moved(let moved) = transfer { count = moved }
            sentBytes += count
            log.advance(&cursor, by: count)
            if count < wanted { try isBlocked() }
        }
        guard isUpToDate, hasReadAll else { return }
        backlog.reachedHead()
        if isSkipping { bridge.caughtUp(self) }
    }

    private func flushRemainder() throws(SystemError) {
        guard isWritable else { return }
        let remainder = remainder
        let unsent = remainder.span.extracting(remainderSent...)
        if case .moved(let count) = try descriptor.send(unsent) {
            remainderSent += count
            sentBytes += count
        }
        guard remainderSent == remainder.count else { return try isBlocked() }
        self.remainder = []
        remainderSent = 0
    }

    private func isBlocked() throws(SystemError) {
        isWritable = false
        try watchWritable(true)
    }

    /// Makes it skip to the head, but for the rest of a message that it has had the beginning of.
    ///
    /// - Returns: What it misses.
    func skipToHead() -> Amount {
        isSkipping = true
        let isRemainderPending = !remainder.isEmpty
        let skipped = log.skipToHead(&cursor, for: recipient)
        precondition(!isRemainderPending || skipped.rest.isEmpty, "the rests of two messages")
        if !isRemainderPending { remainder = skipped.rest }
        let amount = Amount(messages: skipped.messages, bytes: skipped.bytes)
        missed.add(amount)
        return amount
    }

    /// It has caught up.
    func endSkipping() {
        isSkipping = false
        missedBefore.add(missed)
        missed = Amount()
    }

    /// Is left alone until `restEnded`, or until the kernel has news of it.
    func rest() {
        isResting = true
        isWritable = false
    }

    /// Tries again what may have failed.
    func restEnded() {
        guard isResting else { return }
        isResting = false
        isWritable = true
        bridge.needsFanOut()
        bridge.queueForReading(self)
    }

    /// It has closed its connection, and left nothing to read.
    var isGone: Bool { isHungUp && descriptor.isAtEnd() }

    /// Nothing can be sent to it any more.
    func hungUp() { isHungUp = true }

    /// Throws away what a client sends that may not.
    func discardReceived() -> (count: Int, hasEnded: Bool) { descriptor.discardReceived(atMost: 64 << 10) }

    func receive(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Transfer {
        try descriptor.receive(into: &bytes)
    }

    /// So much has come from it, with messages that became whole.
    func received(_ amount: Amount) { received.add(amount) }

    var status: ClientStatus {
        var missed = missedBefore
        missed.add(self.missed)
        let unsent = log.unsent(at: cursor, for: recipient)
        let isInRemainder = !remainder.isEmpty
        var lag = Amount(
            messages: unsent.messages + (isInRemainder ? 1 : 0),
            bytes: unsent.bytes + remainder.count - remainderSent)
        let sent = Int(log.messages - firstMessage) - lag.messages - missed.messages
        if let translated = log as? TranslatedLog {
            let (messages, bytes) = translated.untranslated
            lag.add(Amount(messages: messages, bytes: bytes))
        }
        return ClientStatus(
            identity: identity, command: command, since: since, lag: lag,
            sent: Amount(messages: sent, bytes: sentBytes),
            received: received, missed: missed, isSkipping: isSkipping)
    }

    /// A number that changes when the client has read something: what the kernel still holds for it is part of it.
    var progress: UInt64 { cursor.position &- UInt64(descriptor.unsent()) }
}
