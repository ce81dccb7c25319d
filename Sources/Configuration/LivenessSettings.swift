/// What is sent to the upstream again and again, so that both sides know that the other is there.
public struct HeartbeatSettings: Equatable, Sendable {
    /// At least one byte.
    public var bytes: [UInt8]
    /// From one to the next.
    public var every: Duration
    /// A message that begins with these bytes is the answer, and has to come before the next is sent; `nil` if none is
    /// expected.
    public var answer: [UInt8]?
    /// Clients are not given the answers.
    public var hidesAnswers: Bool

    public init(bytes: [UInt8], every: Duration, answer: [UInt8]? = nil, hidesAnswers: Bool = false) {
        self.bytes = bytes
        self.every = every
        self.answer = answer
        self.hidesAnswers = hidesAnswers
    }
}

/// When the kernel asks whether the other end of a quiet TCP connection is still there (tcp(7)): in whole seconds.
public struct KeepaliveSettings: Equatable, Sendable {
    /// After so long without a byte; `nil` is never.
    public var idle: Duration?
    /// So long after a question that was not answered.
    public var interval: Duration
    /// After so many of these the connection is lost.
    public var count: Int

    public init(idle: Duration?, interval: Duration, count: Int) {
        self.idle = idle
        self.interval = interval
        self.count = count
    }
}
