import Framing
import Testing

/// That bytes of an unfinished message are looked at once: shown by changing, behind the decoder's back, what it has
/// looked at already. If it looked again, it would find what was put there.
struct WorkTests {
    @Test func `a line that drips in is not searched again`() throws {
        var stream = Stream(.line(), limit: 1 << 16)
        for _ in 0..<1000 {
            stream.receive(CollectionOfOne(0x61))
            try #require(stream.found.frames.isEmpty)
            stream.unconsumed = [UInt8](repeating: 0x0A, count: stream.unconsumed.count)
        }
        stream.unconsumed[999] = 0x61
        stream.receive(CollectionOfOne(0x0A))
        #expect(stream.found.frames == [Frame(length: 1001, trailer: 1)])
    }

    @Test(arguments: ["\0", "\r\n", "aab", "0123456789abcdef"])
    func `a delimited message that drips in is not searched again`(end: String) throws {
        let end = [UInt8](end)
        var stream = Stream(.delimiter(end: end), limit: 1 << 16)
        var bytes: [UInt8] = []
        for _ in 0..<1000 {
            bytes.append(0x2E)
            stream.receive(CollectionOfOne(0x2E))
            try #require(stream.found.frames.isEmpty)
            // A delimiter may have begun in the last bytes: those are looked at again.
            let looked = max(0, bytes.count - end.count + 1)
            let spoilt = (0..<bytes.count).map { $0 < looked ? end[$0 % end.count] : 0x2E }
            stream.unconsumed = spoilt
        }
        stream.receive(end)
        #expect(stream.found.frames == [Frame(length: 1000 + end.count, trailer: end.count)])
    }

    @Test(arguments: KindTests.fields)
    func `of a message with a length, only the field is looked at`(field: LengthField) throws {
        let frame = try encoded([[UInt8](repeating: 1, count: 200)], as: .length(field))
        var stream = Stream(.length(field), limit: 200)
        for byte in frame {
            stream.receive(CollectionOfOne(byte))
            for i in stream.unconsumed.indices.dropFirst(field.width.rawValue) { stream.unconsumed[i] = 0xFF }
        }
        #expect(stream.found.frames == [Frame(length: frame.count, header: field.width.rawValue)])
    }

    @Test func `many messages that come at once are found in one call`() {
        var stream = Stream(.line(), limit: 64)
        stream.receive([UInt8](repeating: 0x0A, count: 1000))
        #expect(stream.calls == 1)
        #expect(stream.found.frames.count == 1000)
        #expect(stream.unconsumed.isEmpty)
    }
}
