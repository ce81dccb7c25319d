import Framing

typealias Position = ConfigurationError.Position

/// A value of a YAML file, and where it stands.
struct Node {
    var position: Position
    var content: Content
    /// The protocol that supplies it, if the file does not give it.
    var preset: String? = nil
    /// It is text without quotes.
    var isPlain = false

    indirect enum Content {
        /// Nothing, `~` or `null`.
        case nothing
        case text(String)
        case list([Node])
        /// In the order of the file; no key twice.
        case mapping([Entry])
        /// Something that has been reported already.
        case refused
    }

    struct Entry {
        var name: String
        var position: Position
        var value: Node
    }
}

extension Node {
    /// What an error says was found.
    var found: String {
        switch content {
        case .nothing, .refused: "nothing"
        case .text(let text): "\"\(printable(text))\""
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

/// Text from a file as a message may show it: in one line, short, without control characters.
func printable(_ text: String) -> String {
    let longest = 60
    let scalars = text.unicodeScalars
    let shown = ByteString.print(String(scalars.prefix(longest)), showing: isPrintable)
    return scalars.count > longest ? shown + "…" : shown
}

/// A key as the part of a full key: whole if it is the name of anything, else as a message may show it.
func keyPart(_ name: String) -> String {
    isName(name) && name.utf8.count <= 255 ? name : printable(name)
}

/// Neither a control character nor one that moves, hides or breaks the text around it.
public func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
}
