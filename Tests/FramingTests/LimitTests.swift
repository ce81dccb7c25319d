import Framing
import Testing

/// How long a message may be, and when it is known to be too long.
struct LimitTests {
    static let limit = 20

    struct Case: CustomTestStringConvertible, Sendable {
        let framing: Framing
        var testDescription: String { "\(framing)" }

        func frame(_ count: Int) throws -> [UInt8] {
            try encoded([[UInt8](repeating: 0x61, count: count)], as: framing)
        }
    }
    static let cases: [Case] =
        ([.line(), .line(ending: .crlf), .delimiter(end: [0]), .delimiter(end: [0x0D, 0x0A])]
        + [.delimiter(end: Array(0x30...0x3F)), .varint(VarintField()), .netstring, .header, .cobs]
        + [.block(start: [0x0B], end: [0x1C, 0x0D]), .block(start: [1, 2, 3], end: [4])]
        + [.length(LengthField(width: .four, adjust: -4))]
        + KindTests.fields.map(Framing.length))
        .map(Case.init)

    @Test(arguments: cases, [0, 1, limit - 1, limit])
    func `a payload up to the limit passes`(framing: Case, count: Int) throws {
        let payload = [UInt8](repeating: 0x61, count: count)
        let stream = try framing.frame(count) + framing.frame(1) + framing.frame(count)
        verify(framing.framing, limit: Self.limit, stream, holds: [payload, [0x61], payload])
    }

    @Test(arguments: cases, [limit + 1, limit + 2, limit + 100])
    func `one byte more is a fault, after the frames before it`(framing: Case, count: Int) throws {
        let full = [UInt8](repeating: 0x61, count: Self.limit)
        let stream =
            try framing.frame(1) + framing.frame(Self.limit) + framing.frame(count) + framing.frame(1)
        verify(
            framing.framing, limit: Self.limit, stream, holds: [[0x61], full],
            then: .tooLong(limit: Self.limit))
    }

    @Test(arguments: cases)
    func `too long a message is known before it is there`(framing: Case) throws {
        var stream = Stream(framing.framing, limit: Self.limit)
        let bytes = try framing.frame(200)
        let known = bytes.indices.first { i in
            stream.receive(CollectionOfOne(bytes[i]))
            return stream.found.fault != nil
        }
        let expected =
            switch framing.framing {
            case .line: Self.limit + 1
            // A delimiter could still begin right after the payload until all of it had room.
            case .delimiter(let end): Self.limit + end.count
            case .length(let field): field.width.rawValue
            case .varint: 2
            case .netstring, .octetCounted: 4
            case .header: 23
            case .slip, .cobs, .beast: Self.limit + 2
            case .json, .untilClose, .idle, .unframed: Self.limit + 1
            case .block(let start, let end): start.count + Self.limit + end.count
            case .fixed: 0
            }
        #expect(known.map { $0 + 1 } == expected)
    }

    @Test func `a line as long as the limit may still end with CR LF`() {
        let line = [UInt8](repeating: 0x61, count: Self.limit)
        let end: [UInt8] = [0x0D, 0x0A]
        verify(.line(), limit: Self.limit, line + end + line + end, holds: [line, line])
        verify(.line(), limit: Self.limit, line + [0x0D], holds: [])
    }

    @Test(arguments: ["\r\r\n", "\ra\n", "a\r\n", "\r\r", "a"])
    func `a line longer than the limit is a fault, however it ends`(rest: String) {
        let line = [UInt8](repeating: 0x61, count: Self.limit)
        verify(.line(), limit: Self.limit, line + [UInt8](rest), holds: [], then: .tooLong(limit: Self.limit))
    }

    @Test(arguments: [
        ([0x80, 0, 0, 0], LengthField.Width.four), ([0x7F, 0xFF, 0xFF, 0xFF], .four),
        ([0xFF, 0xFF, 0xFF, 0xFF], .four), ([0, 0, 0, 0, 0x80, 0, 0, 0], .eight),
        ([0, 0, 0, 1, 0, 0, 0, 0], .eight), ([0, 0, 0, 1, 0, 0, 0, 1], .eight),
        ([0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .eight),
        ([0x80, 0, 0, 0, 0, 0, 0, 0], .eight), ([0x80, 0, 0, 0, 0, 0, 0, 1], .eight),
        ([UInt8](repeating: 0xFF, count: 8), .eight),
    ])
    func `an absurd length is a fault, not an overflow`(bytes: [UInt8], width: LengthField.Width) {
        for order in LengthField.Order.allCases {
            let field = order == .big ? bytes : bytes.reversed()
            let one = [UInt8](repeating: 0, count: width.rawValue - 1)
            let stream = (order == .big ? one + [1] : [1] + one) + [0x61] + field
            for limit in [1, 1 << 20] {
                verify(
                    .length(LengthField(width: width, order: order)), limit: limit, stream, holds: [[0x61]],
                    then: .tooLong(limit: limit))
            }
        }
    }

    @Test func `the fault names the setting and its value`() {
        #expect(
            "\(FramingError.tooLong(limit: 65536))" == "a message is longer than max-message (65536 bytes)")
    }
}
