/// A key that was pressed.
enum Key: Equatable {
    case character(Character)
    case up
    case down
    case escape

    /// The keys in what a terminal has sent. Its sequences (ECMA-48) come whole, so an escape character that nothing
    /// follows is the key of this name.
    static func keys(in bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == 0x1B else {
                if 0x20..<0x7F ~= byte { keys.append(.character(Character(Unicode.Scalar(byte)))) }
                continue
            }
            guard let introducer = rest.first,
                introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O")
            else {
                keys.append(.escape)
                continue
            }
            rest.removeFirst()
            // Parameters, then the byte that ends the sequence.
            let end = rest.firstIndex { 0x40...0x7E ~= $0 }
            switch end.map({ rest[$0] }) {
            case UInt8(ascii: "A"): keys.append(.up)
            case UInt8(ascii: "B"): keys.append(.down)
            default: break
            }
            rest = end.map { rest[($0 + 1)...] } ?? []
        }
        return keys
    }
}
