import Configuration
import Glibc
import Linux

/// `trunklinectl check`: what `trunklined --check` does with the file alone, for whoever has no sbin in PATH.
enum Check {
    static let verb = Verb(
        "check", in: .other, [Operand("FILE", .some, values: .files)], summary: "check configuration files",
        details: [
            """
            Nothing is printed when there is no mistake. Otherwise each is told with its line and column, as \
            by 'trunklined --check', which looks for certificates and directories as well, and the exit \
            status is 78. The daemon runs as a user of its own: 'sudo -u trunkline' checks as that user.
            """
        ],
        options: [.runtimeDirectory], run: run)

    private static func run(_ invocation: Invocation) -> Int32 {
        var status = EXIT_SUCCESS
        for path in invocation.operands {
            do throws(ConfigurationErrors) {
                _ = try Configuration(contentsOf: path, runtimeDirectory: invocation.runtimeDirectory)
            } catch {
                for problem in error.errors { Program.complain("\(problem)\n") }
                let failure: ExitStatus = error.mayPass ? .failure : .configuration
                status = max(status, failure.rawValue)
            }
        }
        return status
    }
}
