import Framing
import Memory
import Testing

@testable import Exchange

/// The outbox's corners, one at a time.
struct OutboxTests {
    let sample = Sample(framing: .line(), limit: 1000)

    func outbox(size: Int = 4096, frames: Int = 64) throws -> Outbox {
        Outbox(memory: try MirroredMemory(size: size), maximumFrames: frames)
    }

    func inlet(limit: Int = 1000) -> Inlet { Inlet(framing: .line(), limit: limit) }

    @Test func `only whole messages go up`() throws {
        let outbox = try outbox()
        let inlet = inlet()
        #expect(try outbox.receive([UInt8]("on"), from: inlet) == 0)
        #expect(outbox.isEmpty)
        #expect(outbox.pending.isEmpty)
        #expect(inlet.partialCount == 2)
        #expect(try outbox.receive([UInt8]("e\ntwo\nth"), from: inlet) == 2)
        #expect(outbox.pending == [UInt8]("one\ntwo\n"))
        #expect(outbox.pendingFrames == 2)
        #expect(outbox.pendingBytes == 8)
        #expect(inlet.partialCount == 2)
    }

    @Test func `messages of two clients never interleave`() throws {
        let outbox = try outbox()
        let (a, b) = (inlet(), inlet())
        for (piece, sender) in [("a", a), ("b", b), ("A", a), ("B\nb", b), ("\naa", a), ("\n", b), ("\n", a)]
        {
            try outbox.receive([UInt8](piece), from: sender)
        }
        #expect(outbox.pending == [UInt8]("bB\naA\nb\naa\n"))
        #expect(a.storage.isEmpty && b.storage.isEmpty)
    }

    @Test func `what was sent is counted by whole messages`() throws {
        let outbox = try outbox()
        try outbox.receive([UInt8]("one\ntwo\nthree\n"), from: inlet())
        #expect(outbox.sent(0) == 0)
        #expect(outbox.sent(3) == 0)
        #expect(outbox.sent(1) == 1)
        #expect(outbox.sent(5) == 1)
        #expect(outbox.pending == [UInt8]("hree\n"))
        #expect(outbox.pendingFrames == 1)
        #expect(outbox.pendingBytes == 5)
        #expect(outbox.sent(5) == 1)
        #expect(outbox.isEmpty)
    }

    @Test func `what is left of a message that was sent in part can be sent by itself`() throws {
        let outbox = try outbox()
        func unfinished() -> [UInt8] { outbox.withUnfinished { [UInt8]($0) } }
        try outbox.receive([UInt8]("one\ntwo\nthree\n"), from: inlet())
        #expect(outbox.isBetweenFrames && unfinished().isEmpty)
        #expect(outbox.sent(5) == 1)
        #expect(!outbox.isBetweenFrames && unfinished() == [UInt8]("wo\n"))
        #expect(outbox.sent(3) == 1)
        #expect(outbox.isBetweenFrames && unfinished().isEmpty)
        #expect(outbox.pending == [UInt8]("three\n"))
    }

    @Test func `a message half sent when the connection was lost is sent again whole`() throws {
        let outbox = try outbox()
        try outbox.receive([UInt8]("one\ntwo\n"), from: inlet())
        #expect(outbox.sent(6) == 1)
        outbox.connectionLost()
        #expect(outbox.pending == [UInt8]("two\n"))
        #expect(outbox.pendingFrames == 1)
        outbox.connectionLost()
        #expect(outbox.sent(4) == 1)
        outbox.connectionLost()
        #expect(outbox.isEmpty)
    }

    @Test func `discarding forgets what is whole, and keeps what a client has begun`() throws {
        let outbox = try outbox()
        let inlet = inlet()
        try outbox.receive([UInt8]("one\ntwo\nth"), from: inlet)
        #expect(outbox.sent(5) == 1)
        outbox.connectionLost()
        #expect(outbox.discard() == (frames: 1, bytes: 4))
        #expect(outbox.discard() == (frames: 0, bytes: 0))
        #expect(outbox.isEmpty && outbox.pendingFrames == 0)
        try outbox.receive([UInt8]("ree\n"), from: inlet)
        #expect(outbox.pending == [UInt8]("three\n"))
    }

