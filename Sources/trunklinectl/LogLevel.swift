import Control
import Glibc
import Linux

/// `trunklinectl log-level`: what a bridge logs.
enum LogLevel {
    static let all = ["error", "warning", "notice", "info", "debug"]

    static let verb = Verb(
        "log-level", in: .steering, [.bridge(), Operand("LEVEL", .optional, values: .words(all))],
        summary: "show what a bridge logs at the least, or change it",
        details: [
            "LEVEL is \(all.joined(separator: ", ")). A change holds until the daemon ends."
        ], options: [.runtimeDirectory], run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let bridge = invocation.operands[0]
        let connection = try ControlConnection(to: bridge, in: invocation.runtimeDirectory)
        if invocation.operands.count == 2 {
            try connection.demand(.setLogLevel(invocation.operands[1]))
        } else {
            let description: Description = try connection.ask(.describe)
            Program.say("\(printable(description.bridge.logLevel))\n")
        }
        return EXIT_SUCCESS
    }
}
