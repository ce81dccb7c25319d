import Framing
import Memory
import TestSupport
import Testing

@testable import Exchange

/// One log's messages in another framing.
struct TranslatedLogTests {
    /// One of each kind that divides messages by their bytes, and can hold any text without ends of lines.
    static let framings: [Framing] = [
        .line(), .line(ending: .crlf), .line(escapes: true), .delimiter(end: [0x0D, 0x0A]),
        .delimiter(end: [0]),
        .length(LengthField(width: .two)), .length(LengthField(width: .four, order: .little)),
        .varint(VarintField()), .netstring, .octetCounted, .header, .block(start: [0x0B], end: [0x1C, 0x0D]),
        .slip, .cobs,
    ]

    /// A third of them, which is another one for each: so all kinds are met with, from and to.
    static func targets(of framing: Framing) -> [Framing] {
        let number = framings.firstIndex(of: framing) ?? 0
        return framings.indices.filter { ($0 + number).isMultiple(of: 3) }.map { framings[$0] }
    }

    /// A log, its translation, and one who reads that.
    struct Scene {
        let from: Framing
        let to: Framing
        let source: BroadcastLog
        let log: TranslatedLog
        var cursor: Cursor

        init(_ from: Framing, _ to: Framing, size: Int = 4096, limit: Int = 300, frames: Int = 16) throws {
            (self.from, self.to) = (from, to)
            source = BroadcastLog(
                memory: try MirroredMemory(size: size), framing: from, limit: limit, skipsOversize: true,
                maximumFrames: frames)
            log = TranslatedLog(
                of: source, in: from, memory: try MirroredMemory(size: size), framing: to, limit: limit,
                maximumFrames: frames)
            cursor = log.newCursor()
        }

        /// What the reader takes, at most so many bytes.
        mutating func read(atMost limit: Int = .max) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < limit, let run = log.withRun(at: &cursor, for: .everyone, { [UInt8]($0) }) {
                let taken = run.prefix(limit - bytes.count)
                bytes += taken
                log.advance(&cursor, by: taken.count)
            }
            release()
            return bytes
        }

        func release() {
            log.release(before: cursor.position)
            source.release(before: log.place.position)
        }

