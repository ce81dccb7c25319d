import Configuration
import Testing

/// Bytes that a file spells as text.
struct ByteTests {
    @Test(arguments: [
        (
            "framing: {kind: delimiter, end: 0}", "3:35: upstream.framing.end: found \"0\"",
            #" or the byte '\0'"#
        ),
        (
            "framing: {kind: block, start: 0x0B, end: '\\r'}", "3:33: upstream.framing.start: found \"0x0B\"",
            #" or the byte '\x0b'"#
        ),
        (
            "on-connect: [{expect: 6}]", "3:25: upstream.on-connect.expect: found \"6\"",
            #" or the byte '\x06'"#
        ),
        ("on-connect: [{send: -1234}]", "3:23: upstream.on-connect.send: found \"-1234\"", ""),
    ])
    func `a number in place of bytes must be in quotes`(upstream: String, found: String, byte: String) {
        let number = found.split(separator: "\"")[1]
        #expect(
            errors(in: file(upstream: upstream)) == [
                "ais.yaml:\(found); a number needs quotes here; did you mean the text '\(number)'\(byte)?"
            ])
    }

    @Test func `a credential in a heartbeat is not sent as if it were text`() throws {
        let found = errors(in: file(upstream: "heartbeat: {send: '${credential:x}\\n'}"))
        #expect(
            found == [
                "ais.yaml:3:21: upstream.heartbeat.send: found \"${credential:x}\\n\"; a credential stands in what"
                    + " on-connect sends only; did you mean the text '\\x24{credential:…'?"
            ])
        let text = file(upstream: "heartbeat: {send: '\\x24{credential:x}\\n'}")
        #expect(try read(read(text).yaml()) == read(text))
    }
}
