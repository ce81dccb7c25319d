import Foundation
import Linux
import TestSupport
import Testing

@testable import trunklinectl

/// What is made from the table of verbs: the help, the completions and the manual page.
struct VerbTests {
    private static let sample = Verb(
        "steer", in: .steering, [.bridge(), Operand("HOW", .any, values: .words(["left", "right"]))],
        summary: "steer 'it' [now]: \\ and so on", details: [".of which", "more - is told…"],
        options: [
            CommandOption("mode", short: "m", value: "fast|slow", help: "how: [fast], or 'slow'"),
            CommandOption("at", value: "FILE", help: "a file"), .json,
        ]
    ) { _ in 0 }
    private static let verbs = Verb.all + [sample]

    /// A verb is looked for by its name, and an option by the first verb that has one of that name.
    @Test func `names are used once`() {
        #expect(Set(Verb.all.map(\.name)).count == Verb.all.count)
        for verb in Verb.all {
            let options = verb.allOptions
            #expect(Set(options.map(\.name)).count == options.count, "\(verb.name)")
            let letters = options.compactMap(\.short)
            #expect(Set(letters).count == letters.count, "\(verb.name)")
        }
    }

    @Test func `a verb's help is no wider than 80 columns, and tells everything`() {
        for verb in Self.verbs {
            let text = Help.text(of: verb)
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
            #expect(text.hasPrefix("Usage: trunklinectl \(verb.usage)"))
            for option in verb.allOptions { #expect(text.contains("--\(option.name)")) }
        }
        let text = Help.text(options: [], verbs: Self.verbs)
        for verb in Self.verbs { #expect(text.contains("  \(verb.usage)")) }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    }

    @Test(arguments: [
        ([], "BRIDGE is missing"), (["a"], nil), (["a", "left", "right"], nil),
        (["a/"], "'a/' is no name of a bridge; it has letters, digits, '_' and '-' only"),
        ([""], "'' is no name of a bridge; it has letters, digits, '_' and '-' only"),
        (["a", "lefd"], "'lefd' is no HOW; there are left, right; did you mean 'left'?"),
        (["a", "left", "up"], "'up' is no HOW; there are left, right"),
    ])
    func `operands are counted`(_ operands: [String], _ complaint: String?) {
        #expect(self.complaint(Self.sample, operands) == complaint)
    }

    @Test(arguments: [(["bash"], nil), (["bash", "zsh"], "'zsh' is one word too many")])
    func `a word too many is told`(_ operands: [String], _ complaint: String?) {
        #expect(self.complaint(Completion.verb, operands) == complaint)
    }

    private func complaint(_ verb: Verb, _ operands: [String]) -> String? {
        do throws(UsageError) {
            try verb.check(operands)
            return nil
        } catch {
            return error.description
        }
    }

    // MARK: Completions

    @Test(arguments: [
        ("bash", "-n", BashCompletion.script), ("zsh", "-n", ZshCompletion.script),
        ("fish", "--no-execute", FishCompletion.script),
    ])
    func `a shell understands its completions`(
        shell: String, check: String, script: @Sendable ([Verb]) -> String
    ) throws {
        guard let program = Program(shell) else { return }
        let directory = try TemporaryDirectory()
        try Data(script(Self.verbs).utf8).write(to: URL(filePath: directory("script")))
        let outcome = try program.run(check, directory("script"), environment: ["HOME": directory.path])
        #expect(outcome == Program.Outcome(status: 0, output: "", errors: ""))
    }

    @Test(
        arguments: [
            (["st"], ["steer"]), (["steer", ""], ["ais", "amp"]), (["steer", "am"], ["amp"]),
            (["steer", "ais", ""], ["left", "right"]), (["steer", "ais", "left", "r"], ["right"]),
            (["steer", "--m"], ["--mode"]), (["steer", "--mode", ""], ["fast", "slow"]),
            (["steer", "-m", "s"], ["slow"]), (["steer", "-m", "slow", "--json", "a"], ["ais", "amp"]),
            (["steer", "--at", "/etc/os-rel"], ["/etc/os-release"]), (["unknown", ""], []),
            (["steer", "--mode", "="], ["fast", "slow"]), (["steer", "--mode", "=", "f"], ["fast"]),
            (["steer", "--mode", "=", "fast", "am"], ["amp"]),
        ])
    func `bash completes what the table says`(_ words: [String], _ offered: [String]) throws {
        let directory = try TemporaryDirectory()
        let script = """
            \(BashCompletion.script(for: [Self.sample]))
            trunklinectl() { [[ $* == 'list --names' ]] && printf 'ais\\namp\\n'; }
            COMP_WORDS=(trunklinectl "$@") COMP_CWORD=$#
            _trunklinectl
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        try Data(script.utf8).write(to: URL(filePath: directory("script")))
        let bash = try #require(Program("bash"))
        let command = "set -- \(words.map { "'\($0)'" }.joined(separator: " ")); . '\(directory("script"))'"
        let outcome = try bash.run("-c", command)
        #expect(outcome.output.split(separator: "\n").map(String.init).sorted() == offered)
        #expect(outcome.errors.isEmpty)
    }

    // MARK: The manual page

    @Test func `the manual page is formatted without a warning`() throws {
        guard let groff = Program("groff") else { return }
        let directory = try TemporaryDirectory()
        try Data(Manual.page(verbs: Self.verbs).utf8).write(to: URL(filePath: directory("page")))
        let outcome = try groff.run("-ww", "-man", "-Tutf8", "-P-cbou", directory("page"))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let words = outcome.output.split { $0.isWhitespace }.joined(separator: " ")
        for text in ["steer BRIDGE [HOW…]", "[now]: \\ and", ".of which", "-m, --mode fast|slow"] {
            #expect(words.contains(text), "\(text)")
        }
        for verb in Verb.all { #expect(words.contains(verb.usage), "\(verb.usage)") }
    }
}
