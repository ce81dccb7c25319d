import Glibc
import Linux

/// What a user can be told when a verb fails.
struct Failure: Error, Sendable {
    let message: String
}

/// One thing that the program does.
struct Verb: Sendable {
    let name: String
    /// What follows the name on the command line.
    let usage: String
    let help: String
    let options: [CommandOption]
    /// Does it; returns the exit status.
    let run: @Sendable (CommandArguments) throws -> Int32
}

@main
struct Main {
    private static let verbs = [Tail.verb, Send.verb]
    private static let programOptions = [
        CommandOption("version", short: "V", help: "print the version"),
        CommandOption("help", short: "h", help: "print this help"),
    ]

    static func main() {
        Program.completeStandardDescriptors()
        do {
            exit(try run(CommandLine.arguments))
        } catch let failure as Failure {
            Program.complain("trunklinectl: \(failure.message)\n")
            exit(EXIT_FAILURE)
        } catch {
            Program.complain("trunklinectl: \(error)\nTry 'trunklinectl --help'.\n")
            exit(64 /* EX_USAGE, sysexits(3) */)
        }
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        if arguments.count > 1, let verb = verbs.first(where: { $0.name == arguments[1] }) {
            return try run(verb, [arguments[0]] + arguments[2...])
        }
        let given = try CommandArguments(arguments, options: programOptions)
        if let unknown = given.operands.first {
            throw UsageError(
                "there is no verb '\(unknown)'; there are \(verbs.map(\.name).joined(separator: ", "))")
        }
        guard let option = given.options.first else { throw UsageError("a verb is missing") }
        Program.say(option.index == 0 ? "trunklinectl \(Program.version)\n" : help)
        return EXIT_SUCCESS
    }

    private static func run(_ verb: Verb, _ arguments: [String]) throws -> Int32 {
        let options = verb.options + [CommandOption("help", short: "h", help: "print this help")]
        let given = try CommandArguments(arguments, options: options)
        guard !given.options.contains(where: { $0.index == verb.options.count }) else {
            Program.say(
                """
                Usage: trunklinectl \(verb.name) \(verb.usage)
                \(verb.help)

                \(CommandOption.help(for: options))
                """)
            return EXIT_SUCCESS
        }
        return try verb.run(given)
    }

    private static var help: String {
        let width = verbs.map { $0.name.count + $0.usage.count }.max() ?? 0
        let lines = verbs.map { verb in
            let head = "\(verb.name) \(verb.usage)"
            return "  \(head)\(String(repeating: " ", count: width + 3 - head.count))\(verb.help)"
        }
        return """
            Usage: trunklinectl VERB [OPTION…] …
            Looks at trunkline's bridges, and uses them.

            \(lines.joined(separator: "\n"))

            \(CommandOption.help(for: programOptions))
            'trunklinectl VERB --help' tells more.

            """
    }
}

extension CommandArguments {
    /// The value that was given last for each option of the table, by its index.
    var values: [Int: String] {
        Dictionary(options.map { ($0.index, $0.value) }, uniquingKeysWith: { $1 })
    }
}
