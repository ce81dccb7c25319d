import Framing
import Memory
import Testing

@testable import Exchange

/// The log beside a model that keeps every message as an array.
private struct LogModel {
    let framing: Framing
    let log: BroadcastLog
    var random: Seeded
    /// What the upstream still sends on this connection.
    var stream: [UInt8] = []
    /// Ends of the frames in `stream`, counted from its start.
    var ends: [Int] = []
    var given = 0
    /// Every byte that a reader must see, from the first position on.
    var visible: [UInt8] = []
    var readers: [(cursor: Cursor, start: Int, received: [UInt8])] = []

    init(_ framing: Framing, size: Int, frames: Int, seed: UInt64) throws {
        self.framing = framing
        random = Seeded(seed)
        log = BroadcastLog(
            memory: try MirroredMemory(size: size), framing: framing, limit: size / 2, maximumFrames: frames)
    }

    mutating func connect() {
        stream = []
        ends = []
        given = 0
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            stream += framing.frame(longest: random.next() % 8 == 0 ? 1000 : 20, using: &random)
            ends.append(stream.count)
        }
        // What is left unfinished.
        stream += framing.frame(longest: 20, using: &random).dropLast()
    }

    mutating func receive() throws {
        if log.canResume { _ = try log.resume() }
        let count = min(log.space, stream.count - given, Int.random(in: 1...700, using: &random))
        guard count > 0 else { return }
        let bytes = stream[given..<given + count]
        log.withFreeSpace(atMost: count) { fill(&$0, with: bytes) }
        _ = try log.received(count)
        given += count
    }

    /// Whole frames of what was given are visible, or wait for room in the index.
    mutating func checkHead() {
        let whole = ends.last { $0 <= given } ?? 0
        let shown = Int(log.head) - visible.count
        if log.hasUndecoded {
            #expect(shown <= whole && (shown == 0 || ends.contains(shown)))
            #expect(log.space == 0)
        } else {
            #expect(shown == whole)
        }
    }

    mutating func lose() throws {
        while log.hasUndecoded {
            for i in readers.indices { read(i, atMost: .max) }
            release()
            _ = try log.resume()
        }
        let whole = ends.last { $0 <= given } ?? 0
        #expect(log.connectionLost() == given - whole)
        visible += stream[..<whole]
        #expect(Int(log.head) == visible.count)
        connect()
    }

    mutating func read(_ i: Int, atMost limit: Int) {
        var cursor = readers[i].cursor
        let taken = log.withRun(at: &cursor, for: .everyone) { Array([UInt8]($0).prefix(limit)) }
        guard let taken else { return }
        log.advance(&cursor, by: taken.count)
        readers[i].cursor = cursor
        readers[i].received += taken
    }

    mutating func join() { readers.append((log.newCursor(), Int(log.head), [])) }

    mutating func release() { log.release(before: readers.map(\.cursor.position).min() ?? log.head) }
}

@Suite struct BroadcastLogTests {
    @Test(arguments: Framing.all, [4, 16, 256])
    func `every reader gets exactly the whole messages, however they are cut`(framing: Framing, frames: Int)
        throws
    {
        for seed in UInt64(0)..<5 {
            var model = try LogModel(framing, size: 4096, frames: frames, seed: seed)
            model.connect()
            model.join()
            for _ in 0..<600 {
                switch Int.random(in: 0..<20, using: &model.random) {
                case 0: try model.lose()
                case 1 where model.readers.count < 5: model.join()
                case 2..<10: try model.receive()
                case 10..<18:
                    let reader = Int.random(in: 0..<model.readers.count, using: &model.random)
                    model.read(reader, atMost: Int.random(in: 1...900, using: &model.random))
                default: model.release()
                }
                if !model.log.canResume { model.checkHead() }
            }
            try model.lose()
            for i in model.readers.indices {
                model.read(i, atMost: .max)
                let expected = Array(model.visible[model.readers[i].start...])
                #expect(model.readers[i].received == expected, "seed \(seed), reader \(i)")
            }
        }
    }

    private static func log(_ framing: Framing, size: Int = 4096, limit: Int = 2048, frames: Int = 64) throws
        -> BroadcastLog
    {
        BroadcastLog(
            memory: try MirroredMemory(size: size), framing: framing, limit: limit, maximumFrames: frames)
    }

    private static func receive(_ log: BroadcastLog, _ text: String) throws -> Int {
        log.withFreeSpace(atMost: text.utf8.count) { fill(&$0, with: text.utf8) }
        return try log.received(text.utf8.count)
    }

