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
        var done: [Int] = []
        for number in numbers {
            do throws(Failure) {
                try connection.demand(.disconnect(client: number))
                done.append(number)
            } catch  where error.isRefusal {
                // The others are to go all the same.
                Program.report(error.message)
                status = error.status.rawValue
            } catch {
                throw Failure("\(error.message); \(outcome(done, number, of: numbers))", error.status)
            }
        }
        return status
    }

    /// What became of all, when the one of this number was not answered.
    private static func outcome(_ done: [Int], _ number: Int, of numbers: [Int]) -> String {
        func list(_ numbers: some Sequence<Int>) -> String {
            numbers.map(String.init).joined(separator: ", ")
        }
        let others = (numbers.firstIndex(of: number) ?? 0) + 1
        let rest = numbers[others...]
        return "disconnected before: \(done.isEmpty ? "none" : list(done)); without an answer: \(number)"
            + (rest.isEmpty ? "" : "; not tried: \(list(rest))")
    }
}
