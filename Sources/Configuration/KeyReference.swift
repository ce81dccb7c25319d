/// The help text of the keys.
enum KeyReference {
    /// What the reference says of one key.
    struct Row: Sendable {
        var path: String
        var type: String
        /// `nil` if there is nothing to say.
        var fallback: String?
        var help: String

        func below(_ name: String) -> Row {
            var row = self
            row.path = "\(name).\(path)"
            return row
        }

        /// A row of a table that is used with one kind only.
        func of(kind: String) -> Row {
            var row = self
            row.help = "With \(kind): \(help)"
            return row
        }
    }

    /// Every key, those of `send-framing` included.
    static let rows = Keys.bridge.rows
    /// Their full paths, with `NAME` for the name of a socket.
    static let paths = rows.map(\.path)

    static let width = 80
    static let text = render(rows)

    private static func render(_ rows: [Row]) -> String {
        let indent = (rows.map(\.path.count).max() ?? 0) + 2
        var explained: Set<String> = []
        return rows.map { row in
            // A type's keys are explained once, where it is first used.
            let isPart = row.path.contains(".")
            guard explained.insert("\(row.type) \(row.help)").inserted || !isPart else { return "" }
            let name = row.path + String(repeating: " ", count: indent - row.path.count)
            let head = [row.type, row.fallback].compactMap(\.self).joined(separator: "; ")
            let lines = wrap(head, to: width - indent) + wrap(row.help, to: width - indent)
            let margin = "\n" + String(repeating: " ", count: indent)
            return name + lines.joined(separator: margin) + "\n"
        }.joined()
    }

    /// Lines of at most `width` characters; a longer word has one of its own.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
