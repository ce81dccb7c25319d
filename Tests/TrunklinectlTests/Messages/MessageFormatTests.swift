import TestSupport
import Testing

@testable import trunklinectl

@Suite struct MessageFormatTests {
    @Test(
        arguments: [
            (.text, "a b", "a b"), (.hex, "Hi\u{1}", "486901"), (.base64, "Hi!", "SGkh"), (.base64, "", ""),
            (.json, "a/b \"c\"\n", #"{"time":7,"text":"a/b \"c\"\n"}"#),
            (.json, "é漢", #"{"time":7,"text":"é漢"}"#),
        ] as [(MessageFormat, String, String)])
    func `a message is told in a line`(format: MessageFormat, payload: String, line: String) {
        #expect(String(decoding: format.line(Array(payload.utf8)[...], time: 7), as: UTF8.self) == line)
    }

    @Test func `what is no UTF-8 is base64 in JSON`() {
        let line = MessageFormat.json.line([0x61, 0xFF], time: 7)
        #expect(String(decoding: line, as: UTF8.self) == #"{"time":7,"base64":"Yf8="}"#)
    }

    @Test(
        arguments: [
            (.text, " a\r", " a\r"), (.hex, "48 69\t4A\r", "HiJ"), (.hex, "", ""),
            (.base64, " SGkh\r", "Hi!"),
            (.base64, "  ", ""), (.json, #" {"text":"\u0041\n","other":[1]} "#, "A\n"),
            (.json, #"{"base64":"SGkh"}"#, "Hi!"),
            (.json, #"{"text":"a","base64":null}"#, "a"),
        ] as [(MessageFormat, String, String)])
    func `a line tells a message`(format: MessageFormat, line: String, payload: String) throws {
        #expect(try format.payload(Array(line.utf8)) == Array(payload.utf8))
    }

    @Test(
        arguments: [
            (.hex, "486", "an odd number of hexadecimal digits"),
            (.hex, "4g", "it holds what is no hexadecimal digit"),
            (.hex, "é", "it holds what is no hexadecimal digit"), (.base64, "SGk", "it is no base64"),
            (.base64, "SG kh", "it is no base64"), (.json, "hello", "it is no JSON"),
            (.json, "", "it is no JSON"),
            (.json, "[]", "it is no JSON object with a string 'text' or 'base64'"),
            (.json, #"{"text":7}"#, "it is no JSON object with a string 'text' or 'base64'"),
            (.json, #"{"time":7}"#, "it has neither 'text' nor 'base64'"),
            (.json, #"{"text":"","base64":""}"#, "it has both 'text' and 'base64'"),
            (.json, #"{"base64":"="}"#, "its 'base64' is none"),
        ] as [(MessageFormat, String, String)])
    func `what tells no message is told with its reason`(format: MessageFormat, line: String, reason: String)
    {
        #expect(throws: MalformedLine(reason)) { try format.payload(Array(line.utf8)) }
    }

    @Test(arguments: MessageFormat.allCases, seeds)
    func `what a line tells is the message again`(format: MessageFormat, seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<50 {
            let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0 ... .max, using: &random)
            }
            let line = format.line(payload[...], time: 7)
            #expect(try format.payload(line) == payload)
            #expect(line.count <= format.longestLine(for: payload.count))
            #expect(format == .text || !line.contains(0x0A))
        }
    }
}

@Suite struct LineReaderTests {
    private func lines(_ pieces: [String], limit: Int = 5) throws -> [String] {
        var reader = LineReader(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            reader.append(piece.utf8)
            while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        if let line = try reader.last() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(reader.number == lines.count)
        return lines
    }

    @Test(arguments: [
        (["a\nb\n"], ["a", "b"]), (["a", "b", "\n", "c"], ["ab", "c"]), (["\n\n"], ["", ""]), ([], []),
        ([""], []),
        (["12345\n", "1234", "5"], ["12345", "12345"]), (["a\n", "b\nc", "\nd\n"], ["a", "b", "c", "d"]),
    ])
    func `lines are the same, however they are cut`(pieces: [String], lines: [String]) throws {
        #expect(try self.lines(pieces) == lines)
        #expect(try self.lines(pieces.joined().map { String($0) }) == lines)
    }

    @Test(arguments: [["123456"], ["123456\n"], ["1", "234", "56"], ["\n123456"]])
    func `a line that is too long is found before it is whole`(pieces: [String]) {
        #expect(throws: LineReader.TooLong(limit: 5)) { try lines(pieces) }
    }
}