        /// As the bridge goes on, as long as anything is possible.
        mutating func go(_ stream: inout ArraySlice<UInt8>, atMost piece: Int) throws {
            if source.canResume { _ = try source.resume() }
            let count = source.write(stream.prefix(piece))
            stream = stream.dropFirst(count)
            if count > 0 { _ = try source.received(count) }
            log.translate(atMost: 100)
        }
    }

    private static func frames(_ payloads: [[UInt8]], in framing: Framing) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for payload in payloads { try framing.encode(payload, into: &bytes) }
        return bytes
    }

    @Test(arguments: framings)
    func `framings become others, however the stream is cut and however slowly it is read`(from: Framing)
        throws
    {
        for (number, to) in Self.targets(of: from).enumerated() {
            let seed = UInt64.random(in: 0 ... .max)
            var random = Seeded(seed)
            let payloads = (0..<60).map { _ in
                let count = Int.random(
                    in: 1...(Int.random(in: 0..<5, using: &random) == 0 ? 300 : 20), using: &random)
                return (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
            }
            var scene = try Scene(
                from, to, size: from == .header || to == .header ? 16384 : 4096,
                frames: number.isMultiple(of: 2) ? 2 : 64)
            var stream = try Self.frames(payloads, in: from)[...]
            let due = try Self.frames(payloads, in: to)
            var read: [UInt8] = []
            var rounds = 0
            while read.count < due.count, rounds < 20_000 {
                try scene.go(&stream, atMost: Int.random(in: 1...400, using: &random))
                if Int.random(in: 0..<3, using: &random) == 0 {
                    read += scene.read(atMost: Int.random(in: 1...200, using: &random))
                }
                rounds += 1
            }
            let isAllThere = read == due
            #expect(isAllThere, "\(from) to \(to), seed \(seed)")
            #expect(scene.log.takeLosses().isEmpty)
        }
    }

    @Test func `a message that cannot be carried is passed over and counted, and those around it are not`()
        throws
    {
        var scene = try Scene(.length(LengthField(width: .two)), .line())
        var stream = try Self.frames(["one", "t\nw", "o\r", "", "three"].map([UInt8].init), in: scene.from)[
            ...]
        try scene.go(&stream, atMost: .max)
        #expect(scene.read() == [UInt8]("one\n\nthree\n"))
        let losses = scene.log.takeLosses().amounts
        #expect(losses.mapValues(\.messages) == [.holdsDelimiter: 1, .endsInCarriageReturn: 1])
        #expect(losses[.holdsDelimiter]?.bytes == 3)
        #expect(scene.log.takeLosses().isEmpty)
        #expect(scene.log.isUpToDate)
    }

    @Test func `what the upstream's framing passes over is in no translation`() throws {
        var scene = try Scene(.line(), .netstring, limit: 10)
        var stream = [UInt8]("a\n\(String(repeating: "x", count: 3000))\nb\n")[...]
        while !stream.isEmpty {
            try scene.go(&stream, atMost: 1000)
            scene.release()
        }
        #expect(scene.read() == [UInt8]("1:a,1:b,"))
    }

    @Test func `without room nothing is translated, and the source is kept`() throws {
        var scene = try Scene(.line(), .slip, limit: 300, frames: 1024)
        let payload = [UInt8](repeating: 0x61, count: 300)
        var stream = try Self.frames(Array(repeating: payload, count: 30), in: .line())[...]
        for _ in 0..<100 {
            try scene.go(&stream, atMost: 400)
            scene.release()
        }
        #expect(!scene.log.canGoOn)
        #expect(!scene.log.isUpToDate)
        #expect(scene.log.isMoreThanHalfBehind(scene.cursor))
        #expect(scene.log.untranslated.messages == 13)
        #expect(scene.read(atMost: 100).count == 100)
        #expect(!scene.log.canGoOn, "a slip frame may be twice as long as its payload")
        #expect(scene.read(atMost: 202).count == 202)
        #expect(scene.log.canGoOn)
    }

    @Test func `what is passed over needs no room`() throws {
        var scene = try Scene(.line(), .netstring, limit: 10, frames: 2)
        var stream = [UInt8]("a\nb\n")[...]
        try scene.go(&stream, atMost: .max)
        scene.release()
        stream = [UInt8]("too long a line\n")[...]
        try scene.go(&stream, atMost: .max)
        scene.release()
        #expect(scene.log.isUpToDate)
        #expect(!scene.log.canGoOn)
        #expect(scene.read() == [UInt8]("1:a,1:b,"))
    }

    @Test func `what was received before anybody read is not wanted`() throws {
        var scene = try Scene(.line(), .netstring)
        var stream = [UInt8]("old\n")[...]
        _ = try scene.source.received(scene.source.write(stream))
        scene.log.skipSource()
        stream = [UInt8]("new\n")[...]
        try scene.go(&stream, atMost: .max)
        #expect(scene.read() == [UInt8]("3:new,"))
    }

    @Test
    func `a line with escapes is what it was, and a longer payload than a message may have is too long`()
        throws
    {
        let framing = Framing.line(escapes: true)
        let payload = [UInt8]("\n\r\\n\\")
        let line = try Self.frames([payload], in: framing)
        #expect(line == [UInt8]("\\n\\r\\\\n\\\\\n"))
        var scene = try Scene(framing, .netstring, limit: payload.count)
        var stream = (line + [UInt8]("a\\bc\\\n"))[...]
        try scene.go(&stream, atMost: .max)
        #expect(scene.read() == [UInt8]("5:\n\r\\n\\,5:a\\bc\\,"))
        stream = [UInt8]("123456\n\\n\\n\\n\\n\\n\\n\n\\\\\n")[...]
        try scene.go(&stream, atMost: .max)
        #expect(scene.read() == [UInt8]("1:\\,"))
        #expect(scene.source.oversize.messages == 2)
    }
}
