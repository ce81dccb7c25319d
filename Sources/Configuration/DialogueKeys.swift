import Framing
import Uplink

extension Keys {
    static let sending = Table<DialogueStep>([
        Key(
            "send", \.pieces, .message, .required,
            "These bytes are sent, with the values of credentials of systemd in them."),
        timeout,
    ])

    static let expecting = Table<DialogueStep>([
        Key(
            "expect", \.expectation.bytes, .bytes(1...256), .required,
            "What the server must say next; what follows it is a message, or for the next step."),
        Key(
            "within", \.expectation.within, .optional(.size(1...64 << 10)),
            .derived("right away") { _, _ in nil },
            "With expect: it may come anywhere in the step's first so many bytes; what is before it is dropped."
        ),
        Key(
            "show", \.expectation.isShown, .yesOrNo, .text("no"),
            "With expect: whether clients get what the server says in this step, too."),
        timeout,
    ])

    private static let timeout = Key<DialogueStep>(
        "timeout", \.timeout, .time(atLeast: .milliseconds(1)), .text("10s"), "The most time for the step.")
}

extension ValueType where Value == DialogueStep {
    /// A mapping with either `send` or `expect`, and what belongs to that.
    static var step: ValueType {
        let (sending, expecting) = (Keys.sending, Keys.expecting)
        let allowed = Allowed("a mapping with either send or expect")
        let shared = Set(sending.keys.map(\.name))
        let rows = expecting.rows.filter { !shared.contains($0.path) } + sending.rows
        return ValueType("STEP", allowed, rows: rows) { node, decoding in
            guard case .mapping(let entries) = node.content else {
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            var (sends, expects) = (entries.has("send"), entries.has("expect"))
            if !sends, !expects { (sends, expects) = (entries.means("send"), entries.means("expect")) }
            guard sends != expects else {
                decoding.report("found \(sends ? "both" : "neither"); \(allowed)", at: node.position)
                return nil
            }
            var step = DialogueStep(sends ? .send([]) : .expect(.init([])), timeout: .zero)
            let table = sends ? sending : expecting
            let owner = sends ? " of a step that sends" : " of a step that expects"
            table.read(entries, at: node.position, into: &step, &decoding, owner: owner)
            let (wanted, limit) = (step.expectation.bytes.count, step.expectation.within)
            if let limit, limit < wanted {
                decoding.report(
                    "found \(wanted) bytes within \(Size.print(limit)); allowed is at least their number",
                    at: node.position)
            }
            return step
        } write: { step in
            switch step.action {
            case .send: .mapping(sending.write(step), .flow)
            case .expect: .mapping(expecting.write(step), .flow)
            }
        }
    }
}

extension [Node.Entry] {
    fileprivate func has(_ name: String) -> Bool { contains { $0.name == name } }

    /// Whether there is a misspelt name.
    fileprivate func means(_ name: String) -> Bool { contains { nearest(to: $0.name, among: [name]) != nil } }
}

extension ValueType where Value == [DialogueStep.Piece] {
    /// Bytes, with `${credential:NAME}` for the value of a credential.
    static var message: ValueType {
        let limit = 4096
        let allowed = Allowed(
            "1 to \(limit) bytes, with the escapes \(ByteString.escapes), and ${credential:NAME}")
        return .spelled(allowed) { text in
            guard let pieces = DialogueStep.Piece.parse(text) else { return nil }
            return pieces.isEmpty || pieces.reduce(0) { $0 + $1.count } > limit ? nil : pieces
        } print: { pieces in
            DialogueStep.Piece.print(pieces)
        }
    }
}

extension DialogueStep.Piece {
    static let mark = "${credential:"
    /// What is spelled so is `mark` itself, byte for byte.
    static let escapedMark = "\\x24{credential:"

    fileprivate var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .credential: 1
        }
    }

    /// The parts of a message; `nil` if it is not spelled as one.
    static func parse(_ text: String) -> [DialogueStep.Piece]? {
        var pieces: [DialogueStep.Piece] = []
        var rest = text[...]
        while !rest.isEmpty {
            let literal = rest.prefix(upTo: rest.firstRange(of: mark)?.lowerBound ?? rest.endIndex)
            guard let bytes = ByteString.parse(String(literal)) else { return nil }
            if !bytes.isEmpty { pieces.append(.bytes(bytes)) }
            rest = rest[literal.endIndex...].dropFirst(mark.count)
            guard literal.endIndex < text.endIndex else { return pieces }
            guard let end = rest.firstIndex(of: "}"), isCredentialName(rest[..<end]) else { return nil }
            pieces.append(.credential(String(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        return pieces
    }

    static func print(_ pieces: [DialogueStep.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .bytes(let bytes): ByteString.print(bytes).replacing(mark, with: escapedMark)
            case .credential(let name): "\(mark)\(name)}"
            }
        }.joined()
    }
}

extension DialogueStep {
    /// Clients get what the server says in it.
    var isShown: Bool { expectation.isShown }

    /// What a step that sends sends.
    fileprivate var pieces: [Piece] {
        get { if case .send(let pieces) = action { pieces } else { [] } }
        set { action = .send(newValue) }
    }

    /// What a step that expects expects.
    fileprivate var expectation: Expectation {
        get { if case .expect(let expectation) = action { expectation } else { Expectation([]) } }
        set { action = .expect(newValue) }
    }
}
