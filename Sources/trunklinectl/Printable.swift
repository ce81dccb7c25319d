import Configuration

/// Text that others have chosen, as it can be shown on a terminal: what would steer the terminal, or hide or reorder
/// text, stands there as its number. It is one line.
func printable(_ text: String) -> String {
    guard !text.unicodeScalars.allSatisfy(isPrintable) else { return text }
    return text.unicodeScalars.map { scalar in
        isPrintable(scalar) ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
    }.joined()
}
