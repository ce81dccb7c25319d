public import Framing

/// What one client has begun to send and not finished, and its decoder.
///
/// The storage exists only while there is something in it.
public final class Inlet {
    /// That of its client.
    public let framing: Framing
    var decoder: Decoder
    /// An unfinished frame is shorter than this.
    private let longestFrame: Int
    private(set) var storage: [UInt8] = []
    /// How many bytes of the storage are received ones.
    private(set) var count = 0
    /// Puts the messages into the upstream's framing; `nil` where they are in it already.
    public let translator: InletTranslator?
    /// The most bytes of a message in the upstream's framing.
    let longestTranslated: Int
    /// Whole messages may wait here, for the outbox has had no room.
    public internal(set) var hasUndecoded = false
    /// What a message could not be translated for, after which nothing more is taken.
    public internal(set) var fault: UnrepresentableError?

    /// - Parameters:
    ///   - framing: How the upstream wants messages to be framed.
    ///   - limit: The most payload bytes of one.
    ///   - translator: For a client that sends them otherwise.
    public init(framing: Framing, limit: Int, translator: InletTranslator? = nil) {
        let own = translator?.framing ?? framing
        self.framing = own
        decoder = Decoder(own, limit: limit)
        longestFrame = own.longestFrame(of: limit)
        longestTranslated = framing.longestFrame(of: limit)
        self.translator = translator
    }

    /// An unfinished message that is so long is received into the storage, not copied back and forth: so each byte
    /// costs a bounded amount of work, however slowly it drips.
    var isLong: Bool { count > Self.longestCopied }
    static let longestCopied = 4096

    /// Bytes of the unfinished message; after a fault, or with `hasUndecoded`, all that was not taken.
    public var partialCount: Int { withBytes { framing.unfinished($0) } }

    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try unsafe storage.withUnsafeBufferPointer { buffer throws(E) in
            try body(unsafe Span(_unsafeElements: buffer).extracting(first: count))
        }
    }

    /// Lends the room behind what is there: at least one byte, at most `limit`.
    func withSpare<R, E: Error>(
        atMost limit: Int, _ body: (inout MutableSpan<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        if storage.count == count { grow(to: min(count * 2, longestFrame)) }
        let room = count..<min(storage.count, count + limit)
        return try unsafe storage.withUnsafeMutableBufferPointer { buffer throws(E) in
            var spare = unsafe MutableSpan(_unsafeElements: buffer[room])
            return try body(&spare)
        }
    }

    /// So many bytes were written to the room behind.
    func received(_ added: Int) {
        count += added
        precondition(count <= storage.count, "more bytes than there was room for")
    }

    func append(_ bytes: Span<UInt8>) {
        let needed = count + bytes.count
        if needed > storage.count { grow(to: max(needed, min(count * 2, longestFrame))) }
        unsafe storage.withUnsafeMutableBufferPointer { storage in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                _ = unsafe UnsafeMutableBufferPointer(rebasing: storage[count..<needed]).update(
                    fromContentsOf: bytes)
            }
        }
        count = needed
    }

    func removeFirst(_ removed: Int) {
        guard removed < count else { return removeAll() }
        storage.removeFirst(removed)
        count -= removed
    }

    func removeAll() {
        storage = []
        count = 0
    }

    private func grow(to capacity: Int) {
        storage.reserveCapacity(capacity)
        storage.append(contentsOf: repeatElement(0, count: capacity - storage.count))
    }
}
