import Linux

enum ZshCompletion {
    static func script(for verbs: [Verb]) -> String {
        """
        #compdef trunklinectl
        # Completions of trunklinectl for zsh; made by "trunklinectl completion zsh".

        _trunklinectl_bridges() {
            local -a names=(${(f)"$(\(Completion.listBridges))"})
            compadd -a names
        }

        _trunklinectl() {
            local curcontext=$curcontext
            local -a verbs=(
        \(verbs.map { "        \(quoted("\($0.name):\($0.summary)"))" }.joined(separator: "\n"))
            )
            if ((CURRENT == 2)); then
                _describe verb verbs
                compadd -- \(Completion.programOptions.joined(separator: " "))
                return
            fi
            local verb=$words[2]
            shift words
            ((CURRENT--))
            case $verb in
        \(verbs.map(arguments).joined(separator: "\n"))
            esac
        }

        _trunklinectl "$@"

        """
    }

    private static func arguments(_ verb: Verb) -> String {
        let specifications = verb.allOptions.map(specification) + verb.operands.map(specification)
        return """
                \(verb.name))
                    _arguments -s -S \\
                        \(specifications.joined(separator: " \\\n            "))
                    ;;
            """
    }

    /// As the function _arguments of zshcompsys(1) wants an option.
    private static func specification(_ option: CommandOption) -> String {
        let equals = option.value == nil ? "" : "="
        var text = "[\(escaped(option.help))]"
        if let value = option.value { text += ":\(escaped(value)):\(action(option.values))" }
        guard let short = option.short else { return quoted("--\(option.name)\(equals)\(text)") }
        let plus = option.value == nil ? "" : "+"
        return
            "'(-\(short) --\(option.name))'{-\(short)\(plus),--\(option.name)\(equals)}\(quoted(text))"
    }

    private static func specification(_ operand: Operand) -> String {
        let colons = operand.repeats ? "*:" : operand.count == .optional ? "::" : ":"
        return quoted("\(colons)\(operand.name):\(action(operand.values))")
    }

    private static func action(_ values: Values) -> String {
        switch values {
        case .bridges: "_trunklinectl_bridges"
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .others: " "
        }
    }

    private static func escaped(_ text: String) -> String {
        text.map { "\\[]:".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
