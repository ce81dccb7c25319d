/// Bytes that others have chosen, as a message may show them: printable ASCII, at most so many.
func printable(_ bytes: some Sequence<UInt8>, atMost limit: Int = 200) -> String {
    var text = ""
    for (count, byte) in bytes.enumerated() {
        guard count < limit else { return text + "..." }
        let isPrintable = 0x20...0x7E ~= byte
        text += isPrintable ? String(UnicodeScalar(byte)) : "\\" + hexadecimal(byte)
    }
    return text
}

private func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count < 2 ? "0\(digits)" : digits
}
