import Framing
import Memory
import TestSupport
import Testing

@testable import Exchange

/// What clients send between their messages goes nowhere.
struct OutboxSkipTests {
    func inlet() -> Inlet {
        Inlet(framing: .block(start: [UInt8]("<"), end: [UInt8](">")), limit: 100)
    }

    func outbox(size: Int = 4096, frames: Int = 64) throws -> Outbox {
        Outbox(memory: try MirroredMemory(size: size), maximumFrames: frames)
    }

    @Test func `only messages go up, and are counted`() throws {
        let outbox = try outbox()
        #expect(try outbox.receive([UInt8]("..<one>..<two>...<th"), from: inlet()) == 2)
        #expect(outbox.pendingFrames == 2)
        #expect(outbox.pendingBytes == 10)
        #expect(outbox.pending == [UInt8]("<one>"))
        #expect(outbox.sent(3) == 0)
        outbox.connectionLost()
        #expect(outbox.pending == [UInt8]("<one>"))
        #expect(outbox.sent(5) == 1)
        #expect(outbox.pending == [UInt8]("<two>"))
        #expect(outbox.pendingBytes == 5)
        #expect(outbox.sent(5) == 1)
        #expect(outbox.isEmpty)
        #expect(outbox.between.bytes == 7)
    }

    @Test func `what is in no message fills nothing`() throws {
        let outbox = try outbox(frames: 4)
        let inlet = inlet()
        for _ in 0..<100 {
            #expect(try outbox.receive([UInt8](repeating: 0x2E, count: 1000), from: inlet) == 0)
            #expect(outbox.isEmpty)
        }
        #expect(try outbox.receive([UInt8]("<a>"), from: inlet) == 1)
        for _ in 0..<3 { try outbox.receive([UInt8](repeating: 0x2E, count: 1000), from: inlet) }
        #expect(outbox.pending == [UInt8]("<a>"))
        #expect(outbox.discard() == (1, 3))
        #expect(outbox.isEmpty)
        #expect(outbox.between.bytes == 103_000)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever clients send between messages, the upstream gets these alone`(seed: UInt64) throws {
        var random = Seeded(seed)
        let outbox = try outbox(frames: 16)
        let inlets = (0..<3).map { _ in inlet() }
        var (taken, counted) = (0, 0)
        /// What the upstream has of the frame that it was sent last.
        var begun: [UInt8] = []
        var frames: [[UInt8]] = []
        for _ in 0..<1000 {
            let inlet = inlets.randomElement(using: &random) ?? inlets[0]
            let piece = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                [UInt8]("<>.a").randomElement(using: &random) ?? 0
            }
            if let count = outbox.write(piece, from: inlet) {
                taken += try outbox.received(count, from: inlet)
            }
            if Int.random(in: 0..<9, using: &random) == 0 {
                outbox.connectionLost()
                begun = []
            }
            let pending = outbox.pending
            let count = Int.random(in: 0...pending.count, using: &random)
            counted += outbox.sent(count)
            for byte in pending.prefix(count) {
                begun.append(byte)
                guard byte == UInt8(ascii: ">") else { continue }
                frames.append(begun)
                begun = []
            }
            try #require(frames.count == counted)
            try #require(outbox.pendingFrames == taken - counted)
        }
        #expect(counted > 50)
        #expect(frames.allSatisfy { $0.first == UInt8(ascii: "<") })
    }
}
