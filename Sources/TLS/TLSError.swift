/// Why TLS could not be begun or cannot go on.
public struct TLSError: Error, Equatable, Sendable {
    /// What happened, and what to do; printable ASCII, of bounded length.
    public let message: String
    /// Nothing but a person can mend it.
    public let isLasting: Bool

    public init(_ message: String, isLasting: Bool) {
        self.message = message
        self.isLasting = isLasting
    }
}
