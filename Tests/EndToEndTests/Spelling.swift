import Testing

/// More framings as the tests speak them: nothing here comes from the product.
enum Spelling: CaseIterable, Sendable, CustomTestStringConvertible {
    case line, crlfLine, delimiter, length, littleLength, varint, netstring, octetCounted, header, mllp, slip,
        cobs

    var testDescription: String { yaml }

    /// The value of `framing` in a configuration.
    var yaml: String {
        switch self {
        case .line: "line"
        case .crlfLine: "{kind: line, ending: crlf}"
        case .delimiter: "{kind: delimiter, end: '\\r\\n'}"
        case .length: "length"
        case .littleLength: "{kind: length, bytes: 2, order: little}"
        case .varint: "varint"
        case .netstring: "netstring"
        case .octetCounted: "octet-counted"
        case .header: "header"
        case .mllp: "{kind: block, start: '\\x0b', end: '\\x1c\\r'}"
        case .slip: "slip"
        case .cobs: "cobs"
        }
    }

    /// Whether a message may hold any bytes.
    var isBinary: Bool {
        switch self {
        case .line, .crlfLine, .delimiter, .mllp: false
        case .length, .littleLength, .varint, .netstring, .octetCounted, .header, .slip, .cobs: true
        }
    }

    /// A message of fewer than 65,536 bytes with its framing.
    func frame(_ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        switch self {
        case .line: return payload + [0x0A]
        case .crlfLine, .delimiter: return payload + [0x0D, 0x0A]
        case .length: return [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + payload
        case .littleLength: return [UInt8(count & 0xFF), UInt8(count >> 8)] + payload
        case .varint:
            return (count < 128 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]) + payload
        case .netstring: return Array("\(count):".utf8) + payload + [0x2C]
        case .octetCounted: return Array("\(count) ".utf8) + payload
        case .header: return Array("Content-Length: \(count)\r\n\r\n".utf8) + payload
        case .mllp: return [0x0B] + payload + [0x1C, 0x0D]
        case .slip:
            return [0xC0] + payload.flatMap { $0 == 0xC0 ? [0xDB, 0xDC] : $0 == 0xDB ? [0xDB, 0xDD] : [$0] }
                + [0xC0]
        case .cobs:
            var (bytes, group): ([UInt8], [UInt8]) = ([], [])
            for (i, byte) in payload.enumerated() {
                if byte != 0 { group.append(byte) }
                // A full group stands for no zero, and needs none.
                guard byte == 0 || group.count == 254 && i + 1 < count else { continue }
                bytes += [UInt8(group.count + 1)] + group
                group = []
            }
            bytes += [UInt8(group.count + 1)] + group
            return bytes + [0]
        }
    }

    func frame(_ text: String) -> [UInt8] { frame(Array(text.utf8)) }
}
