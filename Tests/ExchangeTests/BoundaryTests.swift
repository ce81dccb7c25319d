import Framing
import TestSupport
import Testing

@testable import Exchange

/// Messages whose end is not in the bytes, and first messages that are not wanted, in the log.
struct BoundaryTests {
    private func log(
        _ framing: Framing = .untilClose(every: .seconds(1)), skipsOversize: Bool = false,
        discardsFirst: Bool = false, frames: Int = 4
    ) throws -> BroadcastLog {
        BroadcastLog(
            memory: try Sample(framing: framing, limit: 100).memory(), framing: framing, limit: 100,
            skipsOversize: skipsOversize, discardsFirst: discardsFirst, maximumFrames: frames)
    }

    @Test func `what was received is a message when that is told, nothing is none, and a loss forgets it`()
        throws
    {
        let log = try log()
        var cursor = log.newCursor()
        #expect(log.finish() == 0)
        for part in ["a mes", "sage"] { try log.receive([UInt8](part)) }
        #expect(log.readAll(&cursor).isEmpty)
        #expect(log.finish() == 1)
        #expect(log.connectionLost() == 0)
        try log.receive([UInt8]("torn"))
        #expect(log.connectionLost() == 4)
        try log.receive([UInt8]("next"))
        #expect(log.finish() == 1)
        #expect(log.readAll(&cursor) == [UInt8]("a messagenext"))
        #expect(log.messages == 2)
    }

    @Test func `while the index is full nothing more is received, so that a boundary always has its place`()
        throws
    {
        let log = try log()
        var cursor = log.newCursor()
        for _ in 0..<4 {
            try log.receive([0x61])
            #expect(log.finish() == 1)
        }
        try log.receive([0x62])
        #expect(log.hasUndecoded && log.space == 0 && !log.canResume)
        #expect(log.readAll(&cursor).count == 4)
        log.release(before: cursor.position)
        #expect(log.canResume)
        #expect(try log.resume() == 0)
        #expect(log.finish() == 1)
        #expect(log.readAll(&cursor) == [0x62])
    }

    @Test func `one that is too long is passed over up to the boundary`() throws {
        let log = try log(skipsOversize: true)
        var cursor = log.newCursor()
        for _ in 0..<100 {
            try log.receive([UInt8](repeating: 0x61, count: 90))
            #expect(log.kept <= 180)
            log.release(before: log.head)
        }
        #expect(log.finish() == 0)
        try log.receive([UInt8]("next"))
        #expect(log.finish() == 1)
        #expect(log.readAll(&cursor) == [UInt8]("next"))
        #expect(log.oversize.messages == 1 && log.oversize.bytes == 9000)
    }

    @Test(arguments: [Framing.line(), .netstring])
    func `the first of each connection is passed over and counted, if it is not wanted`(framing: Framing)
        throws
    {
        let log = try log(framing, discardsFirst: true, frames: 64)
        var cursor = log.newCursor()
        var frames: [[UInt8]] = []
        for text in ["first", "second", "third"] {
            var frame: [UInt8] = []
            try framing.encode([UInt8](text), into: &frame)
            frames.append(frame)
        }
        for _ in 0..<3 {
            for frame in frames { try log.receive(frame) }
            #expect(log.readAll(&cursor) == frames[1] + frames[2])
            #expect(log.connectionLost() == 0)
        }
        #expect(log.first.messages == 3 && log.first.bytes == UInt64(3 * frames[0].count))
        #expect(log.messages == 6)
    }
}
