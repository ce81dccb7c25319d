import Framing
import Testing

/// What can be sent between two messages without harm to either.
struct WholeTests {
    @Test(
        arguments: [
            (Framing.line(), #"ping\n"#), (.line(), #"a\r\n\nb\n"#), (.line(ending: .crlf), #"ping\n"#),
            (.delimiter(end: [0]), #"ping\0"#), (.length(LengthField(width: .two)), #"\0\x04ping"#),
            (.length(LengthField(width: .one, offset: 1, adjust: -2)), #"\x01\x02"#),
            (.length(LengthField(width: .two)), #"\0\0"#), (.varint(VarintField()), #"\x04ping"#),
            (.fixed(size: 2), "ping"), (.netstring, "4:ping,0:,"), (.octetCounted, "4 ping"),
            (.header, #"Content-Length: 4\r\n\r\nping"#),
            (.block(start: [0x0B], end: [0x1C, 0x0D]), #"\vping\x1c\r"#), (.slip, #"\xc0ping\xc0"#),
            (.slip, #"\xc0\xc0\xc0"#), (.cobs, #"\x05ping\0"#), (.beast, #"\x1a1\0\0\0\0\0\0\0ab"#),
            (.json, "{}"), (.json, #"1\n"#), (.json, #"{}\n"#), (.json, #"                     {}"#),
            (.unframed, "ping"), (.idle(gap: .seconds(1)), "ping"), (.untilClose(every: .seconds(1)), "ping"),
        ] as [(Framing, String)])
    func `whole messages, and what may stand between two`(framing: Framing, text: String) throws {
        let bytes = try #require(ByteString.parse(text))
        #expect(framing.isWhole(bytes))
        #expect(framing.missingEnd(of: bytes) == nil)
    }

    @Test(
        arguments: [
            (Framing.line(), "ping", #"\n"#), (.line(), #"a\nb"#, #"\n"#), (.line(), #"ping\r"#, #"\n"#),
            (.line(ending: .crlf), "ping", #"\r\n"#), (.line(ending: .crlf), #"ping\r"#, #"\n"#),
            (.delimiter(end: [0x7C, 0x7C]), "a|", "|"), (.delimiter(end: [0x7C, 0x7C]), "a", "||"),
            (.block(start: [0x0B], end: [0x1C, 0x0D]), #"\vping\x1c"#, #"\r"#),
            (.block(start: [0x0B], end: [0x1C, 0x0D]), "ping", nil), (.netstring, "4:ping", ","),
            (.netstring, "ping", nil), (.slip, "ping", #"\xc0"#), (.cobs, #"\x05ping"#, #"\0"#),
            (.cobs, "ping", nil), (.json, "1", #"\n"#), (.json, #""ping"#, nil), (.json, "[}", nil),
            (.length(LengthField(width: .four)), "ping", nil),
            (.length(LengthField(width: .one)), #"\x05ping"#, nil), (.varint(VarintField()), #"\x80"#, nil),
            (.fixed(size: 3), "ping", nil), (.fixed(size: 1 << 40), "ping", nil),
            (.octetCounted, "ping", nil),
            (.header, "ping", nil), (.beast, "ping", nil), (.beast, #"\x1a1"#, nil),
        ] as [(Framing, String, String?)])
    func `what is none, and what it lacks`(framing: Framing, text: String, end: String?) throws {
        let bytes = try #require(ByteString.parse(text))
        #expect(!framing.isWhole(bytes))
        #expect(framing.missingEnd(of: bytes).map(ByteString.print) == end)
    }
}
