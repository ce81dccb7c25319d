import Framing
import TestSupport
import Testing

/// Lengths that are not simply in front of what they count.
struct FieldTests {
    static let hello = [UInt8]("HELLO, WORLD")

    /// A case of the documentation of Netty's `LengthFieldBasedFrameDecoder` (4.1), in its order.
    struct Case: Sendable {
        let field: LengthField
        let before: [UInt8]
        let after: [UInt8]
    }
    static let netty = [
        Case(field: LengthField(width: .two, strip: 0), before: [0, 0x0C], after: [0, 0x0C]),
        Case(field: LengthField(width: .two, strip: 2), before: [0, 0x0C], after: []),
        Case(field: LengthField(width: .two, adjust: -2, strip: 0), before: [0, 0x0E], after: [0, 0x0E]),
        Case(
            field: LengthField(width: .three, offset: 2), before: [0xCA, 0xFE, 0, 0, 0x0C],
            after: [0xCA, 0xFE, 0, 0, 0x0C]),
        Case(
            field: LengthField(width: .three, adjust: 2, strip: 0), before: [0, 0, 0x0C, 0xCA, 0xFE],
            after: [0, 0, 0x0C, 0xCA, 0xFE]),
        Case(
            field: LengthField(width: .two, offset: 1, adjust: 1, strip: 3), before: [0xCA, 0, 0x0C, 0xFE],
            after: [0xFE]),
        Case(
            field: LengthField(width: .two, offset: 1, adjust: -3, strip: 3), before: [0xCA, 0, 0x10, 0xFE],
            after: [0xFE]),
    ]

    @Test(arguments: netty)
    func `a length field has the cases of Netty's documentation`(example: Case) throws {
        let framing = Framing.length(example.field)
        let (frame, payload) = (example.before + Self.hello, example.after + Self.hello)
        verify(framing, frame + frame + [0xCA], holds: [payload, payload])
        verify(framing, limit: payload.count, frame, holds: [payload])
        let limit = payload.count - 1
        verify(framing, limit: limit, frame, holds: [], then: .tooLong(limit: limit))
        verify(framing, limit: limit, frame + frame, holds: [], passesOver: [frame, frame])
        var output: [UInt8] = []
        if framing.isReversible {
            try framing.encode(payload, into: &output)
            #expect(output == frame)
        } else {
            #expect(throws: UnrepresentableError.unknownHeader) { try framing.encode(payload, into: &output) }
            #expect(output.isEmpty)
        }
    }

    /// Modbus Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3 (the MBAP header), and its request to read one
    /// register; behind the same header the example of Modbus Application Protocol V1.1b3, section 6.3, with its answer.
    @Test func `Modbus counts from behind its length, which stands at offset 4`() throws {
        let request: [UInt8] = [0x15, 0x01, 0, 0, 0, 0x06, 0xFF, 0x03, 0, 0x04, 0, 0x01]
        let framing = Framing.length(LengthField(width: .two, offset: 4))
        let three: [UInt8] = [0x15, 0x02, 0, 0, 0, 0x06, 0xFF, 0x03, 0, 0x6B, 0, 0x03]
        let answer: [UInt8] = [0x15, 0x02, 0, 0, 0, 0x09, 0xFF, 0x03, 0x06, 0x02, 0x2B, 0, 0, 0, 0x64]
        verify(framing, request + three + answer + request.prefix(5), holds: [request, three, answer])
        #expect(try encoded([request, three, answer], as: framing) == request + three + answer)
    }

