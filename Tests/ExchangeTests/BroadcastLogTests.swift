import Exchange
import Framing
import Memory
import Testing

/// The log's corners, one at a time.
struct BroadcastLogTests {
    func lines(frames: Int = 16, limit: Int = 100) throws -> BroadcastLog {
        try Sample(framing: .line(), limit: limit, frames: frames).log()
    }

    @Test func `a message is visible once it is whole`() throws {
        let log = try lines()
        var cursor = log.newCursor()
        #expect(try log.receive([UInt8]("on")) == 0)
        #expect(log.withRun(at: &cursor, for: .everyone) { _ in } == nil)
        #expect(log.space == 4094)
        #expect(try log.receive([UInt8]("e\ntwo\nth")) == 2)
        #expect(log.head == 8)
        #expect(log.readAll(&cursor) == [UInt8]("one\ntwo\n"))
        #expect(log.withRun(at: &cursor, for: .everyone) { _ in } == nil)
    }

    @Test func `a new cursor stands at the head`() throws {
        let log = try lines()
        try log.receive([UInt8]("one\nha"))
        var cursor = log.newCursor()
        try log.receive([UInt8]("lf\n"))
        #expect(log.readAll(&cursor) == [UInt8]("half\n"))
    }

    @Test func `a reader that skips to the head is given the rest of the message that it has begun`() throws {
        let log = try lines()
        try log.receive([UInt8]("one\ntwo\n"))
        var (behind, atStart, atHead) = (log.newCursor(), log.newCursor(), log.newCursor())
        try log.receive([UInt8]("three\nfour\nfi"))
        log.advance(&behind, by: 2)
        var skipped = log.skipToHead(&behind, for: .everyone)
        #expect(skipped.rest == [UInt8]("ree\n"))
        #expect((skipped.messages, skipped.bytes) == (1, 5))
        skipped = log.skipToHead(&atStart, for: .everyone)
        #expect(skipped.rest == [])
        #expect((skipped.messages, skipped.bytes) == (2, 11))
        _ = log.readAll(&atHead)
        skipped = log.skipToHead(&atHead, for: .everyone)
        #expect(skipped.rest == [])
        #expect((skipped.messages, skipped.bytes) == (0, 0))
        try log.receive([UInt8]("ve\n"))
        #expect(log.readAll(&behind) == [UInt8]("five\n"))
    }

    @Test func `what a lost connection left unfinished is never continued`() throws {
        let log = try lines()
        var cursor = log.newCursor()
        try log.receive([UInt8]("one\nha"))
        #expect(log.connectionLost() == 2)
        #expect(log.space == 4092)
        #expect(try log.receive([UInt8]("two\n")) == 1)
        #expect(log.readAll(&cursor) == [UInt8]("one\ntwo\n"))
        #expect(log.connectionLost() == 0)
    }

