import Framing

/// What is to be sent on one connection: a message counts as sent with its last byte.
struct OutgoingQueue: Sendable {
    private var buffer = MessageBuffer()
    private var sentBytes = 0
    private var sentMessages = 0

    /// Bytes that wait to be sent.
    var pending: Int { buffer.bytes.count - sentBytes }

    /// Appends bytes that belong to no message.
    mutating func append(raw: [UInt8]) { buffer.bytes += raw }

    /// Appends the connection's own messages from `first` on; returns how many.
    ///
    /// At most `limit`, and none more once `size` bytes wait.
    mutating func append(
        from source: MessageSource, first: UInt64, atMost limit: Int, upTo size: Int
    ) throws(UnrepresentableError) -> Int {
        try source.append(first, atMost: limit, upTo: sentBytes + size, to: &buffer)
    }

    /// Appends the answer to a message.
    mutating func append(answer payload: [UInt8], framing: Framing) throws(UnrepresentableError) {
        try buffer.append(payload, framing: framing, isOwn: false)
    }

    /// Lends the bytes that wait.
    func withPending<R, E>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(buffer.bytes.span.extracting(sentBytes...))
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
        while sentMessages < buffer.messages.count, buffer.messages[sentMessages].end <= sentBytes {
            let message = buffer.messages[sentMessages]
            record?.append(buffer.payload(of: message))
            progress.messages += 1
            if message.isOwn { progress.own += 1 }
            sentMessages += 1
        }
        if pending == 0 { clear() } else if sentBytes > max(buffer.bytes.count / 2, 1 << 20) { compact() }
        return progress
    }

    private mutating func clear() {
        buffer.clear()
        sentBytes = 0
        sentMessages = 0
    }

    /// Forgets what was sent, but not the beginning of a message of which the rest is to follow.
    private mutating func compact() {
        let before = buffer.bytes.count
        buffer.removeFirst(sentMessages)
        sentBytes -= before - buffer.bytes.count
        sentMessages = 0
    }
}
