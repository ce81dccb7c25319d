/// Byte strings with the escapes of C, read byte for byte: how a configuration and a command line spell bytes.
public enum ByteString {
    /// Every escape that there is.
    public static let escapes = #"\r \n \t \0 \\ \a \b \f \v \e \" \' \xHH"#

    private static let letters: [(letter: UInt8, byte: UInt8)] = [
        (UInt8(ascii: "r"), 0x0D), (UInt8(ascii: "n"), 0x0A), (UInt8(ascii: "t"), 0x09),
        (UInt8(ascii: "0"), 0x00),
        (UInt8(ascii: "\\"), 0x5C), (UInt8(ascii: "a"), 0x07), (UInt8(ascii: "b"), 0x08),
        (UInt8(ascii: "f"), 0x0C), (UInt8(ascii: "v"), 0x0B), (UInt8(ascii: "e"), 0x1B),
        (UInt8(ascii: "\""), 0x22), (UInt8(ascii: "'"), 0x27),
    ]

    /// The bytes that `text` spells.
    ///
    /// - Returns: `nil` for any other escape, and for `\0` before a digit, which in C is another byte.
    public static func parse(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let letter = rest.popFirst() else { return nil }
            if letter == UInt8(ascii: "x") {
                guard let high = rest.popFirst().flatMap(hexadecimal),
                    let low = rest.popFirst().flatMap(hexadecimal)
                else { return nil }
                bytes.append(high << 4 | low)
            } else {
                guard let escape = letters.first(where: { $0.letter == letter }) else { return nil }
                if escape.byte == 0, let next = rest.first, isDigit(next) { return nil }
                bytes.append(escape.byte)
            }
        }
        return bytes
    }

    /// What `parse` reads as `bytes`: ASCII, with the shortest escapes.
    public static func print(_ bytes: [UInt8]) -> String { print(bytes, before: 0) }

    /// Text as it can be shown to a person: what `isShown` refuses, as the escapes of its bytes.
    public static func print(_ text: String, showing isShown: (Unicode.Scalar) -> Bool) -> String {
        guard !text.unicodeScalars.allSatisfy(isShown) else { return text }
        var shown = ""
        var hidden: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard isShown(scalar) else {
                hidden += Array(String(scalar).utf8)
                continue
            }
            shown += print(hidden, before: scalar.isASCII ? UInt8(scalar.value) : 0)
            hidden = []
            shown.unicodeScalars.append(scalar)
        }
        return shown + print(hidden)
    }

    /// With `following` as the byte that will stand behind them.
    private static func print(_ bytes: [UInt8], before following: UInt8) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : following
            if 0x20..<0x7F ~= byte, byte != UInt8(ascii: "\\") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else if let escape = letters.first(where: { $0.byte == byte }), byte != 0 || !isDigit(next) {
                text += "\\\(Unicode.Scalar(escape.letter))"
            } else {
                text += "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
