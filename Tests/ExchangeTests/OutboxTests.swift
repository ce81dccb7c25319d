import Framing
import Memory
import Testing

@testable import Exchange

/// Clients with an outbox, beside a model that keeps every frame as an array.
private struct OutboxModel {
    let outbox: Outbox
    let framing: Framing
    var random: Seeded
    var inlets: [Inlet]
    /// What each client still sends, and the frames of it that are not complete yet.
    var streams: [[UInt8]]
    var frames: [[[UInt8]]]
    var consumed: [Int]
    /// Frames in the outbox, in order.
    var waiting: [[UInt8]] = []
    /// Bytes of the first waiting frame that were sent on this connection.
    var sentOfFirst = 0
    /// What the upstream received on this connection, and what it should have.
    var received: [UInt8] = []
    var expected: [UInt8] = []

    init(_ framing: Framing, size: Int, longest: Int, clients: Int, seed: UInt64) throws {
        self.framing = framing
        random = Seeded(seed)
        outbox = Outbox(memory: try MirroredMemory(size: size), maximumFrames: 64)
        inlets = (0..<clients).map { _ in Inlet(framing: framing, limit: longest) }
        streams = []
        frames = []
        consumed = Array(repeating: 0, count: clients)
        for _ in 0..<clients {
            let own = (0..<40).map { _ in
                framing.frame(longest: random.next() % 6 == 0 ? longest : 12, using: &random)
            }
            frames.append(own)
            streams.append(own.flatMap { $0 })
        }
    }

    mutating func clientSends(_ i: Int, atMost limit: Int) throws {
        let piece = streams[i].prefix(limit)
        guard !piece.isEmpty else { return }
        var count = 0
        let moved: Void? = outbox.withFreeSpace(for: inlets[i], atMost: piece.count) { span in
            count = span.count
            fill(&span, with: piece.prefix(count))
        }
        guard moved != nil else { return }
        #expect(count > 0)
        let whole = try outbox.received(count, from: inlets[i])
        streams[i].removeFirst(count)
        consumed[i] += count
        for _ in 0..<whole {
            let frame = frames[i].removeFirst()
            consumed[i] -= frame.count
            waiting.append(frame)
        }
        #expect(consumed[i] >= 0 && (frames[i].isEmpty || consumed[i] < frames[i][0].count))
        #expect(inlets[i].partialCount == consumed[i])
    }

    mutating func upstreamTakes(atMost limit: Int) {
        let bytes = outbox.withPending { Array([UInt8]($0).prefix(limit)) }
        received += bytes
        var taken = sentOfFirst + bytes.count
        var whole = 0
        while let first = waiting.first, first.count <= taken {
            taken -= first.count
            expected += waiting.removeFirst()
            whole += 1
        }
        sentOfFirst = taken
        #expect(outbox.sent(bytes.count) == whole)
        #expect(received == expected + (waiting.first?.prefix(sentOfFirst) ?? []))
        #expect(outbox.pendingFrames == waiting.count)
    }

    mutating func lose() {
        outbox.connectionLost()
        sentOfFirst = 0
        received = []
        expected = []
        #expect(outbox.pendingBytes == waiting.map(\.count).reduce(0, +))
    }

    mutating func discard() {
        lose()
        let (count, bytes) = outbox.discard()
        #expect(count == waiting.count && bytes == waiting.map(\.count).reduce(0, +))
        waiting = []
        #expect(outbox.isEmpty)
    }
}

@Suite struct OutboxTests {
    @Test(arguments: Framing.all, [60, 7000])
    func `the upstream gets exactly the whole frames, whatever happens`(framing: Framing, longest: Int) throws
    {
        for seed in UInt64(0)..<3 {
            var model = try OutboxModel(
                framing, size: longest > 2048 ? 16384 : 4096, longest: longest, clients: 4, seed: seed)
            for _ in 0..<1500 {
                let client = Int.random(in: 0..<4, using: &model.random)
                switch Int.random(in: 0..<100, using: &model.random) {
                case 0: model.lose()
                case 1: model.discard()
                case 2..<60:
                    let most = model.random.next() % 4 == 0 ? 5000 : 30
                    try model.clientSends(client, atMost: Int.random(in: 1...most, using: &model.random))
                default: model.upstreamTakes(atMost: Int.random(in: 0...3000, using: &model.random))
                }
            }
            for client in 0..<4 {
                while !model.streams[client].isEmpty {
                    try model.clientSends(client, atMost: 4000)
                    model.upstreamTakes(atMost: .max)
                }
                #expect(model.inlets[client].partialCount == 0, "seed \(seed)")
            }
            #expect(model.outbox.isEmpty)
        }
    }

    @Test func `a long message that arrives byte by byte goes up whole`() throws {
        var model = try OutboxModel(.line, size: 16384, longest: 7000, clients: 1, seed: 1)
        while !model.streams[0].isEmpty {
            try model.clientSends(0, atMost: 1)
            model.upstreamTakes(atMost: .max)
        }
        #expect(model.waiting.isEmpty && model.frames[0].isEmpty)
    }

    @Test func `a full outbox takes nothing until the upstream has`() throws {
        let outbox = Outbox(memory: try MirroredMemory(size: 4096), maximumFrames: 64)
        let inlet = Inlet(framing: .fixed(size: 1024), limit: 1024)
        var frames = 0
        while let count = outbox.withFreeSpace(for: inlet, atMost: 1024, { $0.count }) {
            frames += try outbox.received(count, from: inlet)
        }
        #expect(frames == 4)
        #expect(outbox.pendingBytes == 4096)
        #expect(outbox.sent(1023) == 0)
        #expect(outbox.withFreeSpace(for: inlet, atMost: 1, { $0.count }) == nil)
        #expect(outbox.sent(1) == 1)
        #expect(outbox.withFreeSpace(for: inlet, atMost: 1, { $0.count }) == 1)
    }

    @Test func `frames before a client's fault go up, the fault does not`() throws {
        let outbox = Outbox(memory: try MirroredMemory(size: 4096), maximumFrames: 64)
        let inlet = Inlet(framing: .line, limit: 4)
        let bytes = Array("ab\ncd\ntoo long".utf8)
        outbox.withFreeSpace(for: inlet, atMost: bytes.count) { fill(&$0, with: bytes) }
        #expect(throws: FramingError.tooLong(limit: 4)) { try outbox.received(bytes.count, from: inlet) }
        #expect(outbox.withPending { String(decoding: [UInt8]($0), as: UTF8.self) } == "ab\ncd\n")
    }

    @Test func `after a client's fault just what was no frame is unfinished`() throws {
        let outbox = Outbox(memory: try MirroredMemory(size: 4096), maximumFrames: 64)
        let inlet = Inlet(framing: .line, limit: 4)
        for text in ["ab", "c\ntoo long"] {
            outbox.withFreeSpace(for: inlet, atMost: text.utf8.count) { fill(&$0, with: text.utf8) }
            _ = try? outbox.received(text.utf8.count, from: inlet)
        }
        #expect(outbox.pendingBytes == 4)
        #expect(inlet.partialCount == 8)
    }
}
