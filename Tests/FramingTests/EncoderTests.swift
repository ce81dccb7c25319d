import Framing
import TestSupport
import Testing

/// What is encoded is found again, and what cannot be carried is refused.
struct EncoderTests {
    static let framings: [Framing] =
        [
            .line(), .line(ending: .crlf), .delimiter(end: [0]), .delimiter(end: [0x0D, 0x0A]),
            .delimiter(end: [UInt8]("aab")),
        ]
        + [.delimiter(end: [UInt8]("aa")), .delimiter(end: [UInt8]("abab")), .delimiter(end: Array(0...15))]
        + KindTests.fields.map(Framing.length) + [
            .fixed(size: 1), .fixed(size: 3), .varint(VarintField()), .netstring, .octetCounted, .header,
        ]
        + [
            .slip, .cobs, .beast, .json, .block(start: [0x0B], end: [0x1C, 0x0D]),
            .block(start: [1, 2], end: [2, 2, 1]),
        ]
        + [.length(LengthField(width: .two, adjust: -2))]

    /// Random payloads; half of them made of nothing but the framing's own bytes.
    static func payload(_ framing: Framing, using random: inout Seeded) -> [UInt8] {
        let own: [UInt8]
        switch framing {
        case .line: own = [0x0D, 0x0A, 0x0D, 0x61]
        case .delimiter(let end): own = end
        case .length, .varint, .fixed: own = [0, 1, 2, 0xFF]
        case .netstring, .octetCounted: own = [UInt8]("01: ,")
        case .slip: own = [0xC0, 0xDB, 0xDC, 0xDD]
        case .cobs: own = [0, 1, 0xFF]
        case .beast: return BeastTests.payload(using: &random)
        case .json: return JSONTests.payload(using: &random)
        case .untilClose, .idle, .unframed: own = [0]
        case .header: own = [UInt8]("\r\n:1")
        case .block(let start, let end): own = start + end
        }
        let isOwn = Bool.random(using: &random)
        let count =
            if case .fixed(let size) = framing, Int.random(in: 0..<5, using: &random) > 0 {
                size
            } else {
                Int.random(in: 0...8, using: &random)
            }
        return (0..<count).map { _ in
            isOwn ? own.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
        }
    }

    /// Whether a frame must not be made of it: written anew, byte by byte.
    static func isRefused(_ payload: [UInt8], _ framing: Framing) -> Bool {
        switch framing {
        case .line(let ending, _): payload.contains(0x0A) || ending == .lf && payload.last == 0x0D
        case .delimiter(let end):
            (0..<payload.count).contains { (payload + end)[$0...].starts(with: end) }
        case .block(_, let end): (0..<payload.count).contains { (payload + end)[$0...].starts(with: end) }
        case .octetCounted, .slip, .untilClose, .idle, .unframed: payload.isEmpty
        case .beast: BeastTests.isNone(payload)
        case .json: JSONTests.isNone(payload)
        case .length, .varint, .netstring, .header, .cobs: false
        case .fixed(let size): payload.count != size
        }
    }

    @Test(arguments: framings, seeds)
    func `what is encoded is decoded to the same`(framing: Framing, seed: UInt64) {
        var random = Seeded(seed)
        var stream: [UInt8] = []
        var payloads: [[UInt8]] = []
        // Of some framings half are refused: by chance it may be almost all of twenty.
        var tried = 0
        while tried < 20 || payloads.count < 4 && tried < 1000 {
            tried += 1
            let payload = Self.payload(framing, using: &random)
            let before = stream
            do throws(UnrepresentableError) {
                try framing.encode(payload, into: &stream)
                #expect(!Self.isRefused(payload, framing), "\(payload) was taken")
                #expect(stream.starts(with: before))
                payloads.append(payload)
            } catch {
                #expect(Self.isRefused(payload, framing), "\(payload) was refused: \(error)")
                #expect(stream == before, "nothing is appended of \(payload)")
            }
        }
        #expect(payloads.count > 3)
        verify(framing, stream, holds: payloads, seed: seed)
    }

    @Test(arguments: framings)
    func `an empty payload is a message, where sizes vary`(framing: Framing) throws {
        if [.octetCounted, .slip, .beast, .json].contains(framing) { return }
        if case .fixed = framing { return }
        verify(framing, try encoded([[], [], []], as: framing), holds: [[], [], []])
    }

    @Test(arguments: [
        (Framing.line(), "a\nb", UnrepresentableError.holdsDelimiter),
        (.line(), "\n", .holdsDelimiter),
        (.line(), "a\r", .endsInCarriageReturn),
        (.line(), "\r", .endsInCarriageReturn),
        (.delimiter(end: [0]), "a\0", .holdsDelimiter),
        (.delimiter(end: [UInt8]("aa")), "a", .holdsDelimiter),
        (.delimiter(end: [UInt8]("abab")), "ab", .holdsDelimiter),
        (.fixed(size: 3), "ab", .notOfSize(3)),
        (.fixed(size: 3), "", .notOfSize(3)),
        (.fixed(size: 3), "abcd", .notOfSize(3)),
    ])
    func `what a framing cannot carry is refused whole`(
        framing: Framing, payload: String, error: UnrepresentableError
    ) {
        var output: [UInt8] = [1, 2]
        #expect(throws: error) { try framing.encode([UInt8](payload), into: &output) }
        #expect(output == [1, 2])
    }

    @Test(arguments: [
        (LengthField.Width.one, 0xFF, [0xFF]),
        (.two, 0xFFFF, [0xFF, 0xFF]),
        (.two, 0x0102, [0x01, 0x02]),
        (.three, 0x1_0203, [0x01, 0x02, 0x03]),
        (.four, 0x1_0203, [0, 0x01, 0x02, 0x03]),
        (.eight, 0x1_0203, [0, 0, 0, 0, 0, 0x01, 0x02, 0x03]),
    ])
    func `a length field is written in its order`(width: LengthField.Width, count: Int, field: [UInt8]) throws
    {
        let payload = [UInt8](repeating: 0x61, count: count)
        #expect(try encoded([payload], as: .length(LengthField(width: width))) == field + payload)
        #expect(
            try encoded([payload], as: .length(LengthField(width: width, order: .little)))
                == field.reversed() + payload)
    }

    @Test(arguments: [(LengthField.Width.one, 0x100, 0xFF), (.two, 0x1_0000, 0xFFFF)])
    func `a payload longer than the field can count is refused`(
        width: LengthField.Width, count: Int, limit: UInt64
    ) {
        var output: [UInt8] = []
        #expect(throws: UnrepresentableError.tooLong(limit: limit)) {
            try Framing.length(LengthField(width: width)).encode(
                [UInt8](repeating: 0, count: count), into: &output)
        }
        #expect(output.isEmpty)
    }
}
