import Control
import Glibc
import Linux

/// `trunklinectl disconnect`: ends clients' connections.
enum Disconnect {
    static let verb = Verb(
        "disconnect", in: .steering, [.bridge(), Operand("CLIENT", .some)], summary: "disconnect clients",
        details: [
            "A CLIENT is told by its number, which 'status' shows. It may come back at once."
        ], options: [.runtimeDirectory], run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let numbers = try invocation.operands.dropFirst().map { text throws(UsageError) in
            guard let number = Int(text), number > 0 else {
                throw UsageError("'\(text)' is no number of a client")
            }
            return number
        }
        let connection = try ControlConnection(to: invocation.operands[0], in: invocation.runtimeDirectory)
        var status = EXIT_SUCCESS
        for number in numbers {
            do throws(Failure) {
                try connection.demand(.disconnect(client: number))
            } catch {
                // The others are to go all the same.
                Program.complain("trunklinectl: \(error.message)\n")
                status = error.status.rawValue
            }
        }
        return status
    }
}
