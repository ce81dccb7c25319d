import Framing
import TestSupport
import Testing

@testable import Exchange

/// Answers to a heartbeat among what is received.
@Suite struct AnswerTests {
    private func log(_ framing: Framing = .line(), hides: Bool, skipsOversize: Bool = false) throws
        -> BroadcastLog
    {
        let answers = Answers(beginning: [UInt8]("# pong"), areHidden: hides)
        return BroadcastLog(
            memory: try Sample(framing: framing, limit: 100).memory(), framing: framing, limit: 100,
            skipsOversize: skipsOversize, answers: answers, maximumFrames: 16)
    }

    @Test(arguments: [false, true])
    func `messages that begin so are counted, however they are cut, and hidden if asked`(hides: Bool) throws {
        let stream = [UInt8]("a\n# pong 1\nb\n# pon\n# pong\n\n# pong2\nc # pong\n")
        for cut in 0...stream.count {
            let log = try log(hides: hides)
            var cursor = log.newCursor()
            try log.receive(Array(stream[..<cut]))
            var bytes = log.readAll(&cursor)
            try log.receive(Array(stream[cut...]))
            bytes += log.readAll(&cursor)
            #expect(bytes == (hides ? [UInt8]("a\nb\n# pon\n\nc # pong\n") : stream), "cut at \(cut)")
            #expect(log.answerCount == 3)
            #expect(log.messages == 8)
            #expect(log.unsent(at: cursor, for: .everyone) == (0, 0))
        }
    }

    @Test func `it is the payload that is looked at`() throws {
        let log = try log(.length(LengthField(width: .one)), hides: true)
        var cursor = log.newCursor()
        try log.receive([6] + [UInt8]("# pong") + [2] + [UInt8]("ok"))
        #expect(log.answerCount == 1)
        #expect(log.readAll(&cursor) == [2] + [UInt8]("ok"))
    }

    @Test(arguments: [Framing.slip, .cobs])
    func `it is the payload, not how it is spelt, however many messages there are`(framing: Framing) throws {
        let log = BroadcastLog(
            memory: try Sample(framing: framing, limit: 100).memory(), framing: framing, limit: 100,
            answers: Answers(beginning: [0x00, 0xC0, 0xDB], areHidden: true), maximumFrames: 64)
        var cursor = log.newCursor()
        let payloads: [[UInt8]] = [
            [0x00, 0xC0, 0xDB], [0x00, 0xC0], [0x00, 0xC0, 0xDB, 0x00, 0x01], [0x00, 0xC0, 0xDC, 0x02],
            [0x00, 0xC0, 0xDB] + [UInt8](repeating: 0xC0, count: 90),
        ]
        var kept: [UInt8] = []
        for payload in payloads {
            var frame: [UInt8] = []
            try framing.encode(payload, into: &frame)
            try log.receive(frame)
            if !payload.starts(with: [0x00, 0xC0, 0xDB]) { kept += frame }
        }
        #expect(log.answerCount == 3)
        #expect(log.readAll(&cursor) == kept)
    }

    @Test func `of Beast as well, with doubled escapes`() throws {
        let log = BroadcastLog(
            memory: try Sample(framing: .beast, limit: 100).memory(), framing: .beast, limit: 100,
            answers: Answers(beginning: [0x31, 0x1A, 0x1A], areHidden: false), maximumFrames: 64)
        for byte in [UInt8(0x1A), 0x1B] {
            var frame: [UInt8] = []
            try Framing.beast.encode([0x31, 0x1A, byte] + [UInt8](repeating: 0x1A, count: 7), into: &frame)
            try log.receive(frame)
        }
        #expect(log.answerCount == 1)
    }

    @Test func `a message that only its boundary ends can be one`() throws {
        let log = try log(.idle(gap: .seconds(1)), hides: true)
        var cursor = log.newCursor()
        for part in ["# po", "ng"] { try log.receive([UInt8](part)) }
        #expect(log.answerCount == 0)
        #expect(log.finish() == 1)
        #expect(log.answerCount == 1)
        try log.receive([UInt8]("news"))
        #expect(log.finish() == 1)
        #expect(log.readAll(&cursor) == [UInt8]("news"))
    }

    @Test func `what is passed over is no answer, and what comes after it is found`() throws {
        let log = try log(hides: true, skipsOversize: true)
        var cursor = log.newCursor()
        let long = [UInt8]("# pong") + [UInt8](repeating: 0x61, count: 200)
        for part in [[UInt8]("a\n# pong\n"), long, [UInt8]("b\n# pong\n"), [UInt8]("c\n")] {
            try log.receive(part)
        }
        #expect(log.answerCount == 2)
        #expect(log.readAll(&cursor) == [UInt8]("a\nc\n"))
        #expect(log.oversize.messages == 1)
    }

    @Test func `when the index is full they are found later`() throws {
        let log = try log(hides: true)
        var cursor = log.newCursor()
        try log.receive([UInt8](String(repeating: "# pong\na\n", count: 20)))
        var bytes: [UInt8] = []
        while true {
            bytes += log.readAll(&cursor)
            log.release(before: cursor.position)
            guard log.canResume else { break }
            _ = try log.resume()
        }
        #expect(log.answerCount == 20)
        #expect(bytes == [UInt8](String(repeating: "a\n", count: 20)))
    }
}
