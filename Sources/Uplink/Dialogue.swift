import Framing

/// How far the dialogue has come that comes before everything else: no I/O, no clock, no credentials.
///
/// Each byte is looked at once, however the stream is cut (Knuth, Morris and Pratt); nothing of it is kept here.
public struct Dialogue: Sendable {
    /// What it needs to go on.
    public enum Demand: Equatable, Sendable {
        /// What the step sends is to be sent; `sent` tells that it was.
        case sending
        /// More of what the upstream says.
        case bytes
        /// The step has failed, and what else the upstream says is wanted for its words only: not for long.
        case words
        /// The step has failed.
        case nothing
        /// Every step is done: what follows is for the decoder.
        case done
    }

    /// So many bytes of what an upstream says are shown at the most.
    public static let longestWords = 200

    private enum Stage {
        case going
        case refused
        case over
    }

    private let steps: [DialogueStep]
    /// The step that is next, counted from 0; as many as there are when all are done.
    public private(set) var index = 0
    private var stage = Stage.going
    /// How many of the bytes that are expected have come, at the end of what has.
    private var matched = 0
    /// How many bytes the step has taken.
    private var seen = 0
    /// There was something in them that can be read, and not just the end of a line.
    private var hasText = false
    /// The length of the longest beginning of the expected bytes that is also an end of their first n + 1.
    private var borders: [Int] = []

    public init(_ steps: [DialogueStep]) {
        self.steps = steps
        begin()
    }

    public var demand: Demand {
        guard index < steps.count else { return .done }
        switch stage {
        case .over: return .nothing
        case .refused: return .words
        case .going:
            guard case .send = steps[index].action else { return .bytes }
            return .sending
        }
    }

    /// What the step at hand takes is also for clients.
    public var isShown: Bool {
        guard index < steps.count, case .expect(let expectation) = steps[index].action else { return false }
        return expectation.isShown
    }

    /// What the step at hand expects, as a configuration spells it; empty for one that sends.
    public var expected: String {
        guard index < steps.count, case .expect(let expectation) = steps[index].action else { return "" }
        return ByteString.print(expectation.bytes)
    }

    /// Everything that the step sends was sent.
    public mutating func sent() {
        precondition(demand == .sending, "a step that sends nothing was sent")
        next()
    }

    /// The upstream has said this, behind what was taken before.
    ///
    /// - Returns: How many of the first bytes the step takes. What follows them is for later steps, or for the decoder.
    public mutating func received(_ bytes: Span<UInt8>) -> Int {
        guard index < steps.count, case .expect(let expectation) = steps[index].action else { return 0 }
        for position in 0..<bytes.count {
            switch stage {
            case .going: look(at: bytes[position], for: expectation)
            case .refused: listen(to: bytes[position])
            case .over: return position
            }
            guard matched < expectation.bytes.count else {
                next()
                return position + 1
            }
        }
        return bytes.count
    }

    private mutating func look(at byte: UInt8, for expectation: DialogueStep.Expectation) {
        let wanted = expectation.bytes
        if expectation.within != nil {
            while matched > 0 && wanted[matched] != byte { matched = borders[matched - 1] }
        }
        guard wanted[matched] != byte else {
            matched += 1
            return count(byte, matched < wanted.count ? expectation.within : nil)
        }
        guard expectation.within == nil else { return count(byte, expectation.within) }
        stage = .refused
        listen(to: byte)
    }

    private mutating func count(_ byte: UInt8, _ limit: Int?) {
        seen += 1
        if byte > 0x20 { hasText = true }
        if let limit, seen >= limit { stage = .over }
    }

    /// Up to the end of a line in which something stands.
    private mutating func listen(to byte: UInt8) {
        count(byte, Self.longestWords)
        if byte == 0x0A && hasText { stage = .over }
    }

    private mutating func next() {
        index += 1
        begin()
    }

    private mutating func begin() {
        matched = 0
        seen = 0
        hasText = false
        borders = []
        guard index < steps.count, case .expect(let expectation) = steps[index].action,
            expectation.within != nil
        else { return }
        borders = Self.borders(of: expectation.bytes)
    }

    private static func borders(of bytes: [UInt8]) -> [Int] {
        var borders = [0]
        for position in 1..<max(1, bytes.count) {
            var length = borders[position - 1]
            while length > 0 && bytes[length] != bytes[position] { length = borders[length - 1] }
            borders.append(bytes[length] == bytes[position] ? length + 1 : 0)
        }
        return borders
    }
}
