import Framing

/// Frames in a row, and where each ends.
struct MessageBuffer: Sendable {
    struct Message: Sendable {
        var payload: Range<Int>
        /// One past the frame's last byte.
        var end: Int
        /// Whether it is one of the connection's own messages; otherwise it answers one that was received.
        var isOwn: Bool
        /// Whether the payload is spelt otherwise than it is.
        var isEscaped: Bool
    }
    var bytes: [UInt8] = []
    private(set) var messages: [Message] = []
    /// What spells the payloads that are escaped.
    private var framing: Framing?

    /// Appends the frame that carries `payload`.
    mutating func append(_ payload: [UInt8], framing: Framing, isOwn: Bool) throws(UnrepresentableError) {
        let start = bytes.count
        let range = try framing.encode(payload, into: &bytes).payload
        appendMessage(
            payload: start + range.lowerBound..<start + range.upperBound, isOwn: isOwn, framing: framing)
    }

    /// The bytes up to their present end are the frame of this payload; of none, if it is no message of any framing.
    mutating func appendMessage(payload: Range<Int>, isOwn: Bool, framing: Framing?) {
        let isEscaped = framing?.hasEscapes ?? false
        if isEscaped { self.framing = framing }
        messages.append(Message(payload: payload, end: bytes.count, isOwn: isOwn, isEscaped: isEscaped))
    }

    /// What a message carries.
    func payload(of message: Message) -> ArraySlice<UInt8> {
        let spelt = bytes[message.payload]
        guard message.isEscaped, let framing else { return spelt }
        return framing.payload(speltAs: spelt)[...]
    }

    /// Forgets everything.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        messages.removeAll(keepingCapacity: true)
    }

    /// Forgets the first `count` messages and what stands before their end.
    mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        let start = messages[count - 1].end
        bytes.removeFirst(start)
        messages.removeFirst(count)
        for i in messages.indices {
            let payload = messages[i].payload
            messages[i].payload = payload.lowerBound - start..<payload.upperBound - start
            messages[i].end -= start
        }
    }
}

extension Framing {
    /// The payload of a frame that holds nothing else.
    func payload(speltAs bytes: ArraySlice<UInt8>) -> [UInt8] {
        var payload: [UInt8] = []
        appendPayload(of: Frame(length: bytes.count), in: bytes.span, to: &payload)
        return payload
    }
}