    @Test func `to discard a message that is half sent is a mistake`() async {
        await #expect(processExitsWith: .failure) {
            let outbox = Outbox(memory: try MirroredMemory(size: 4096), maximumFrames: 4)
            try outbox.receive([UInt8]("one\n"), from: Inlet(framing: .line(), limit: 10))
            _ = outbox.sent(1)
            _ = outbox.discard()
        }
    }

    @Test func `a full ring takes nothing until something was sent`() throws {
        let outbox = try outbox(frames: 4096)
        let inlet = inlet()
        let line = [UInt8](repeating: 0x61, count: 1000) + [0x0A]
        for _ in 0..<4 { try outbox.receive(line, from: inlet) }
        #expect(outbox.write(line, from: inlet) == 92)
        #expect(try outbox.received(92, from: inlet) == 0)
        #expect(outbox.write([0x61], from: inlet) == nil)
        #expect(outbox.write(line, from: self.inlet()) == 92, "for another client there is room")
        #expect(outbox.sent(1000) == 0)
        #expect(outbox.write([0x61], from: inlet) == nil, "half of a message is no room")
        #expect(outbox.sent(1) == 1)
        #expect(outbox.write(line, from: inlet) == 1001)
    }

    @Test func `a full index takes nothing until a message was sent`() throws {
        let outbox = try outbox(frames: 4)
        let inlet = inlet()
        #expect(outbox.write([UInt8]("\n\n\n\n\n"), from: inlet) == 4)
        #expect(try outbox.received(4, from: inlet) == 4)
        #expect(outbox.write([0x0A], from: inlet) == nil)
        #expect(outbox.sent(3) == 3)
        #expect(outbox.write([UInt8]("\n\n\n\n\n"), from: inlet) == 3)
    }

    @Test(arguments: [1, 7, 4095, 4096, 4097, 5000])
    func `a long message may come in pieces of any size`(piece: Int) throws {
        let outbox = try outbox(size: 32768, frames: 32768)
        let inlet = inlet(limit: 10_000)
        let long = (0..<10_000).map { UInt8(0x20 + $0 % 90) } + [0x0A]
        let stream = long + [UInt8]("short\n") + long
        var taken = 0
        for start in stride(from: 0, to: stream.count, by: piece) {
            var rest = stream[start..<min(start + piece, stream.count)]
            while !rest.isEmpty {
                let count = try #require(outbox.write(rest, from: inlet))
                taken += try outbox.received(count, from: inlet)
                rest = rest.dropFirst(count)
            }
        }
        #expect(taken == 3)
        #expect(outbox.pending == stream)
        #expect(inlet.storage.isEmpty)
    }

    @Test func `what a client has begun takes memory only while it is unfinished`() throws {
        let outbox = try outbox(size: 32768)
        let inlet = inlet(limit: 10_000)
        #expect(inlet.storage.isEmpty)
        try outbox.receive([0x61], from: inlet)
        #expect(inlet.storage.count == 1)
        for _ in 0..<300 { try outbox.receive([UInt8](repeating: 0x61, count: 30), from: inlet) }
        #expect(inlet.partialCount == 9001)
        #expect(9001...10_002 ~= inlet.storage.count)
        try outbox.receive([0x0A], from: inlet)
        #expect(inlet.storage.isEmpty)
    }

    /// What came before, and what comes in one piece; then how much of it was begun and is lost.
    @Test(arguments: [
        ("", "good\n0123456789A", 11), ("go", "od\n0123456789A", 11), ("0123456789", "A", 11),
        ("good\n01234", "56789A", 11), ("", "0123456789A\ngood\n", 17),
    ])
    func `too long a message is an error, after those before it were taken`(
        before: String, piece: String, lost: Int
    ) throws {
        let outbox = try outbox()
        let inlet = inlet(limit: 10)
        try outbox.receive([UInt8](before), from: inlet)
        #expect(throws: FramingError.tooLong(limit: 10)) {
            try outbox.receive([UInt8](piece), from: inlet)
        }
        let isGood = (before + piece).hasPrefix("good")
        #expect(outbox.pending == [UInt8](isGood ? "good\n" : ""))
        #expect(outbox.pendingFrames == (isGood ? 1 : 0))
        #expect(inlet.partialCount == lost)
        // Others go on.
        #expect(try outbox.receive([UInt8]("other\n"), from: self.inlet()) == 1)
        #expect(outbox.pending == [UInt8]((isGood ? "good\n" : "") + "other\n"))
    }

    @Test func `too long a message in a buffer of its own is an error too`() throws {
        let outbox = try outbox(size: 32768)
        let inlet = inlet(limit: 6000)
        try outbox.receive([UInt8](repeating: 0x61, count: 6000), from: inlet)
        try outbox.receive([UInt8]("\nb"), from: inlet, inPiecesOf: 1)
        #expect(outbox.pendingFrames == 1)
        try outbox.receive([UInt8](repeating: 0x61, count: 5998), from: inlet, inPiecesOf: 3000)
        #expect(throws: FramingError.tooLong(limit: 6000)) {
            try outbox.receive([0x61, 0x61], from: inlet, inPiecesOf: 1)
        }
        #expect(inlet.partialCount == 6001)
        #expect(outbox.pendingFrames == 1)
        #expect(outbox.pendingBytes == 6001)
    }
}
