import Framing

/// What an upstream has said, as text that can be shown: without the credentials in it, should it have repeated one.
public struct Words: Sendable {
    /// A credential of which the ends of what is shown cut off more than so many bytes is not recognised.
    private static let shortestPart = 3

    private var isHidden: [Bool]

    /// - Parameter count: How many bytes were said.
    public init(count: Int) { isHidden = Array(repeating: false, count: count) }

    /// Hides each place where `secret` stands in `bytes`, or a part of it where they begin or end.
    public mutating func hide(_ secret: Span<UInt8>, in bytes: Span<UInt8>) {
        let shortest = min(secret.count, Self.shortestPart)
        guard shortest > 0, bytes.count >= shortest else { return }
        for start in shortest - secret.count...bytes.count - shortest {
            let part = max(start, 0)..<min(start + secret.count, bytes.count)
            guard part.count >= shortest else { continue }
            var position = part.lowerBound
            while position < part.upperBound && bytes[position] == secret[position - start] { position += 1 }
            guard position == part.upperBound else { continue }
            for hidden in part { isHidden[hidden] = true }
        }
    }

    /// The bytes as a configuration spells them, without blanks around them, and with `***` for what is hidden; `isCut` if
    /// something was said before them that is left out.
    public func text(of bytes: Span<UInt8>, isCut: Bool) -> String {
        func isBlank(_ position: Int) -> Bool {
            !isHidden[position] && [0x09, 0x0A, 0x0D, 0x20].contains(bytes[position])
        }
        var end = bytes.count
        while end > 0 && isBlank(end - 1) { end -= 1 }
        var start = 0
        while start < end && isBlank(start) { start += 1 }
        var text = ""
        var run: [UInt8] = []
        for position in start..<end {
            guard isHidden[position] else {
                run.append(bytes[position])
                continue
            }
            text += ByteString.print(run)
            run = []
            if position == start || !isHidden[position - 1] { text += "***" }
        }
        text += ByteString.print(run)
        // Of bytes that are no text a few fill the line.
        let longest = Dialogue.longestWords
        return isCut || text.count > longest ? "…\(text.suffix(longest))" : text
    }
}
