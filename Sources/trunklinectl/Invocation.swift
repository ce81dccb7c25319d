import Linux

/// The command line of a verb, understood.
struct Invocation: Sendable {
    let operands: [String]
    private let given: [(name: String, value: String)]

    /// - Parameters:
    ///   - arguments: The program's name, and what follows the verb.
    ///   - verb: Whose options and operands there may be.
    /// - Throws: What is wrong with them.
    init(_ arguments: [String], of verb: Verb) throws(UsageError) {
        let options = verb.allOptions
        let parsed = try CommandArguments(arguments, options: options)
        operands = parsed.operands
        given = parsed.options.map { (options[$0.index].name, $0.value) }
        if !has(Verb.help) { try verb.check(operands) }
    }

    func has(_ option: CommandOption) -> Bool { given.contains { $0.name == option.name } }

    /// The option's value, of several the last.
    subscript(option: CommandOption) -> String? { given.last { $0.name == option.name }?.value }

    /// The values of an option that may be repeated, in order.
    func all(_ option: CommandOption) -> [String] { given.filter { $0.name == option.name }.map(\.value) }

    /// An option's value that is a number of at least 1.
    func count(_ option: CommandOption) throws(UsageError) -> Int? {
        guard let text = self[option] else { return nil }
        guard let count = Int(text), count > 0 else {
            throw UsageError("'\(text)' is no number for --\(option.name)")
        }
        return count
    }

    /// Where the bridges' sockets are.
    var runtimeDirectory: String { self[.runtimeDirectory] ?? Program.runtimeDirectory }
}
