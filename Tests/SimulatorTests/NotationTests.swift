import Framing
import Linux
import Testing

@testable import trunkline_sim

@Suite struct NotationTests {
    @Test(arguments: [
        ("line", Framing.line()),
        (#"delimiter:end=\0"#, .delimiter(end: [0])),
        (#"delimiter:end=\x1c\r"#, .delimiter(end: [0x1C, 0x0D])),
        ("delimiter:end==", .delimiter(end: [0x3D])),
        ("length", .length(LengthField(width: .four, order: .big))),
        ("length:bytes=2,order=little", .length(LengthField(width: .two, order: .little))),
        ("fixed:size=64", .fixed(size: 64)),
        ("line:ending=crlf", .line(ending: .crlf)),
        ("length:bytes=2,offset=4", .length(LengthField(width: .two, offset: 4))),
        ("length:bytes=3,adjust=-3,strip=0", .length(LengthField(width: .three, adjust: -3, strip: 0))),
        ("varint", .varint(VarintField())),
        ("varint:bytes=4,offset=1", .varint(VarintField(bytes: 4, offset: 1))),
        ("netstring", .netstring), ("octet-counted", .octetCounted), ("header", .header), ("json", .json),
        (#"block:start=\v,end=\x1c\r"#, .block(start: [0x0B], end: [0x1C, 0x0D])),
        ("slip", .slip), ("cobs", .cobs), ("beast", .beast), ("until-close", .untilClose(every: .zero)),
        ("none", .unframed),
    ])
    func `a framing is read from its compact notation`(_ notation: String, _ framing: Framing) throws {
        #expect(try Framing(notation: notation) == framing)
    }

    @Test(arguments: [
        "", "lines", "line:end=x", "delimiter", "delimiter:end=", "delimiter:end=0123456789abcdefg",
        "length:bytes=5",
        "length:order=middle", "length:offset=1025", "varint:bytes=11", "block:start=x", "json:x=y",
        "until-close:every=1s", "idle", "idle:gap=50ms",
        "line:ending=cr", "length:bytes=2,bytes=4", "length:bytes", "fixed", "fixed:size=0",
        "fixed:size=-1",
        "fixed:size=99999999999999999999", #"delimiter:end=\x1"#, #"delimiter:end=\q"#, #"delimiter:end=\"#,
    ])
    func `what is no framing is refused`(_ notation: String) {
        #expect(throws: UsageError.self) { try Framing(notation: notation) }
    }

    @Test(arguments: [
        ("plain", Array("plain".utf8)), (#"\r\n\t\\\0"#, [13, 10, 9, 92, 0]),
        (#"\x1a\xFFf"#, [26, 255, 102]),
        ("é", [0xC3, 0xA9]), ("", []),
    ])
    func `escapes are read as in C`(_ text: String, _ bytes: [UInt8]) throws {
        #expect(try unescaped(text) == bytes)
    }

    @Test(arguments: [#"\x"#, #"\x+1"#, #"\xg0"#, #"\8"#, #"\"#])
    func `what is no escape is refused`(_ text: String) {
        #expect(throws: UsageError.self) { try unescaped(text) }
    }
}
