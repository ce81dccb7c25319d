/// YAML to be written.
indirect enum Output {
    case scalar(String)
    /// In quotes, though it would need none were it not for what it looks like.
    case text(String)
    /// In one line.
    case list([Output])
    case mapping([Entry], Style)

    struct Entry {
        var name: String
        var value: Output
    }

    enum Style {
        /// One line for each entry.
        case block
        /// `{a: 1, b: 2}`; so is everything in it.
        case flow
    }

    /// The entries as lines.
    static func lines(_ entries: [Entry], indent: String = "") -> String {
        var text = ""
        for entry in entries {
            let name = "\(indent)\(quoted(entry.name)):"
            if case .mapping(let inner, .block) = entry.value, !inner.isEmpty {
                text += "\(name)\n\(lines(inner, indent: indent + "  "))"
            } else {
                text += "\(name) \(entry.value.inline)\n"
            }
        }
        return text
    }

    private var inline: String {
        switch self {
        case .scalar(let text): quoted(text)
        case .text(let text): inQuotes(text)
        case .list(let elements): "[\(elements.map(\.inline).joined(separator: ", "))]"
        case .mapping(let entries, _):
            "{\(entries.map { "\(quoted($0.name)): \($0.value.inline)" }.joined(separator: ", "))}"
        }
    }
}

/// A scalar with the quotes that it needs, if any.
private func quoted(_ text: String) -> String {
    if isPlain(text) { return text }
    return inQuotes(text)
}

private func inQuotes(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy(isPrintable) {
        // By scalars: a quote with an accent is one character, but not to YAML.
        return "'" + text.unicodeScalars.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) } + "'"
    }
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": escaped += "\\\(scalar)"
        case _ where isPrintable(scalar): escaped.unicodeScalars.append(scalar)
        default:
            let digits = String(scalar.value, radix: 16)
            let (letter, width) = digits.count <= 2 ? ("x", 2) : digits.count <= 4 ? ("u", 4) : ("U", 8)
            escaped += "\\\(letter)" + String(repeating: "0", count: width - digits.count) + digits
        }
    }
    return "\"\(escaped)\""
}

/// Whether text is safe without quotes anywhere, and unlike anything that YAML reads as something else.
private func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last else { return false }
    return text.lowercased() != "null" && (isWord(first) || first == UInt8(ascii: "/")) && isWord(last)
        && text.utf8.allSatisfy { isWord($0) || "/:.-".utf8.contains($0) }
}

private func isWord(_ byte: UInt8) -> Bool {
    byte != UInt8(ascii: "-") && isName(String(UnicodeScalar(byte)))
}
