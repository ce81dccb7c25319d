/// Divides what arrives on a control connection into messages, each of which a NUL ends.
public struct MessageBuffer: Sendable {
    /// The most bytes of one message that is not whole yet.
    private let limit: Int
    private var bytes: [UInt8] = []

    public init(limit: Int) { self.limit = limit }

    /// Takes bytes that have arrived.
    ///
    /// - Returns: The messages that they complete, without their NULs.
    /// - Throws: `malformed` if a message is longer than allowed.
    public mutating func append(_ more: some Collection<UInt8>) throws(ControlError) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = more[...]
        while let end = rest.firstIndex(of: 0) {
            bytes += rest[..<end]
            guard bytes.count <= limit else { throw .malformed }
            messages.append(bytes)
            bytes = []
            rest = rest[rest.index(after: end)...]
        }
        bytes += rest
        guard bytes.count <= limit else { throw .malformed }
        return messages
    }
}
