import Linux

enum FishCompletion {
    static func script(for verbs: [Verb]) -> String {
        let names = verbs.map(\.name).joined(separator: " ")
        let none = "not __fish_seen_subcommand_from \(names)"
        let first =
            verbs.map { "complete -c trunklinectl -n '\(none)' -a \($0.name) -d \(quoted($0.summary))" }
            + Completion.programOptions.map { "complete -c trunklinectl -n '\(none)' -l \($0.dropFirst(2))" }
        return """
            # Completions of trunklinectl for fish; made by "trunklinectl completion fish".

            complete -c trunklinectl -f
            \((first + verbs.flatMap(lines)).joined(separator: "\n"))

            """
    }

    private static func lines(_ verb: Verb) -> [String] {
        let head = "complete -c trunklinectl -n '__fish_seen_subcommand_from \(verb.name)'"
        let options = verb.allOptions.map { option in
            var line = head + (option.short.map { " -s \($0)" } ?? "") + " -l \(option.name)"
            if option.value != nil { line += " -r\(arguments(option.values))" }
            return "\(line) -d \(quoted(option.help))"
        }
        return options + verb.operands.map { arguments($0.values) }.filter { !$0.isEmpty }.map { head + $0 }
    }

    private static func arguments(_ values: Values) -> String {
        switch values {
        case .bridges: " -a '(\(Completion.listBridges))'"
        case .files: " -F"
        case .directories: " -a '(__fish_complete_directories)'"
        case .words(let words): " -a '\(words.joined(separator: " "))'"
        case .others: ""
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { "\\'".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}