    @Test func `messages before a fault become visible`() throws {
        let log = try lines(limit: 10)
        var cursor = log.newCursor()
        #expect(throws: FramingError.tooLong(limit: 10)) {
            try log.receive([UInt8]("one\ntwo\n123456789012\nthree\n"))
        }
        #expect(log.readAll(&cursor) == [UInt8]("one\ntwo\n"))
        #expect(!log.hasUndecoded)
        #expect(log.connectionLost() == 19)
        #expect(try log.receive([UInt8]("three\n")) == 1)
        #expect(log.readAll(&cursor) == [UInt8]("three\n"))
        // Counted, although the call has thrown.
        #expect(log.messages == 3)
    }

    @Test func `a message many times as long as the ring is passed over, and the next is read`() throws {
        let log = BroadcastLog(
            memory: try MirroredMemory(size: 4096), framing: .line(), limit: 10, skipsOversize: true,
            maximumFrames: 4)
        var cursor = log.newCursor()
        try log.receive([UInt8]("one\n"))
        for _ in 0..<100 {
            let count = log.write([UInt8](repeating: 0x61, count: 1000)[...])
            #expect(count == 1000)
            _ = try log.received(count)
            #expect(log.readAll(&cursor).allSatisfy { $0 != 0x61 })
            #expect(cursor.position == log.head)
            log.release(before: cursor.position)
            if log.canResume { _ = try log.resume() }
        }
        try log.receive([UInt8]("a\ntwo\n"))
        #expect(log.readAll(&cursor) == [UInt8]("two\n"))
        #expect((log.oversize.messages, log.oversize.bytes) == (1, 100_002))
        #expect(log.messages == 2)
    }

    @Test func `a loss ends what is being passed over`() throws {
        let log = BroadcastLog(
            memory: try MirroredMemory(size: 4096), framing: .line(), limit: 10, skipsOversize: true,
            maximumFrames: 4)
        var cursor = log.newCursor()
        try log.receive([UInt8](repeating: 0x61, count: 100))
        #expect(log.connectionLost() == 0)
        try log.receive([UInt8]("new\n"))
        #expect(log.readAll(&cursor) == [UInt8]("new\n"))
        #expect((log.oversize.messages, log.oversize.bytes) == (1, 100))
    }

    @Test func `a full index holds messages back until there is room`() throws {
        let log = try lines(frames: 8)
        var cursor = log.newCursor()
        let stream = (0..<20).map { "\($0)\n" }
        #expect(try log.receive([UInt8](stream.joined())) == 8)
        #expect(log.hasUndecoded)
        #expect(log.space == 0)
        #expect(!log.canResume)
        #expect(log.isMoreThanHalfBehind(cursor))
        #expect(log.withFreeSpace(atMost: 10) { $0.count } == 0)

        // Half of the oldest message is not room.
        log.advance(&cursor, by: 1)
        log.release(before: cursor.position)
        #expect(!log.canResume)
        log.advance(&cursor, by: 1)
        #expect(!log.canResume, "not released yet")
        log.release(before: cursor.position)
        #expect(log.canResume)
        #expect(try log.resume() == 1)
        #expect(log.hasUndecoded)

        #expect(log.readAll(&cursor) == [UInt8](stream[1..<9].joined()))
        log.release(before: cursor.position)
        #expect(try log.resume() == 8)
        #expect(log.readAll(&cursor) == [UInt8](stream[9..<17].joined()))
        log.release(before: cursor.position)
        #expect(try log.resume() == 3)
        #expect(!log.hasUndecoded && !log.canResume)
        #expect(log.readAll(&cursor) == [UInt8](stream[17...].joined()))
        #expect(log.space == 4096 - Int(log.head - log.tail))
    }

    @Test func `a fault behind a full index is found when its turn comes`() throws {
        let log = try lines(frames: 2, limit: 4)
        var cursor = log.newCursor()
        #expect(try log.receive([UInt8]("a\nb\nc\nmuch too long\n")) == 2)
        #expect(log.readAll(&cursor) == [UInt8]("a\nb\n"))
        log.release(before: cursor.position)
        #expect(throws: FramingError.tooLong(limit: 4)) { try log.resume() }
        #expect(log.readAll(&cursor) == [UInt8]("c\n"))
        #expect(!log.hasUndecoded)
        #expect(log.connectionLost() == 14)
    }

    @Test func `an index of one entry serves one message after the other`() throws {
        let log = try lines(frames: 1)
        var cursor = log.newCursor()
        #expect(try log.receive([UInt8]("a\nb\n")) == 1)
        #expect(log.readAll(&cursor) == [UInt8]("a\n"))
        log.release(before: cursor.position)
        #expect(try log.resume() == 1)
        #expect(log.readAll(&cursor) == [UInt8]("b\n"))
    }

    @Test func `behind is counted in bytes`() throws {
        let log = try Sample(framing: .fixed(size: 1), limit: 1, frames: 8192).log()
        let cursor = log.newCursor()
        try log.receive([UInt8](repeating: 0, count: 2048))
        #expect(!log.isMoreThanHalfBehind(cursor))
        try log.receive([0])
        #expect(log.isMoreThanHalfBehind(cursor))
        #expect(!log.isMoreThanHalfBehind(log.newCursor()))
    }

    @Test func `behind is counted in messages`() throws {
        let log = try Sample(framing: .fixed(size: 2), limit: 2, frames: 8).log()
        var cursor = log.newCursor()
        try log.receive([UInt8](repeating: 0, count: 8))
        #expect(!log.isMoreThanHalfBehind(cursor))
        try log.receive([0, 0])
        #expect(log.isMoreThanHalfBehind(cursor))
        log.advance(&cursor, by: 1)
        #expect(log.isMoreThanHalfBehind(cursor), "half a message is still a message")
        log.advance(&cursor, by: 1)
        #expect(!log.isMoreThanHalfBehind(cursor))
    }

    @Test(arguments: [
        Framing.line(), .delimiter(end: [0]), .delimiter(end: Array(0x01...0x10)),
        .length(LengthField(width: .four)), .length(LengthField(width: .eight)),
    ])
    func `who holds a full ring up is more than half behind, however long the next message`(
        framing: Framing
    ) throws {
        let log = try Sample(framing: framing, limit: 2048).log()
        let cursor = log.newCursor()
        func frame(_ count: Int) throws -> [UInt8] {
            var frame: [UInt8] = []
            try framing.encode([UInt8](repeating: 0x61, count: count), into: &frame)
            return frame
        }
        // The longest message there can be, all but its last byte, and whole messages that leave just room for it.
        let unfinished =
            try framing == .line() ? frame(2048).dropLast() + [0x0D] : Array(frame(2048).dropLast())
        let overhead = try frame(0).count
        let rest = log.space - unfinished.count - 2 * overhead
        try log.receive(frame(100))
        try log.receive(frame(rest - 100))
        #expect(!log.isMoreThanHalfBehind(log.newCursor()))
        #expect(try log.receive(unfinished) == 0)
        #expect(log.space == 0)
        #expect(log.isMoreThanHalfBehind(cursor))
        #expect(!log.isMoreThanHalfBehind(log.newCursor()))
    }

    @Test func `a message longer than half of the ring is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            let memory = try MirroredMemory(size: 4096)
            _ = BroadcastLog(memory: memory, framing: .line(), limit: 2049, maximumFrames: 8)
        }
    }
}
