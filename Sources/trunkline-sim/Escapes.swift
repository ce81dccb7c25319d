import Linux

/// The bytes that `text` spells with the escapes of C: `\r`, `\n`, `\t`, `\0`, `\033`, `\x1a`, `\\` and so on.
///
/// Other than in C, `\x` is followed by exactly two digits, so that what comes next is never taken for a third.
func unescaped(_ text: String) throws(UsageError) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        bytes.append(byte == UInt8(ascii: "\\") ? try takeEscape(from: &rest, of: text) : byte)
    }
    return bytes
}

private let simpleEscapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "v"): 0x0B,
    UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "'"): 0x27, UInt8(ascii: "\""): 0x22,
]

/// What follows a backslash.
private func takeEscape(from rest: inout ArraySlice<UInt8>, of text: String) throws(UsageError) -> UInt8 {
    guard let letter = rest.first else { throw UsageError("'\(text)' ends in a lone backslash") }
    if let byte = simpleEscapes[letter] {
        rest.removeFirst()
        return byte
    }
    if letter == UInt8(ascii: "x") {
        let digits = rest.dropFirst().prefix(2)
        rest = rest.dropFirst(3)
        guard digits.count == 2, let byte = number(digits, radix: 16) else {
            throw UsageError("'\(text)': \\x is followed by two hexadecimal digits")
        }
        return byte
    }
    let digits = rest.prefix(3).prefix { UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }
    rest = rest.dropFirst(digits.count)
    guard let byte = number(digits, radix: 8) else {
        throw UsageError("'\(text)': there is no escape \\\(Unicode.Scalar(letter)) for one byte")
    }
    return byte
}

private func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt8? {
    // The initialiser would take a sign.
    guard digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-") else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: radix)
}
