import Linux
import Memory
import Uplink

/// The dialogue with one upstream before everything else: its bytes in both directions.
final class Greeting {
    /// Of what was received; what a step has not taken yet has a little less.
    private static let capacity = 8 << 10

    private var dialogue: Dialogue
    private let script: GreetingScript
    /// How much of what the step at hand sends was sent.
    private var sent = 0
    /// What was received, since an upstream may repeat a credential.
    private var memory: SecretMemory
    /// Of the step at hand: from the first byte that is still known, up to what it has not taken.
    private var taken = 0..<0
    private var end = 0
    /// What the steps have taken that is for clients, too.
    private var shown: [UInt8] = []

    /// The most bytes that the dialogue takes; what clients are to have of it is kept in an array that doubles.
    static func longestMemory(_ steps: [DialogueStep]) -> Int {
        guard !steps.isEmpty else { return 0 }
        let shown = steps.reduce(0) { sum, step in
            guard case .expect(let expectation) = step.action, expectation.isShown else { return sum }
            return sum + (expectation.within ?? expectation.bytes.count)
        }
        return capacity + GreetingScript.size(for: steps) + 2 * (shown + capacity)
    }

    init(_ steps: [DialogueStep]) throws(GreetingError) {
        dialogue = Dialogue(steps)
        script = try .read(for: steps)
        memory = try makeSecretMemory(size: Self.capacity)
    }

    var step: Int { dialogue.index }
    var demand: Dialogue.Demand { dialogue.demand }
    var expected: String { dialogue.expected }

    // MARK: Sending

    /// Sends what is left of what the step at hand sends.
    func send(by transmit: (Span<UInt8>) throws(SystemError) -> Int) throws(SystemError) {
        sent += try script.withMessage(ofStep: step, after: sent, transmit)
        guard sent == script.length(ofStep: step) else { return }
        sent = 0
        dialogue.sent()
        taken = taken.upperBound..<taken.upperBound
    }

    // MARK: Receiving

    /// Whether more can be received before a step has taken what was.
    var hasRoom: Bool { end - firstWord < Self.capacity }

    /// Of what the step has taken its last words are kept.
    private var firstWord: Int { taken.upperBound - min(taken.count, Dialogue.longestWords) }

    /// Lends the place where the next bytes go.
    func withFreeSpace(
        _ body: (inout MutableSpan<UInt8>) throws(SystemError) -> Transfer
    ) throws(SystemError) -> Transfer {
        if end == Self.capacity { makeRoom() }
        let transfer = try memory.withMutableBytes(end..<Self.capacity, body)
        if case .moved(let count) = transfer { end += count }
        return transfer
    }

    private func makeRoom() {
        let start = firstWord
        memory.move(start..<end, to: 0)
        taken = 0..<taken.upperBound - start
        end -= start
    }

    /// Gives the step at hand what was received; `step` tells whether that was enough.
    func advance() {
        let (before, isShown) = (step, dialogue.isShown)
        memory.withBytes(taken.upperBound..<end) { bytes in
            let count = dialogue.received(bytes)
            if isShown { for index in 0..<count { shown.append(bytes[index]) } }
            taken = taken.lowerBound..<taken.upperBound + count
        }
        if step != before { taken = taken.upperBound..<taken.upperBound }
    }

    /// What is for the decoder, when every step is done.
    func takeRest() -> [UInt8] {
        memory.withBytes(taken.upperBound..<end) { bytes in
            for index in 0..<bytes.count { shown.append(bytes[index]) }
        }
        defer { shown = [] }
        return shown
    }

    // MARK: Words

    /// The last that the upstream has said within the step at hand; when that has failed, up to where it was listened to.
    var said: String {
        let end = demand == .nothing ? taken.upperBound : end
        let start = max(taken.lowerBound, end - Dialogue.longestWords)
        return memory.withBytes(start..<end) { bytes in
            var words = Words(count: bytes.count)
            script.hideCredentials(in: &words, bytes)
            return words.text(of: bytes, isCut: start > taken.lowerBound)
        }
    }
}
