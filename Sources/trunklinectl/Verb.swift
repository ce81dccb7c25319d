import Configuration
import Linux

/// One thing that the program does. The help, the completions and the manual page are made from the table of these.
struct Verb: Sendable {
    /// The headings of the help, in their order.
    enum Group: String, CaseIterable {
        case looking = "Looking at bridges"
        case using = "Using a bridge"
        case steering = "Steering a bridge"
        case other = "Other"
    }

    let name: String
    let group: Group
    let operands: [Operand]
    /// What it does, in one line: `print each message`.
    let summary: String
    /// Paragraphs: what else a user should know.
    let details: [String]
    /// Without `--help`, which every verb has.
    let options: [CommandOption]
    /// Does it; returns the exit status.
    let run: @Sendable (Invocation) throws -> Int32

    init(
        _ name: String, in group: Group, _ operands: [Operand] = [], summary: String, details: [String] = [],
        options: [CommandOption] = [], run: @escaping @Sendable (Invocation) throws -> Int32
    ) {
        self.name = name
        self.group = group
        self.operands = operands
        self.summary = summary
        self.details = details
        self.options = options
        self.run = run
    }

    static let help = CommandOption("help", short: "h", help: "print this help")

    var allOptions: [CommandOption] { options + [Self.help] }

    /// `tail BRIDGE`.
    var usage: String { ([name] + operands.map(\.usage)).joined(separator: " ") }

    /// The summary as a sentence.
    var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

    /// - Throws: What is wrong with the operands.
    func check(_ given: [String]) throws(UsageError) {
        let needed = operands.filter { $0.count == .one || $0.count == .some }
        guard given.count >= needed.count else {
            throw UsageError("\(needed[given.count].name) is missing")
        }
        guard let last = operands.last, last.repeats || given.count <= operands.count else {
            guard given.count > operands.count else { return }
            throw UsageError("'\(given[operands.count])' is one word too many")
        }
        for (index, word) in given.enumerated() { try operands[min(index, operands.count - 1)].check(word) }
    }
}

/// A word, or several, that a verb is applied to.
struct Operand: Sendable {
    enum Count {
        case one, optional, any, some
    }

    let name: String
    let count: Count
    let values: Values

    init(_ name: String, _ count: Count = .one, values: Values = .others) {
        self.name = name
        self.count = count
        self.values = values
    }

    /// Bridges, by their names.
    static func bridge(_ count: Count = .one) -> Operand { Operand("BRIDGE", count, values: .bridges) }

    var repeats: Bool { count == .any || count == .some }

    /// - Throws: That the word can be none of the operand's values.
    func check(_ word: String) throws(UsageError) {
        switch values {
        case .bridges where !isName(word):
            throw UsageError("'\(word)' is no name of a bridge; it has letters, digits, '_' and '-' only")
        case .words(let words) where !words.contains(word):
            throw UsageError("'\(word)' is no \(name)\(Suggestion.words(for: word, among: words))")
        case .bridges, .words, .files, .directories, .others: break
        }
    }

    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        case .some: "\(name)…"
        }
    }
}

/// What a shell can offer for an operand, or for an option's value.
enum Values: Equatable {
    case bridges
    case files
    case directories
    case words([String])
    /// Nothing that could be listed.
    case others
}

extension CommandOption {
    static let count = CommandOption("count", short: "n", value: "N", help: "end after N messages")
    static let json = CommandOption("json", help: "print JSON, for programs")
    static let runtimeDirectory = CommandOption(
        "runtime-directory", value: "DIR",
        help: "where the bridges' sockets are ($RUNTIME_DIRECTORY, or /run/trunkline)")

    /// By what the help calls the value: `FILE`, `DIR`, or the words that there are, as in `text|hex`.
    var values: Values {
        switch value {
        case "FILE": return .files
        case "DIR": return .directories
        default:
            let words = value?.split(separator: "|").map(String.init) ?? []
            return words.count > 1 ? .words(words) : .others
        }
    }
}
