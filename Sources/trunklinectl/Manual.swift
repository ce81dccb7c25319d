import Glibc
import Linux

/// `trunklinectl manual`: the manual page trunklinectl(1), for man(1) (groff_man(7)).
enum Manual {
    static let verb = Verb("manual", in: .other, summary: "print the manual page") { _ in
        Program.say(page(verbs: Verb.all))
        return EXIT_SUCCESS
    }

    static func page(verbs: [Verb]) -> String {
        let groups = Verb.Group.allCases.map { group in
            ".SS \(roff(group.rawValue))\n" + verbs.filter { $0.group == group }.map(text).joined()
        }
        return """
            .TH TRUNKLINECTL 1 "" "Trunkline \(roff(Program.version))" "User Commands"
            .SH NAME
            trunklinectl \\- look at Trunkline\\(aqs bridges, use them, and steer them
            .SH SYNOPSIS
            .B trunklinectl
            .I VERB
            .RI [ OPTION \\[u2026]]
            .RI [ OPERAND \\[u2026]]
            .SH DESCRIPTION
            \(paragraphs(description))
            .SH COMMANDS
            \(groups.joined()).SH OPTIONS
            Every verb has its own, listed with it, and
            .BR \\-h ,
            .BR \\-\\-help .
            Names may be abbreviated, and options may stand behind operands.
            .SH EXIT STATUS
            \(items(exitStatuses)).SH ENVIRONMENT
            \(items(environment)).SH FILES
            \(items(files)).SH EXAMPLES
            \(examples.map { "\(roff($0.text))\n.PP\n.RS 4\n.B \(roff($0.command))\n.RE\n.PP\n" }.joined()).SH SEE ALSO
            .BR systemctl (1),
            .BR journalctl (1),
            .BR varlinkctl (1)

            """
    }

    private static func text(_ verb: Verb) -> String {
        let operands = verb.operands.map { " \\fI\(roff($0.usage))\\fR" }.joined()
        let options = verb.options.map { option in
            let names = option.spellings.reversed().map { "\\fB\(roff($0))\\fR" }.joined(separator: ", ")
            let value = option.value.map { " \\fI\(roff($0))\\fR" } ?? ""
            return ".TP\n\(names)\(value)\n\(roff(option.help))\n"
        }
        let body = ([verb.sentence] + verb.details).map(roff).joined(separator: "\n.IP\n")
        let list = options.isEmpty ? "" : ".RS\n\(options.joined()).RE\n"
        return ".TP\n\\fB\(roff(verb.name))\\fR\(operands)\n\(body)\n\(list)"
    }

    private static func paragraphs(_ texts: [String]) -> String {
        texts.map(roff).joined(separator: "\n.PP\n")
    }

    private static func items(_ items: [(head: String, text: String)]) -> String {
        items.map { ".TP\n.B \(roff($0.head))\n\(roff($0.text))\n" }.joined()
    }

    /// Text in which nothing means anything to roff.
    static func roff(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case _ where !scalar.isASCII: "\\[u\(hexadecimal(scalar))]"
            default: "\(scalar)"
            }
        }
        // A period at a line's beginning would make it a request.
        return (text.hasPrefix(".") ? "\\&" : "") + escaped.joined()
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
