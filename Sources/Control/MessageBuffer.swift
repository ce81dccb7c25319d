/// Divides what arrives on a control connection into messages, each of which a NUL ends.
public struct MessageBuffer: Sendable {
    /// The most bytes of a message.
    private let limit: Int
    private var bytes: [UInt8] = []
    /// Where the next message begins.
    private var start = 0
    /// No NUL is between there and here.
    private var searched = 0

    public init(limit: Int) { self.limit = limit }

    /// Takes bytes that have arrived.
    public mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes += more
    }

    /// Takes out the next message.
    ///
    /// - Returns: The message without its NUL; `nil` when the next one is not whole yet.
    /// - Throws: `malformed` if it is longer than allowed.
    public mutating func next() throws(ControlError) -> [UInt8]? {
        let end = bytes[searched...].firstIndex(of: 0)
        searched = end ?? bytes.count
        guard searched - start <= limit else { throw .malformed }
        guard let end else { return nil }
        defer {
            start = end + 1
            searched = start
        }
        return Array(bytes[start..<end])
    }
}
