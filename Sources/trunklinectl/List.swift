import Glibc
import Linux

/// `trunklinectl list`: all bridges at a glance.
enum List {
    static let verb = Verb(
        "list", in: .looking, summary: "list all bridges, running and configured",
        options: [names, .runtimeDirectory], run: run)

    private static let names = CommandOption("names", help: "print names only")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let bridges = try Bridges.all(invocation.runtimeDirectory)
        Program.say(bridges.map { "\($0)\n" }.joined())
        return EXIT_SUCCESS
    }
}