    @Test(arguments: LengthField.Width.allCases, LengthField.Order.allCases)
    func `what stands around the field is no length`(width: LengthField.Width, order: LengthField.Order)
        throws
    {
        for before in [[0, 0, 0], [1, 2, 3], [0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            let framing = Framing.length(LengthField(width: width, order: order, offset: before.count))
            let length = [UInt8](repeating: 0, count: width.rawValue - 1)
            let frames = [0, 1, 9].map { count in
                before + (order == .big ? length + [count] : [count] + length)
                    + [UInt8](repeating: 0xFF, count: Int(count))
            }
            verify(framing, frames.flatMap(\.self), holds: frames)
            #expect(try encoded(frames, as: framing) == frames.flatMap(\.self))
        }
    }

    /// MQTT 3.1.1, section 2.2.3: table 2.4, and its example 321.
    @Test(arguments: [
        ([0], 0), ([0x7F], 127), ([0x80, 0x01], 128), ([0xC1, 0x02], 321), ([0xFF, 0x7F], 16383),
        ([0x80, 0x80, 0x01], 16384), ([0xFF, 0xFF, 0x7F], 2_097_151), ([0x80, 0x80, 0x80, 0x01], 2_097_152),
    ])
    func `MQTT has a length of one to four bytes behind the first`(length: [UInt8], count: Int) throws {
        let packet = [0x30] + length + [UInt8](repeating: 0x61, count: count)
        let framing = Framing.varint(VarintField(bytes: 4, offset: 1))
        var stream = Stream(framing, limit: 1 << 22)
        stream.receive(packet)
        stream.receive([0xC0, 0x00])
        #expect(stream.found.payloads == [packet, [0xC0, 0x00]])
        #expect(try encoded([packet, [0xC0, 0x00]], as: framing) == packet + [0xC0, 0x00])
    }

    /// The greatest of table 2.4: known from the header alone.
    @Test func `MQTT has a greatest length`() {
        let header: [UInt8] = [0x30, 0xFF, 0xFF, 0xFF, 0x7F]
        for (limit, fault) in [
            (268_435_455 + 5, nil), (268_435_455 + 4, FramingError.tooLong(limit: 268_435_459)),
        ] {
            verify(.varint(VarintField(bytes: 4, offset: 1)), limit: limit, header, holds: [], then: fault)
        }
    }

    @Test func `a length of more bytes than allowed is malformed`() {
        let framing = Framing.varint(VarintField(bytes: 4, offset: 1))
        let fault = FramingError.malformed(.varintTooLong(4))
        verify(framing, [0xC0, 0, 0x30, 0x80, 0x80, 0x80, 0x80], holds: [[0xC0, 0]], then: fault)
        verify(framing, [0x30, 0xFF, 0xFF, 0xFF, 0x7F], holds: [], then: .tooLong(limit: 1024))
        let ten = [UInt8](repeating: 0xFF, count: 9)
        for last in [0x02, 0x7F, 0x80, 0xFF] as [UInt8] {
            verify(.varint(VarintField()), ten + [last], holds: [], then: .malformed(.varintTooLong(10)))
        }
    }

    /// https://protobuf.dev/programming-guides/encoding, "A Simple Message" and "Base 128 Varints": Test1 is `08 96 01`, 150 is
    /// `96 01` and 300 `AC 02`; that a length precedes each message, https://protobuf.dev/programming-guides/techniques,
    /// "Streaming Multiple Messages".
    @Test func `Protocol Buffers has a length in front`() throws {
        let test1: [UInt8] = [0x08, 0x96, 0x01]
        let (long, longer) = ([UInt8](repeating: 7, count: 150), [UInt8](repeating: 8, count: 300))
        let stream = [3] + test1 + [0x96, 0x01] + long + [0xAC, 0x02] + longer + [0]
        verify(.varint(VarintField()), stream, holds: [test1, long, longer, []])
        #expect(try encoded([test1, long, longer, []], as: .varint(VarintField())) == stream)
    }

    @Test func `a length may take more bytes than it needs`() {
        let stream: [UInt8] = [0x82, 0x80, 0x00, 1, 2, 0x80, 0x00]
        verify(.varint(VarintField()), stream, holds: [[1, 2], []])
        verify(.varint(VarintField(strip: 0)), stream, holds: [Array(stream.prefix(5)), [0x80, 0]])
        verify(.varint(VarintField(offset: 1, strip: 2)), [9, 0x81, 0x00, 5], holds: [[0, 5]])
    }

    @Test(arguments: [1 << 31, 1 << 32, UInt64(Int64.max) - 5, UInt64(Int64.max), 1 << 63, .max] as [UInt64])
    func `an absurd length in groups of seven bits is a fault`(length: UInt64) {
        var (field, rest): ([UInt8], UInt64) = ([], length)
        while rest > 0x7F {
            field.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        field.append(UInt8(rest))
        let framing = Framing.varint(VarintField())
        verify(framing, [1, 7] + field + [1], holds: [[7]], then: .tooLong(limit: 1024))
        if length >> 63 == 0 {
            verify(framing, [1, 7] + field + [1], holds: [[7]], passesOver: [field + [1]])
        } else {
            verify(framing, field, holds: [], passesOver: [], then: .impossibleLength(length))
        }
    }

    @Test(arguments: [(0, -8, 7), (4, -8, 7), (0, -4, 3), (2, 0, 1)])
    func `a length that does not count its own header is malformed`(offset: Int, adjust: Int, value: UInt8) {
        let strip = offset == 2 ? 8 : 0
        let field = LengthField(width: .four, offset: offset, adjust: adjust, strip: strip)
        for skips in [nil, []] as [[[UInt8]]?] {
            verify(
                .length(field), [UInt8](repeating: 0, count: offset + 3) + [value], holds: [],
                passesOver: skips, then: .malformed(.lengthTooSmall(UInt64(value))))
        }
    }

    @Test(arguments: LengthField.Width.allCases, [-(1 << 20), -9, 0, 9, 1 << 20])
    func `no length overflows, whatever is added to it`(width: LengthField.Width, adjust: Int) {
        for byte in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
            for offset in [0, 3] {
                let field = LengthField(width: width, offset: offset, adjust: adjust)
                for (limit, skips) in [(1, false), (1, true), (1 << 20, false), (1 << 20, true)] {
                    var stream = Stream(.length(field), limit: limit, skipsOversize: skips)
                    stream.receive([UInt8](repeating: byte, count: 100))
                    #expect(stream.found.payloads.allSatisfy { $0.count <= limit })
                }
            }
        }
    }

    @Test func `a frame whose own length is wrong is not sent`() {
        for framing in [
            Framing.length(LengthField(width: .two, offset: 4)), .length(LengthField(width: .two, strip: 0)),
            .varint(VarintField(offset: 1)), .varint(VarintField(strip: 0)),
        ] {
            var output: [UInt8] = []
            for payload in [[], [1], [0, 0, 0, 0, 0, 9, 1], [9, 0xFF, 0xFF]] as [[UInt8]] {
                #expect(throws: UnrepresentableError.self) { try framing.encode(payload, into: &output) }
            }
            #expect(output.isEmpty)
        }
    }
}
