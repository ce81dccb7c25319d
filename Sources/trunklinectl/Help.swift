import Linux

/// What `--help` prints.
enum Help {
    static func text(of verb: Verb) -> String {
        let paragraphs = verb.details.map { CommandOption.wrapped($0, indent: 0) + "\n" }.joined()
        return """
            Usage: trunklinectl \(verb.usage) [OPTION…]
            \(verb.sentence)

            \(paragraphs)\(CommandOption.help(for: verb.allOptions))
            """
    }

    /// The help of the whole program.
    static func text(options: [CommandOption], verbs: [Verb] = Verb.all) -> String {
        let groups = Verb.Group.allCases.map { group in
            let rows = verbs.filter { $0.group == group }.map { CommandOption.helpRow($0.usage, $0.summary) }
            return "\(group.rawValue):\n\(rows.joined())\n"
        }
        return """
            Usage: trunklinectl VERB [OPTION…] …
            Looks at Trunkline's bridges, uses them, and steers them.

            \(groups.joined())\(CommandOption.help(for: options))
            A BRIDGE is called what its file is: ais is /etc/trunkline/ais.yaml, and the
            unit trunkline@ais. 'trunklinectl VERB --help' tells more.

            """
    }
}
