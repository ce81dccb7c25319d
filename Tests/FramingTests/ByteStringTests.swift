import Framing
import Testing

@Suite struct ByteStringTests {
    @Test(
        arguments: [
            (#"\r\n\t\0\\\a\b\f\v\e\"\'"#, [13, 10, 9, 0, 92, 7, 8, 12, 11, 27, 34, 39]),
            (#"\x00\x1a\xfF"#, [0, 0x1A, 0xFF]), (#"\x1a2"#, [0x1A, 0x32]), ("$%", [0x24, 0x25]),
            ("é", [0xC3, 0xA9]),
            (#"\0a"#, [0, 0x61]), (#"\0\0"#, [0, 0]), ("", []),
        ] as [(String, [UInt8])])
    func `a byte string has the escapes of C`(text: String, bytes: [UInt8]) {
        #expect(ByteString.parse(text) == bytes)
    }

    @Test(arguments: [
        #"\"#, #"a\"#, #"\q"#, #"\x"#, #"\x1"#, #"\x1g"#, #"\X41"#, #"\01"#, #"\012"#, #"\u0041"#, #"\é"#,
    ])
    func `an escape that C has not, or has otherwise, is refused`(text: String) {
        #expect(ByteString.parse(text) == nil)
    }

    @Test(
        arguments: [
            ([13, 10], #"\r\n"#), ([0], #"\0"#), ([0, 0x31], #"\x001"#), ([0, 0x61], #"\0a"#),
            ([0x41, 0x27, 0x22], #"A'""#),
            ([0x5C], #"\\"#), ([0xC3, 0xA9, 0x7F, 0x01], #"\xc3\xa9\x7f\x01"#),
        ] as [([UInt8], String)])
    func `a byte string is printed in ASCII`(bytes: [UInt8], text: String) {
        #expect(ByteString.print(bytes) == text)
    }

    @Test(arguments: [
        ("é漢 \"a\\b\"", "é漢 \"a\\b\""), ("two\nlines\u{202E}", #"two\nlines\xe2\x80\xae"#),
        ("\0\u{1B}1\0", #"\0\e1\0"#), ("a\u{0}1", #"a\x001"#), ("", ""),
    ])
    func `of a text only what is not to be shown is spelled`(text: String, shown: String) {
        #expect(ByteString.print(text) { $0.value >= 0x20 && $0 != "\u{202E}" } == shown)
    }

    @Test func `every pair of bytes is printed so that it is read back`() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let bytes = [first, second]
                if ByteString.parse(ByteString.print(bytes)) != bytes { Issue.record("\(bytes)") }
            }
        }
    }
}
