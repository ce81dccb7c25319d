import Glibc
import Linux

/// `trunklinectl completion`: what makes a shell complete the command line.
enum Completion {
    static let verb = Verb(
        "completion", in: .other, [Operand("SHELL", values: .words(["bash", "zsh", "fish"]))],
        summary: "print the completions for a shell",
        details: [
            """
            SHELL is bash, zsh or fish. 'make install' puts them where these shells look; without it, \
            'source <(trunklinectl completion bash)' tries them.
            """
        ], run: run)

    private static func run(_ invocation: Invocation) -> Int32 {
        let verbs = Verb.all
        switch invocation.operands[0] {
        case "bash": Program.say(BashCompletion.script(for: verbs))
        case "zsh": Program.say(ZshCompletion.script(for: verbs))
        case "fish": Program.say(FishCompletion.script(for: verbs))
        default: preconditionFailure("an operand that was not checked")
        }
        return EXIT_SUCCESS
    }

    /// Prints the names of all bridges, running or not; in every shell.
    static let listBridges = "trunklinectl list --names 2>/dev/null"
    /// What the program itself takes in place of a verb.
    static let programOptions = ["--version", "--help"]
}

extension CommandOption {
    /// As they are typed: `--config`, `-c`.
    var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}
