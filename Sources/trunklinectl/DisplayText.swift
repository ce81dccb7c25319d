import Configuration
import Framing

/// Text for a terminal: what is printable of it, and how wide it is.
enum DisplayText {
    /// One line of what is meant to be UTF-8. What is not printable is spelled, as `printable` does it, but for tabs;
    /// bytes that are no UTF-8 are `\xff`.
    static func message(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        var valid = ""
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = bytes.startIndex
        func shown(_ text: String) -> String {
            ByteString.print(text) { $0 == "\t" || isPrintable($0) }
        }
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return text + shown(valid)
            case .valid(let encoded):
                valid.unicodeScalars.append(Unicode.UTF8.decode(encoded))
                position += encoded.count
            case .error(let length):
                text += shown(valid) + ByteString.print(Array(bytes[position..<position + length]))
                valid = ""
                position += length
            }
        }
    }

    /// Printable text for a terminal that shows nothing but ASCII.
    static func ascii(_ text: String) -> String { ByteString.print(text, showing: \.isASCII) }

    /// How many columns printable text takes, at the most.
    static func columns(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns($1) } }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        // Makes a picture of the character before it, which is wide in some terminals.
        if scalar == "\u{FE0F}" { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default:
            return scalar.properties.isEmojiPresentation || wide.contains { $0 ~= scalar.value } ? 2 : 1
        }
    }

    /// The blocks of wide and full-width characters (Unicode Standard Annex 11); pictures have a property of their own.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    enum Alignment {
        case left, right
    }

    /// Printable text in exactly so many columns: cut, with the mark at its end, or padded.
    static func fit(
        _ text: String, _ width: Int, _ alignment: Alignment = .left, mark: String = "…"
    ) -> String {
        let shown = cut(text, width, mark: mark)
        let padding = String(repeating: " ", count: max(0, width - columns(shown)))
        return alignment == .left ? shown + padding : padding + shown
    }

    /// Printable text in so many columns at the most.
    static func cut(_ text: String, _ width: Int, mark: String = "…") -> String {
        guard columns(text) > width else { return text }
        guard width >= columns(mark) else { return "" }
        var left = width - columns(mark)
        var shown = ""
        for character in text {
            left -= columns(String(character))
            guard left >= 0 else { break }
            shown.append(character)
        }
        return shown + mark
    }
}
