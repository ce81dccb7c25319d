import Linux

enum BashCompletion {
    static func script(for verbs: [Verb]) -> String {
        """
        # Completions of trunklinectl for bash; made by "trunklinectl completion bash".

        _trunklinectl() {
            local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
            local number=0 i
            COMPREPLY=()
            # Of --option=value, bash makes three words.
            if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
            if ((COMP_CWORD == 1)); then
                mapfile -t COMPREPLY < <(compgen -W '\(firstWords(verbs))' -- "$word")
                return
            fi
            case "$verb $before" in
        \(values(verbs).joined(separator: "\n"))
            esac
            if [[ $word == -* ]]; then
                case $verb in
        \(options(verbs).joined(separator: "\n"))
                esac
                return
            fi
            for ((i = 2; i < COMP_CWORD; i++)); do
                if [[ ${COMP_WORDS[i + 1]} == = ]]; then
                    ((i += 2))
                    continue
                fi
                case "$verb ${COMP_WORDS[i]}" in
                \(withValue(verbs).joined(separator: " | "))) ((++i)) ;;
                *" -"*) ;;
                *) ((++number)) ;;
                esac
            done
            case "$verb $number" in
        \(operands(verbs).joined(separator: "\n"))
            esac
        }
        complete -F _trunklinectl trunklinectl

        """
    }

    private static func firstWords(_ verbs: [Verb]) -> String {
        (verbs.map(\.name) + Completion.programOptions).joined(separator: " ")
    }

    /// What to offer behind an option that takes a value.
    private static func values(_ verbs: [Verb]) -> [String] {
        verbs.flatMap { verb in
            verb.options.filter { $0.value != nil }.map { option in
                let pattern = option.spellings.map { "\"\(verb.name) \($0)\"" }.joined(separator: " | ")
                return """
                            \(pattern))
                                \(offer(option.values))
                                return
                                ;;
                    """
            }
        }
    }

    private static func options(_ verbs: [Verb]) -> [String] {
        verbs.map { verb in
            let words = verb.allOptions.map { "--\($0.name)" }
            return "        \(verb.name)) \(offer(.words(words))) ;;"
        }
    }

    private static func withValue(_ verbs: [Verb]) -> [String] {
        verbs.flatMap { verb in
            verb.options.filter { $0.value != nil }.flatMap(\.spellings).map { "\"\(verb.name) \($0)\"" }
        }
    }

    private static func operands(_ verbs: [Verb]) -> [String] {
        verbs.flatMap { verb in
            verb.operands.enumerated().map { number, operand in
                let pattern = operand.repeats ? "\"\(verb.name) \"*" : "\"\(verb.name) \(number)\""
                return "    \(pattern)) \(offer(operand.values)) ;;"
            }
        }
    }

    private static func offer(_ values: Values) -> String {
        switch values {
        case .bridges: offer(words: "\"$(\(Completion.listBridges))\"")
        case .words(let words): offer(words: "'\(words.joined(separator: " "))'")
        case .files: offer(paths: "-f")
        case .directories: offer(paths: "-d")
        case .others: ":"
        }
    }

    private static func offer(paths flag: String) -> String {
        "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen \(flag) -- \"$word\")"
    }

    private static func offer(words: String) -> String {
        "mapfile -t COMPREPLY < <(compgen -W \(words) -- \"$word\")"
    }
}
