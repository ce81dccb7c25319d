import Configuration
import Glibc
import Linux

/// What a user can be told when a verb fails.
struct Failure: Error, Sendable {
    let message: String
    let status: ExitStatus
    /// The bridge has answered that it would not do it.
    let isRefusal: Bool

    init(_ message: String, _ status: ExitStatus = .failure, isRefusal: Bool = false) {
        self.message = message
        self.status = status
        self.isRefusal = isRefusal
    }
}

/// What the program ends with, if not with 0.
enum ExitStatus: Int32 {
    case failure = 1
    /// As `systemctl status` tells of a unit that is not active.
    case notRunning = 3
    /// EX_USAGE (sysexits(3)).
    case usage = 64
    /// EX_CONFIG.
    case configuration = 78
}

@main
struct Main {
    private static let options = [
        CommandOption("version", short: "V", help: "print the version"),
        CommandOption("help", short: "h", help: "print this help"),
    ]

    static func main() {
        Program.completeStandardDescriptors()
        do {
            exit(try run(CommandLine.arguments))
        } catch let failure as Failure {
            Program.report(failure.message)
            exit(failure.status.rawValue)
        } catch let error as UsageError {
            let verb = CommandLine.arguments.dropFirst().first.flatMap(Verb.named)
            let words = ["trunklinectl", verb?.name, "--help"].compactMap(\.self).joined(separator: " ")
            Program.report("\(error)\nTry '\(words)'.")
            exit(ExitStatus.usage.rawValue)
        } catch {
            Program.report("\(error)")
            exit(ExitStatus.failure.rawValue)
        }
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        if arguments.count > 1, let verb = Verb.named(arguments[1]) {
            let invocation = try Invocation([arguments[0]] + arguments[2...], of: verb)
            guard !invocation.has(Verb.help) else {
                Program.say(Help.text(of: verb))
                return EXIT_SUCCESS
            }
            return try verb.run(invocation)
        }
        let given = try CommandArguments(arguments, options: options)
        if let word = given.operands.first {
            Program.say(try help(word, given.operands.dropFirst()))
            return EXIT_SUCCESS
        }
        guard let option = given.options.first else { throw UsageError("a verb is missing") }
        Program.say(option.index == 0 ? "trunklinectl \(Program.version)\n" : Help.text(options: options))
        return EXIT_SUCCESS
    }

    /// What `trunklinectl help` and `trunklinectl help VERB` print.
    private static func help(_ word: String, _ rest: ArraySlice<String>) throws(UsageError) -> String {
        guard word == "help" else { throw Verb.unknown(word) }
        guard let name = rest.first else { return Help.text(options: options) }
        guard let verb = Verb.named(name) else { throw Verb.unknown(name) }
        return Help.text(of: verb)
    }
}

extension Verb {
    /// Every verb, in the order of the help.
    static let all = [
        List.verb, Status.verb, Top.verb, Monitor.verb, Metrics.verb, Tail.verb, Send.verb, Connect.verb,
        Reconnect.verb, Disconnect.verb, LogLevel.verb, Check.verb, Completion.verb,
    ]

    /// - Returns: `nil` when there is no verb of this name; `manual`, which `make install` uses, is not told of.
    static func named(_ name: String) -> Verb? { (all + [Manual.verb]).first { $0.name == name } }

    static func unknown(_ name: String) -> UsageError {
        UsageError("there is no verb '\(name)'\(Suggestion.words(for: name, among: all.map(\.name)))")
    }
}
