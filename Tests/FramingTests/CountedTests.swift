import Framing
import Testing

/// Lengths in decimal digits.
struct CountedTests {
    /// Bernstein, https://cr.yp.to/proto/netstrings.txt, section 2: its two examples.
    @Test func `a netstring is as its specification has it`() throws {
        let hello: [UInt8] = [
            0x31, 0x32, 0x3A, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x20, 0x77, 0x6F, 0x72, 0x6C, 0x64, 0x21, 0x2C,
        ]
        verify(
            .netstring, hello + [UInt8]("0:,") + hello,
            holds: ["hello world!", "", "hello world!"].map([UInt8].init))
        #expect(try encoded([[UInt8]("hello world!"), []], as: .netstring) == hello + [UInt8]("0:,"))
    }

    @Test(arguments: [
        ("00:,", Malformation.noDecimalLength), ("01:a,", .noDecimalLength), (":,", .noDecimalLength),
        ("-1:,", .noDecimalLength), ("+1:a,", .noDecimalLength), (" 1:a,", .noDecimalLength),
        ("1 :a,", .noDecimalLength), ("0x1:a,", .noDecimalLength), ("1,a,", .noDecimalLength),
        ("99999999999999999999:", .noDecimalLength), ("00000000000000000000", .noDecimalLength),
        ("2:a,b", .noComma), ("1:ab", .noComma), ("0:a", .noComma),
    ])
    func `a netstring that is none is a fault`(text: String, malformation: Malformation) {
        for skips in [nil, []] as [[[UInt8]]?] {
            verify(
                .netstring, [UInt8]("1:,," + text), holds: [[UInt8](",")], passesOver: skips,
                then: .malformed(malformation))
        }
    }

    @Test(arguments: [10, 11, 100])
    func `a netstring that is passed over has its comma, too`(count: Int) {
        let payload = [UInt8](repeating: 0x2C, count: count)
        let long = [UInt8]("\(count):") + payload
        let next = [UInt8]("1:a,")
        let (isTooLong, limit) = (count > 10, 10)
        verify(
            .netstring, limit: limit, next + long + [0x2C] + next,
            holds: [[0x61]] + (isTooLong ? [] : [payload]) + [[0x61]],
            passesOver: isTooLong ? [long + [0x2C]] : [])
        verify(
            .netstring, limit: limit, next + long + next, holds: [[0x61]],
            passesOver: isTooLong ? [long] : [], then: .malformed(.noComma))
    }

    /// RFC 6587, section 3.4.1: MSG-LEN SP SYSLOG-MSG, with example 1 of RFC 5424, section 6.5, whose "BOM" is the byte order
    /// mark.
    @Test func `octets are counted as the RFC has it`() throws {
        let message = [UInt8](
            "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - "
                + "\u{FEFF}'su root' failed for lonvick on /dev/pts/8")
        let stream = [UInt8]("110 ") + message + [UInt8]("1 \n")
        verify(.octetCounted, stream, holds: [message, [0x0A]])
        #expect(try encoded([message, [0x0A]], as: .octetCounted) == stream)
        #expect(throws: UnrepresentableError.empty) { try encoded([[]], as: .octetCounted) }
    }

    @Test(arguments: ["0 ", "01 a", " 1 a", "1:a", "<34>1 a", "\n"])
    func `a count that is none is a fault`(text: String) {
        verify(
            .octetCounted, [UInt8]("2 ab" + text), holds: [[UInt8]("ab")], then: .malformed(.noDecimalLength))
    }

    @Test(arguments: [1 << 31, UInt64(Int64.max), 1 << 63, 9_999_999_999_999_999_999] as [UInt64])
    func `an absurd number is a fault`(length: UInt64) {
        for (framing, separator) in [(Framing.netstring, ":"), (.octetCounted, " ")] {
            let stream = [UInt8]("\(length)\(separator)abc")
            verify(framing, stream, holds: [], then: .tooLong(limit: 1024))
            if length >> 63 == 0 {
                verify(framing, stream, holds: [], passesOver: [stream])
            } else {
                verify(framing, stream, holds: [], passesOver: [], then: .impossibleLength(length))
            }
        }
    }
}
