import Framing
import Testing

/// What a stream may end with that is no part of a message.
struct UnfinishedTests {
    @Test(
        arguments: [
            (Framing.json, "\n", 0), (.json, " \r\n\t", 0), (.json, "\n{", 2), (.json, "", 0),
            (.line(), "\r", 1),
            (.slip, "\u{0}", 1), (.cobs, "\u{0}\u{0}", 0), (.cobs, "\u{2}", 1), (.netstring, "0", 1),
        ] as [(Framing, String, Int)])
    func `what may stand between messages is nothing unfinished`(framing: Framing, rest: String, count: Int) {
        #expect(framing.unfinished([UInt8](rest).span) == count)
    }

    @Test func `an end of a packet may begin the next`() {
        #expect(Framing.slip.unfinished([0xC0].span) == 0)
        #expect(Framing.slip.unfinished([0xC0, 0x61].span) == 2)
    }
}
