public import Framing

/// Puts what the clients of a socket send in a framing of their own into the upstream's.
public final class InletTranslator {
    /// One read is at most so large.
    private static let longestRead = 64 << 10

    public let framing: Framing
    let target: Framing
    /// What becomes of a client that sends what the target cannot carry.
    private let disconnects: Bool
    /// What a client has begun, and what is read behind it.
    private var staging: [UInt8]
    /// Where a payload is put together that is spelt otherwise.
    private var scratch: [UInt8] = []
    private var losses = UnrepresentableMessages()

    /// - Parameters:
    ///   - framing: How the clients' messages are framed.
    ///   - target: How those to the upstream are; it is reversible.
    ///   - disconnects: Whether a client's messages end with the first one that the target cannot carry; else such a
    ///     message is passed over.
    public init(from framing: Framing, to target: Framing, disconnects: Bool) {
        precondition(target.isReversible, "a framing that cannot be written")
        self.framing = framing
        self.target = target
        self.disconnects = disconnects
        staging = Array(repeating: 0, count: Inlet.longestCopied + Self.longestRead)
    }

    /// Bytes that it takes, but for what it puts payloads together in.
    public static let stagingBytes = Inlet.longestCopied + longestRead

    /// What could not be carried since the last call.
    public func takeLosses() -> UnrepresentableMessages {
        defer { losses = UnrepresentableMessages() }
        return losses
    }

    /// Lends the room behind what the inlet holds, which is copied there.
    func withSpare<R, E: Error>(
        behind inlet: Inlet, atMost limit: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let start = inlet.count
        return try unsafe staging.withUnsafeMutableBufferPointer { staging throws(E) in
            inlet.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer { _ = unsafe staging.update(fromContentsOf: $0) }
            }
            let room = start..<min(staging.count, start + limit)
            var spare = unsafe MutableSpan(_unsafeElements: staging[room])
            return try body(&spare)
        }
    }

    /// Lends the first of the bytes that were staged.
    func withStaged<R, E: Error>(_ count: Int, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe staging.withUnsafeBufferPointer { staging throws(E) in
            try body(unsafe Span(_unsafeElements: staging).extracting(first: count))
        }
    }

    /// Lends the payload of a frame.
    func withPayload<R>(of frame: Frame, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> R) -> R {
        framing.withPayload(of: frame, in: bytes, scratch: &scratch, body)
    }

    /// The target could not carry a message of this size.
    ///
    /// - Returns: Whether its client is to be disconnected.
    func lost(_ reason: UnrepresentableError, bytes: Int) -> Bool {
        losses.add(reason, bytes: bytes)
        return disconnects
    }
}
