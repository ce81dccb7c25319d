import FoundationEssentials

/// How a line of text tells a message.
enum MessageFormat: String, CaseIterable {
    /// The message itself.
    case text
    case hex
    case base64
    /// An object with the payload as `text`, or as `base64` if it is no UTF-8.
    case json

    /// As an option's value is shown.
    static let names = allCases.map(\.rawValue).joined(separator: "|")

    /// The line for a message, without its end. Only JSON tells the time, in microseconds since 1970.
    func line(_ payload: ArraySlice<UInt8>, time: Int) -> [UInt8] {
        switch self {
        case .text: Array(payload)
        case .hex: payload.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }
        case .base64: Array(Data(payload).base64EncodedString().utf8)
        case .json: Array(#"{"time":\#(time),"#.utf8) + Self.member(payload) + [UInt8(ascii: "}")]
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func member(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let text = String(validating: payload, as: UTF8.self), let value = try? encoder.encode(text)
        else {
            return Array(#""base64":"\#(Data(payload).base64EncodedString())""#.utf8)
        }
        return Array(#""text":"#.utf8) + value
    }

    /// The message that a line tells.
    ///
    /// - Throws: Why it tells none.
    func payload(_ line: [UInt8]) throws(MalformedLine) -> [UInt8] {
        switch self {
        case .text: return line
        case .hex: return try Self.hexadecimal(line)
        case .base64:
            guard let data = Data(base64Encoded: Data(Self.trimmed(line))) else {
                throw MalformedLine("it is no base64")
            }
            return Array(data)
        case .json: return try Self.object(line)
        }
    }

    /// How long a line can be that tells a message of so many bytes, with some blanks in it.
    func longestLine(for payload: Int) -> Int {
        switch self {
        case .text: payload
        case .hex: payload * 3 + 64
        case .base64: payload / 3 * 4 + 64
        // A byte may be spelled `\u0000`; other members may stand beside it.
        case .json: payload * 6 + 4096
        }
    }

    private static func hexadecimal(_ line: [UInt8]) throws(MalformedLine) -> [UInt8] {
        var (bytes, high): ([UInt8], UInt8?) = ([], nil)
        for character in line where !isBlank(character) {
            guard let digit = Character(Unicode.Scalar(character)).hexDigitValue.map(UInt8.init) else {
                throw MalformedLine("it holds what is no hexadecimal digit")
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw MalformedLine("an odd number of hexadecimal digits") }
        return bytes
    }

    private static func object(_ line: [UInt8]) throws(MalformedLine) -> [UInt8] {
        let object: Object
        do {
            object = try JSONDecoder().decode(Object.self, from: Data(line))
        } catch DecodingError.dataCorrupted {
            throw MalformedLine("it is no JSON")
        } catch {
            throw MalformedLine("it is no JSON object with a string 'text' or 'base64'")
        }
        switch (object.text, object.base64) {
        case (let text?, nil): return Array(text.utf8)
        case (nil, let base64?):
            guard let data = Data(base64Encoded: base64) else {
                throw MalformedLine("its 'base64' is none")
            }
            return Array(data)
        case (nil, nil): throw MalformedLine("it has neither 'text' nor 'base64'")
        case (_?, _?): throw MalformedLine("it has both 'text' and 'base64'")
        }
    }

    private struct Object: Decodable {
        let text: String?
        let base64: String?
    }

    private static func trimmed(_ line: [UInt8]) -> ArraySlice<UInt8> {
        let start = line.firstIndex { !isBlank($0) } ?? line.endIndex
        let end = line.lastIndex { !isBlank($0) } ?? line.startIndex - 1
        return start <= end ? line[start...end] : []
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

/// Why a line tells no message.
struct MalformedLine: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
