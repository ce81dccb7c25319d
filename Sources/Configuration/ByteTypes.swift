import Framing
import Uplink

extension ValueType where Value == [UInt8] {
    /// Bytes that stand for nothing but themselves.
    static func bytes(_ count: ClosedRange<Int>) -> ValueType {
        let allowed = Allowed(
            "\(count.lowerBound) to \(count.upperBound) bytes, with the escapes \(ByteString.escapes)")
        return .spelled(allowed) { text in
            ByteString.parse(text).flatMap { count.contains($0.count) ? $0 : nil }
        } print: { bytes in
            DialogueStep.Piece.print([.bytes(bytes)])
        } problem: { text in
            text.contains(DialogueStep.Piece.mark)
                ? "a credential stands in what on-connect sends only; did you mean the text"
                    + " '\(DialogueStep.Piece.escapedMark)…'?" : nil
        }
    }
}

extension ValueType {
    /// A type of which each value is bytes, as text with escapes spells them.
    ///
    /// - Parameters:
    ///   - allowed: What errors say.
    ///   - parse: `nil` for what is not allowed.
    ///   - print: The shortest text that is parsed to the value.
    ///   - problem: What is wrong with text that is parsed.
    /// - Returns: The type.
    static func spelled(
        _ allowed: Allowed, parse: @escaping @Sendable (String) -> Value?,
        print: @escaping @Sendable (Value) -> String,
        problem: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> ValueType {
        ValueType("BYTES", allowed) { node, decoding in
            guard case .text(let text) = node.content, let value = parse(text) else {
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            guard let problem = (node.isPlain ? numberProblem(text) : nil) ?? problem(text) else {
                return value
            }
            decoding.report("found \(node.found); \(problem)", at: node.position)
            return nil
        } write: { value in
            let text = print(value)
            return isNumber(text) ? .text(text) : .scalar(text)
        }
    }
}

/// What is asked about a number without quotes: its digits, or the byte that it numbers, were meant.
private func numberProblem(_ text: String) -> String? {
    guard isNumber(text) else { return nil }
    let byte = text.hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
    let escape = byte.map { byte in
        byte == 0 ? "\\0" : "\\x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
    return "a number needs quotes here; did you mean the text '\(text)'"
        + (escape.map { " or the byte '\($0)'" } ?? "") + "?"
}

/// Whether YAML takes this for a whole number, where it has no quotes.
private func isNumber(_ text: String) -> Bool {
    let digits = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) != nil }
    return text.utf8.count - digits.count <= 1 && !digits.isEmpty
        && digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
}
