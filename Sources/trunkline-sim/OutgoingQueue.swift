/// What is to be sent on one connection, and which messages it carries: they count as sent with their last byte.
struct OutgoingQueue: Sendable {
    private struct Message {
        var payload: Range<Int>
        /// One past the frame's last byte.
        var end: Int
        /// Whether it is one of the connection's own messages; otherwise it was received, and is sent back.
        var isOwn: Bool
    }
    private var bytes: [UInt8] = []
    private var messages: [Message] = []
    private var sentBytes = 0
    private var sentMessages = 0

    /// Bytes that wait to be sent.
    var pending: Int { bytes.count - sentBytes }

    /// Appends bytes that belong to no message.
    mutating func append(raw: [UInt8]) { bytes += raw }

    /// Appends one frame, which `write` appends to the array; it returns where the payload stands in that.
    mutating func append<E>(
        isOwn: Bool, _ write: (inout [UInt8]) throws(E) -> Range<Int>
    ) throws(E) {
        let payload = try write(&bytes)
        messages.append(Message(payload: payload, end: bytes.count, isOwn: isOwn))
    }

    /// Lends the bytes that wait.
    func withPending<R, E>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(bytes.span.extracting(sentBytes...))
    }

    /// What one send has finished.
    struct Progress: Equatable, Sendable {
        /// Messages wholly sent.
        var messages = 0
        /// Those among them that are the connection's own.
        var own = 0
    }

    /// So many bytes were sent: each payload whose message is now wholly sent goes to `record`.
    mutating func moved(_ count: Int, record: RecordFile?) -> Progress {
        sentBytes += count
        var progress = Progress()
        while sentMessages < messages.count, messages[sentMessages].end <= sentBytes {
            let message = messages[sentMessages]
            record?.append(bytes[message.payload])
            progress.messages += 1
            if message.isOwn { progress.own += 1 }
            sentMessages += 1
        }
        if pending == 0 { clear() } else if sentBytes > max(bytes.count / 2, 1 << 20) { compact() }
        return progress
    }

    private mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
        sentBytes = 0
        sentMessages = 0
    }

    /// Forgets what was sent, but not the beginning of a message of which the rest is to follow.
    private mutating func compact() {
        let start = sentMessages > 0 ? messages[sentMessages - 1].end : 0
        bytes.removeFirst(start)
        messages.removeFirst(sentMessages)
        for i in messages.indices {
            messages[i].payload =
                messages[i].payload.lowerBound - start..<messages[i].payload.upperBound - start
            messages[i].end -= start
        }
        sentBytes -= start
        sentMessages = 0
    }
}
