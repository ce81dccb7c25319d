import Framing
import TestSupport
import Testing

/// The first message of a stream that may have begun before we came.
struct FirstMessageTests {
    struct Case: CustomTestStringConvertible {
        var framing: Framing
        /// What is dropped, and what follows it.
        var first: String
        var rest: String
        var payloads: [String]
        var limit = 10

        var testDescription: String { "\(framing), \(first.debugDescription)" }
    }

    private static let cases = [
        Case(framing: .line(), first: "st\n", rest: "a\n\nb\r\n", payloads: ["a", "", "b"]),
        Case(framing: .line(), first: "\n", rest: "a\n", payloads: ["a"]),
        Case(framing: .line(), first: "much more than ten\n", rest: "a\n", payloads: ["a"]),
        Case(
            framing: .delimiter(end: [0x7C, 0x7C]), first: "x|y||", rest: "a|||b||", payloads: ["a", "|b"]),
        Case(
            framing: .block(start: [0x28], end: [0x29, 0x2E]), first: "much more than ten).",
            rest: "(a).(b).",
            payloads: ["a", "b"]),
        Case(framing: .cobs, first: "damaged and more than ten\0", rest: "\u{2}a\0", payloads: ["a"]),
        Case(framing: .netstring, first: "3:one,", rest: "1:a,", payloads: ["a"]),
        Case(framing: .fixed(size: 2), first: "xy", rest: "abcd", payloads: ["ab", "cd"]),
        Case(
            framing: .length(LengthField(width: .one)), first: "\u{3}one", rest: "\u{1}a\0",
            payloads: ["a", ""]),
        Case(framing: .varint(VarintField()), first: "\u{3}one", rest: "\u{1}a", payloads: ["a"]),
        Case(framing: .octetCounted, first: "3 one", rest: "1 a", payloads: ["a"]),
        Case(
            framing: .header, first: "Content-Length: 1\r\n\r\nx", rest: "Content-Length: 1\r\n\r\na",
            payloads: ["a"]
        ),
        Case(framing: .json, first: "[1]", rest: "[2]{}", payloads: ["[2]", "{}"]),
    ]

    private static func dropped(_ framing: Framing, _ stream: [UInt8], limit: Int, cuts: [Int]) -> Found {
        var cut = Stream(framing, limit: limit, discardsFirst: true)
        for (start, end) in zip([0] + cuts, cuts + [stream.count]) {
            cut.receive(stream[start..<end], atMost: 2)
        }
        return cut.found
    }

    @Test(arguments: cases)
    func `it is dropped up to the first boundary, however it is cut, and no fault`(item: Case) {
        let stream = [UInt8](item.first) + [UInt8](item.rest)
        let inner = Array(stream.indices.dropFirst())
        for cuts in inner.map({ [$0] }) + [[], inner] {
            let found = Self.dropped(item.framing, stream, limit: item.limit, cuts: cuts)
            #expect(found.payloads == item.payloads.map { [UInt8]($0) }, "cut at \(cuts)")
            #expect(found.firsts == [[UInt8](item.first)], "cut at \(cuts)")
            #expect(found.fault == nil, "cut at \(cuts)")
        }
    }

    @Test func `a packet of SLIP that has lost its beginning is dropped, escapes that do not exist and all`()
    {
        let found = Self.dropped(.slip, [0x40, 0xDB, 0x40, 0xC0, 0xC0, 0x61, 0xC0], limit: 10, cuts: [])
        #expect(found.firsts == [[0x40, 0xDB, 0x40, 0xC0]])
        #expect(found.payloads == [[0x61]])
        #expect(found.damaged.isEmpty)
        // One that begins with an end has begun between two.
        #expect(Self.dropped(.slip, [0xC0, 0x61, 0xC0], limit: 10, cuts: []).payloads == [[0x61]])
    }

    @Test func `of Beast, what stands before the first beginning is dropped, or the first message`() throws {
        let messages = (0..<2).map { [UInt8(ascii: "1")] + [UInt8](repeating: $0, count: 9) }
        let whole = try encoded(messages, as: .beast)
        #expect(Self.dropped(.beast, whole, limit: 100, cuts: []).payloads == [messages[1]])
        // It may have begun in the middle of an escaped escape, so that what looks like a message is none.
        for start in 1..<11 {
            let found = Self.dropped(.beast, Array(whole[start...]), limit: 100, cuts: [])
            #expect(found.payloads == [messages[1]], "from byte \(start)")
        }
        let torn = [0x1A, UInt8(ascii: "1"), 7, 7] + whole
        #expect(Self.dropped(.beast, torn, limit: 100, cuts: []).payloads == messages)
    }

    @Test func `white space is no message, and one that is too long may be the first`() {
        // More than stands before a message.
        let white = String(repeating: " ", count: 40)
        let found = Self.dropped(.json, [UInt8]("\(white)[1]\(white)[2]"), limit: 10, cuts: [])
        #expect(found.payloads == [[UInt8]("[2]")])
        var stream = Stream(.netstring, limit: 3, skipsOversize: true, discardsFirst: true)
        stream.receive([UInt8]("4:long,1:a,"))
        #expect(stream.found.payloads == [[UInt8]("a")])
        #expect(stream.found.skipped == [[UInt8]("4:long,")])
    }

    @Test func `what comes up to the first pause is dropped`() {
        var stream = Stream(.idle(gap: .milliseconds(50)), limit: 4, discardsFirst: true)
        for piece in ["some", "thing"] { stream.receive([UInt8](piece)) }
        stream.finish(isMessage: false)
        stream.receive([UInt8]("next"))
        stream.finish(isMessage: true)
        #expect(stream.found.firsts == [[UInt8]("something")])
        #expect(stream.found.payloads == [[UInt8]("next")])
    }

    @Test
    func `only where nothing else than the end of the stream or of a read is a boundary, none can be found`()
    {
        let all: [Framing] =
            Self.cases.map(\.framing) + [
                .beast, .idle(gap: .seconds(1)), .untilClose(every: .seconds(1)), .unframed,
            ]
        #expect(all.filter { $0.beginning == .unknown } == [.untilClose(every: .seconds(1)), .unframed])
    }

    @Test func `random streams, joined anywhere, lose just the message that they are joined in`()
        throws
    {
        var random = Seeded(7)
        for framing in [
            Framing.line(), .delimiter(end: [1, 2]), .slip, .cobs, .block(start: [1], end: [2, 3]),
        ] {
            for _ in 0..<50 {
                let payloads = (0..<4).map { _ in
                    (0..<Int.random(in: 1...9, using: &random)).map { _ in
                        UInt8.random(in: 0x20...0x7E, using: &random)
                    }
                }
                let stream = try encoded(payloads, as: framing)
                // Not within what ends it, if that is several bytes: then the next one ends it.
                let first = try encoded([payloads[0]], as: framing).count
                let start = Int.random(in: 0..<first - 1, using: &random)
                let cuts = [Int.random(in: 1..<stream.count - start, using: &random)]
                let found = Self.dropped(framing, Array(stream[start...]), limit: 9, cuts: cuts)
                let isWhole = framing == .slip && start == 0
                #expect(found.payloads == Array(payloads[(isWhole ? 0 : 1)...]), "\(framing) from \(start)")
                #expect(found.fault == nil)
            }
        }
    }
}
