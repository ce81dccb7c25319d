import Framing
import Testing

/// Where messages begin and end, in each kind of framing.
struct KindTests {
    /// A stream, and the payloads that it holds.
    struct Example: CustomTestStringConvertible, Sendable {
        let stream: [UInt8]
        let payloads: [[UInt8]]
        var testDescription: String { String(decoding: stream, as: UTF8.self).debugDescription }

        init(_ stream: String, _ payloads: [String]) {
            self.stream = Array(stream.utf8)
            self.payloads = payloads.map { Array($0.utf8) }
        }
    }

    @Test(arguments: [
        Example("", []),
        Example("half", []),
        Example("one\n", ["one"]),
        Example("one\ntwo\nhalf", ["one", "two"]),
        Example("one\r\ntwo\r\n", ["one", "two"]),
        Example("one\r\ntwo\nthree\r\n", ["one", "two", "three"]),
        Example("\n\r\n\n", ["", "", ""]),
        Example("two\r\r\n\r\r\n", ["two\r", "\r"]),
        Example("a\rb\n\ra\n", ["a\rb", "\ra"]),
        Example("\r", []),
        Example("a\n\r", ["a"]),
        Example("nul\0 and é\n", ["nul\0 and é"]),
    ])
    func `a line ends with LF, and one CR before it is not payload`(example: Example) {
        verify(.line(), example.stream, holds: example.payloads)
    }

    @Test(arguments: [
        ("\0", Example("one\0\0two\0half", ["one", "", "two"])),
        ("\0", Example("a\nb\r\n\0", ["a\nb\r\n"])),
        ("\r\n", Example("one\r\n\r\ntwo\r\n\r", ["one", "", "two"])),
        ("\r\n", Example("a\rb\nc\r\r\n\n\r\n", ["a\rb\nc\r", "\n"])),
        (
            "0123456789abcdef",
            Example("x0123456789abcdef0123456789abcde0123456789abcdef", ["x", "0123456789abcde"])
        ),
        ("0123456789abcdef", Example("0123456789abcde", [])),
        ("aab", Example("aaab", ["a"])),
        ("aab", Example("aabaaabaaaabaa", ["", "a", "aa"])),
        ("aa", Example("aaa", [""])),
        ("aa", Example("baaaab", ["b", ""])),
        ("abab", Example("aababababab", ["a", ""])),
        ("aaaaaaaaaaaaaaab", Example("aaaaaaaaaaaaaaaaabaaaaaaaaaaaaaaab", ["aa", ""])),
    ])
    func `a delimiter ends a message where it first stands whole`(end: String, example: Example) {
        verify(.delimiter(end: [UInt8](end)), example.stream, holds: example.payloads)
    }

    static let fields = LengthField.Width.allCases.flatMap { width in
        LengthField.Order.allCases.map { LengthField(width: width, order: $0) }
    }

    @Test(arguments: fields)
    func `a length counts the payload only`(field: LengthField) {
        func prefix(_ count: UInt8) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: field.width.rawValue - 1)
            return field.order == .big ? zeros + [count] : [count] + zeros
        }
        let one: [UInt8] = [1, 2, 3]
        let long = [UInt8](repeating: 7, count: 200)
        let stream = prefix(3) + one + prefix(0) + prefix(200) + long + prefix(1)
        verify(.length(field), stream, holds: [one, [], long])
    }

    @Test(arguments: [LengthField.Order.big, .little])
    func `every byte of a length counts`(order: LengthField.Order) {
        let payload = [UInt8](repeating: 9, count: 0x0102)
        let count: [UInt8] = [0x01, 0x02]
        var stream = Stream(.length(LengthField(width: .two, order: order)), limit: 1024)
        stream.receive((order == .big ? count : count.reversed()) + payload + [0])
        #expect(stream.found.payloads == [payload])
        #expect(stream.unconsumed == [0])
    }

    @Test(arguments: [1, 2, 7])
    func `fixed messages are cut by counting`(size: Int) {
        let bytes = (0..<23).map { UInt8($0) }
        let payloads = stride(from: 0, through: bytes.count - size, by: size).map {
            Array(bytes[$0..<$0 + size])
        }
        verify(.fixed(size: size), bytes, holds: payloads)
    }

    @Test func `a frame says what of it is framing`() {
        func frames(_ framing: Framing, _ bytes: [UInt8]) -> [Frame] {
            var stream = Stream(framing, limit: 64)
            stream.receive(bytes)
            return stream.found.frames
        }
        #expect(
            frames(.line(), [UInt8]("a\r\nb\n\n")) == [
                Frame(length: 3, trailer: 2), Frame(length: 2, trailer: 1), Frame(length: 1, trailer: 1),
            ])
        #expect(frames(.delimiter(end: [0, 0]), [5, 0, 0]) == [Frame(length: 3, trailer: 2)])
        #expect(frames(.length(LengthField(width: .two)), [0, 1, 5]) == [Frame(length: 3, header: 2)])
        #expect(frames(.fixed(size: 3), [1, 2, 3]) == [Frame(length: 3)])
    }

    @Test(arguments: [
        Framing.line(), .delimiter(end: [0]), .delimiter(end: [1, 2, 3]), .length(LengthField(width: .eight)),
        .fixed(size: 4),
    ])
    func `no frame adds more than the overhead to its payload`(framing: Framing) {
        var stream = Stream(framing, limit: 64)
        stream.receive([0, 0, 0, 0, 0, 0, 0, 1] + [UInt8]("\r\n\0\u{1}\u{2}\u{3}"))
        #expect(!stream.found.frames.isEmpty)
        for frame in stream.found.frames {
            #expect(Int(frame.header) + Int(frame.trailer) <= framing.overhead(of: 64))
        }
    }

    @Test func `to append no frame is to look at nothing`() throws {
        var decoder = Decoder(.line(), limit: 8)
        var sink = Stream(.line(), limit: 8)
        #expect(try decoder.decode([UInt8]("a\n").span, atMost: 0, into: &sink) == 0)
        #expect(sink.found.frames.isEmpty)
    }
}
