/// One step of the dialogue with the upstream that comes before everything else.
public struct DialogueStep: Equatable, Sendable {
    public enum Action: Equatable, Sendable {
        case send([Piece])
        case expect(Expectation)
    }

    /// A part of what is sent.
    public enum Piece: Equatable, Sendable {
        case bytes([UInt8])
        /// The value of the credential of this name.
        case credential(String)
    }

    public struct Expectation: Equatable, Sendable {
        /// At least one.
        public var bytes: [UInt8]
        /// They must end within the step's first so many bytes, whatever is before them; `nil` if they must come next.
        public var within: Int?
        /// The step's bytes are a part of what clients are given.
        public var isShown: Bool

        public init(_ bytes: [UInt8], within: Int? = nil, isShown: Bool = false) {
            self.bytes = bytes
            self.within = within
            self.isShown = isShown
        }
    }

    public var action: Action
    /// The most time for the step.
    public var timeout: Duration

    public init(_ action: Action, timeout: Duration) {
        self.action = action
        self.timeout = timeout
    }
}