    private static func take(_ log: BroadcastLog, _ cursor: inout Cursor, for reader: Recipient = .everyone)
        -> String
    {
        let run = log.withRun(at: &cursor, for: reader) { [UInt8]($0) } ?? []
        log.advance(&cursor, by: run.count)
        return String(decoding: run, as: UTF8.self)
    }

    @Test func `what is incomplete is invisible, and forgotten with its connection`() throws {
        let log = try Self.log(.line)
        var cursor = log.newCursor()
        #expect(try Self.receive(log, "one\ntw") == 1)
        #expect(Self.take(log, &cursor) == "one\n")
        #expect(log.connectionLost() == 2)
        #expect(try Self.receive(log, "three\n") == 1)
        #expect(Self.take(log, &cursor) == "three\n")
        #expect(Self.take(log, &cursor) == "")
    }

    @Test func `messages before a fault are visible`() throws {
        let log = try Self.log(.line, limit: 4)
        var cursor = log.newCursor()
        #expect(throws: FramingError.tooLong(limit: 4)) { try Self.receive(log, "ab\ncd\nabcdefg") }
        #expect(Self.take(log, &cursor) == "ab\ncd\n")
        #expect(log.connectionLost() == 7)
        #expect(try Self.receive(log, "ef\n") == 1)
    }

    @Test func `a full ring has no space until the slowest reader has read`() throws {
        let log = try Self.log(.fixed(size: 1024))
        var slow = log.newCursor()
        for _ in 0..<4 { #expect(try Self.receive(log, String(repeating: "x", count: 1024)) == 1) }
        #expect(log.space == 0)
        #expect(Self.take(log, &slow).utf8.count == 4096)
        log.release(before: slow.position)
        #expect(log.space == 4096)
    }

    @Test func `a full index pauses as a full ring does, and what was received is decoded later`() throws {
        let log = try Self.log(.line, frames: 4)
        var cursor = log.newCursor()
        #expect(try Self.receive(log, "a\nb\nc\nd\ne\nf\n") == 4)
        #expect(log.space == 0)
        #expect(!log.canResume)
        #expect(Self.take(log, &cursor) == "a\nb\nc\nd\n")
        log.release(before: 8)
        #expect(log.canResume)
        #expect(try log.resume() == 2)
        #expect(Self.take(log, &cursor) == "e\nf\n")
        #expect(!log.hasUndecoded)
        #expect(log.space > 0)
    }

    @Test func `half behind is measured in bytes and in messages`() throws {
        let log = try Self.log(.line, limit: 2046, frames: 8)
        let cursor = log.newCursor()
        #expect(try Self.receive(log, String(repeating: "x", count: 2046) + "\n\n") == 2)
        #expect(!log.isMoreThanHalfBehind(cursor))
        #expect(try Self.receive(log, "\n") == 1)
        #expect(log.isMoreThanHalfBehind(cursor))
        let other = log.newCursor()
        #expect(try Self.receive(log, "\n\n\n\n") == 4)
        #expect(!log.isMoreThanHalfBehind(other))
        #expect(try Self.receive(log, "\n") == 1)
        #expect(log.isMoreThanHalfBehind(other))
    }

    @Test func `whoever holds a full ring up is more than half behind, however large the unfinished frame`()
        throws
    {
        let framing = Framing.length(LengthField(width: .eight))
        let log = try Self.log(framing, size: 65536, limit: 32768)
        let cursor = log.newCursor()
        for _ in 0..<8 {
            let frame = [0, 0, 0, 0, 0, 0, 0x0F, 0xF8] + [UInt8](repeating: 0, count: 4088)
            log.withFreeSpace(atMost: frame.count) { fill(&$0, with: frame) }
            #expect(try log.received(frame.count) == 1)
        }
        let part = [0, 0, 0, 0, 0, 0, 0x80, 0] + [UInt8](repeating: 0, count: 32760)
        log.withFreeSpace(atMost: part.count) { fill(&$0, with: part) }
        #expect(try log.received(part.count) == 0)
        #expect(log.space == 0)
        #expect(log.isMoreThanHalfBehind(cursor))
    }

    @Test func `messages before a fault are counted`() throws {
        let log = try Self.log(.line, limit: 4)
        #expect(throws: FramingError.tooLong(limit: 4)) { try Self.receive(log, "a\nb\nc\nabcdefg") }
        #expect(log.messages == 3)
    }
}
