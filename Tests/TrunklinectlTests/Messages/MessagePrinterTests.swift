import Framing
import Testing

@testable import trunklinectl

@Suite struct MessagePrinterTests {
    private func printed(
        _ pieces: [String], _ format: MessageFormat = .text, _ framing: Framing = .line(), count: Int = .max,
        hasTimestamps: Bool = false, isForTerminal: Bool = false
    ) throws -> String {
        var printer = MessagePrinter(
            format, framing: framing, limit: 100, count: count, hasTimestamps: hasTimestamps,
            isForTerminal: isForTerminal)
        let lines = try pieces.flatMap { try printer.lines($0.utf8, time: 1_000_000) }
        return String(decoding: lines, as: UTF8.self)
    }

    @Test func `messages are printed when they are whole`() throws {
        #expect(try printed(["one\r\ntw", "o\n", "thr"]) == "one\ntwo\n")
        #expect(try printed(["\u{3}abc\u{1}x"], .hex, .length(LengthField(width: .one))) == "616263\n78\n")
        #expect(
            try printed(["a\nb\0c\0"], .json, .delimiter(end: [0])) == #"""
                {"time":1000000,"text":"a\nb"}
                {"time":1000000,"text":"c"}

                """#)
    }

    @Test func `no more are printed than were asked for`() throws {
        #expect(try printed(["a\nb\nc\n", "d\n"], count: 2) == "a\nb\n")
        #expect(try printed(["a\n", "b\nc\n", "d\n"], count: 2) == "a\nb\n")
    }

    @Test func `a terminal is not controlled by a message, a pipe gets it as it is`() throws {
        let message = "\u{1B}[2Jé\ta\u{202E}\n"
        #expect(try printed([message], isForTerminal: true) == #"\e[2Jé\#u{9}a\xe2\x80\xae"# + "\n")
        #expect(try printed([message]) == message)
    }

    @Test func `a timestamp is the time with the offset from UTC`() throws {
        let line = try printed(["a\n"], hasTimestamps: true)
        #expect(line.wholeMatch(of: /19(69-12-31|70-01-01)T..:..:01\.000000[+-]..:.. a\n/) != nil, "\(line)")
        // JSON tells it anyway.
        #expect(try printed(["a\n"], .json, hasTimestamps: true).hasPrefix("{"))
    }
}
