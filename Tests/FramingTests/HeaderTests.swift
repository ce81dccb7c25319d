import Framing
import Testing

/// Messages behind header fields, and between marks.
struct HeaderTests {
    /// Language Server Protocol 3.17, "Base Protocol": its example.
    @Test func `a message follows its Content-Length`() throws {
        let content = """
            {
            \t"jsonrpc": "2.0",
            \t"id": 1,
            \t"method": "textDocument/completion",
            \t"params": {
            \t\t...
            \t}
            }
            """
        let stream = [UInt8]("Content-Length: \(content.utf8.count)\r\n\r\n\(content)")
        verify(.header, stream, holds: [[UInt8](content)])
        #expect(try encoded([[UInt8](content)], as: .header) == stream)
    }

    @Test(arguments: [
        "Content-Length: 5\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 5\r\n\r\n",
        "content-length:5\r\n\r\n", "CONTENT-LENGTH:\t 5 \t\r\n\r\n", "X:\r\nContent-Length: 0000005\r\n\r\n",
        "X: Content-Length: 7\r\nContent-Lengths: 9\r\nContent-Length: 5\r\n\r\n",
    ])
    func `fields stand in any order and case`(fields: String) {
        verify(
            .header, [UInt8](fields + "\r\n\r\n!" + fields + "hello"),
            holds: [[UInt8]("\r\n\r\n!"), [UInt8]("hello")])
    }

    @Test(arguments: [
        ("X: 5\r\n\r\n", Malformation.noContentLength),
        ("Content-Length: 5\r\nContent-Length: 5\r\n\r\n", .noContentLength),
        ("Content-Length: -5\r\n\r\n", .noContentLength), ("Content-Length:\r\n\r\n", .noContentLength),
        ("Content-Length: 5 5\r\n\r\n", .noContentLength), ("Content-Length: 0x5\r\n\r\n", .noContentLength),
        ("Content-Length: 12345678901234567890\r\n\r\n", .noContentLength),
        ("Content-Length 5\r\n\r\n", .noHeaderField), ("\r\n\r\n", .noHeaderField),
        (": 5\r\n\r\n", .noHeaderField),
        ("Content-Length: 5\nX: 5\r\n\r\n", .noHeaderField), ("GET / HTTP/1.1\r\n\r\n", .noHeaderField),
        (String(repeating: "X: y\r\n", count: 1000), .headerTooLong(4096)),
        (String(repeating: "x", count: 4093) + "\r\n\r\n", .headerTooLong(4096)),
    ])
    func `fields that tell no length are a fault`(fields: String, malformation: Malformation) {
        var stream = Stream(.header, limit: 100, skipsOversize: true)
        stream.receive([UInt8]("Content-Length: 1\r\n\r\nx" + fields))
        #expect(stream.found.payloads == [[0x78]])
        #expect(stream.found.fault == .malformed(malformation))
        var slow = Stream(.header, limit: 100)
        for byte in fields.utf8 { slow.receive(CollectionOfOne(byte)) }
        #expect(slow.found.fault == .malformed(malformation))
    }

    @Test func `fields are read once, and their end is not searched again`() throws {
        let fields = [UInt8]("Content-Length: 500\r\n\r\n")
        var stream = Stream(.header, limit: 500)
        for byte in fields + [UInt8](repeating: 0, count: 500) {
            stream.receive(CollectionOfOne(byte))
            // What was looked at is spoilt.
            if stream.unconsumed.count >= fields.count {
                for i in stream.unconsumed.indices { stream.unconsumed[i] = 0x0A }
            }
        }
        #expect(stream.found.frames == [Frame(length: fields.count + 500, header: fields.count)])
    }

    @Test func `a length of 2 to the 63rd is a fault, and one less is passed over as far as it comes`() {
        let most = [UInt8]("Content-Length: 9223372036854775807\r\n\r\nabc")
        verify(.header, most, holds: [], passesOver: [most])
        verify(
            .header, [UInt8]("Content-Length: 9223372036854775808\r\n\r\nabc"), holds: [], passesOver: [],
            then: .impossibleLength(1 << 63))
    }

    /// HL7 Version 3 Standard: Transport Specification, MLLP, Release 2: the block format, `<SB> dddd <EB><CR>`, and the commit
    /// acknowledgement block, `<SB><ACK><EB><CR>`.
    @Test func `MLLP blocks are found, and what stands between them is skipped`() throws {
        let framing = Framing.block(start: [0x0B], end: [0x1C, 0x0D])
        let message = [UInt8]("MSH|^~\\&|ADT1|MCM|\rEVN|A01|\r")
        let block = [0x0B] + message + [0x1C, 0x0D]
        verify(framing, block + block, holds: [message, message])
        verify(framing, [0x0B, 0x06, 0x1C, 0x0D] + block, holds: [[0x06], message])
        #expect(try encoded([message, message], as: framing) == block + block)
        verify(
            framing, [0x0D, 0x0A, 0x1C] + block + [0x20] + block + [0x0D, 0x0B, 0x1C],
            holds: [message, message],
            between: [0x0D, 0x0A, 0x1C, 0x20, 0x0D])
        verify(framing, [0x0B, 0x1C, 0x0D, 0x0B, 0x0B, 0x1C, 0x1C, 0x0D], holds: [[], [0x0B, 0x1C]])
    }

    @Test func `marks may have several bytes, and be alike`() {
        verify(
            .block(start: [UInt8]("aab"), end: [UInt8]("baa")), [UInt8]("aaabxbaabaabaa"),
            holds: [[UInt8]("x")], between: [UInt8]("ab"))
        verify(
            .block(start: [0x22], end: [0x22]), [UInt8](#""one""two" "#),
            holds: [[UInt8]("one"), [UInt8]("two")], between: [0x20])
    }

    @Test func `a payload that ends a block is not sent`() {
        let framing = Framing.block(start: [0x02], end: [0x1C, 0x0D])
        #expect(throws: UnrepresentableError.holdsDelimiter) { try encoded([[1, 0x1C, 0x0D]], as: framing) }
        #expect(throws: UnrepresentableError.holdsDelimiter) {
            try encoded([[UInt8]("a")], as: .block(start: [1], end: [UInt8]("aa")))
        }
    }

    @Test func `however much stands between blocks, none of it is kept`() {
        var stream = Stream(.block(start: [UInt8]("start"), end: [0x0A]), limit: 10)
        for _ in 0..<100 {
            stream.receive([UInt8](repeating: 0x73, count: 1000))
            #expect(stream.unconsumed.count < 5)
        }
        #expect(stream.found.fault == nil)
    }
}
