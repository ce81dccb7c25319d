import Framing
import Memory
import TestSupport
import Testing

@testable import Exchange

/// Clients that speak otherwise than the upstream.
struct OutboxTranslationTests {
    struct Scene {
        let framing: Framing
        let target: Framing
        let outbox: Outbox
        let translator: InletTranslator
        var inlets: [Inlet] = []

        init(
            _ framing: Framing, to target: Framing, disconnects: Bool = false, size: Int = 4096,
            limit: Int = 300, frames: Int = 16, senders: Int = 1
        ) throws {
            (self.framing, self.target) = (framing, target)
            outbox = Outbox(memory: try MirroredMemory(size: size), maximumFrames: frames)
            translator = InletTranslator(from: framing, to: target, disconnects: disconnects)
            for _ in 0..<senders {
                inlets.append(Inlet(framing: target, limit: limit, translator: translator))
            }
        }

        /// - Returns: How many bytes the sender could get rid of, and how many messages were taken.
        func receive(
            _ bytes: some Collection<UInt8>, from sender: Int = 0
        ) throws -> (bytes: Int, messages: Int)? {
            let inlet = inlets[sender]
            if inlet.hasUndecoded { return (0, try outbox.received(0, from: inlet)) }
            let count = outbox.withFreeSpace(for: inlet, atMost: 64 << 10) { room in
                let count = min(room.count, bytes.count)
                room.fill(from: bytes.prefix(count))
                return count
            }
            guard let count else { return nil }
            return (count, try outbox.received(count, from: inlet))
        }

        func send(atMost limit: Int = .max) -> [UInt8] {
            let bytes = outbox.withPending { [UInt8]($0.extracting(first: min(limit, $0.count))) }
            _ = outbox.sent(bytes.count)
            return bytes
        }
    }

    @Test(arguments: TranslatedLogTests.framings)
    func `what many send in pieces arrives whole, in the upstream's framing`(framing: Framing) throws {
        for target in TranslatedLogTests.targets(of: framing) {
            let seed = UInt64.random(in: 0 ... .max)
            var random = Seeded(seed)
            let scene = try Scene(framing, to: target, size: target == .header ? 16384 : 4096, senders: 3)
            var payloads: [[[UInt8]]] = []
            var streams: [ArraySlice<UInt8>] = []
            for sender in 0..<3 {
                payloads.append(
                    (0..<30).map { _ in
                        let most = Int.random(in: 0..<5, using: &random) == 0 ? 300 : 20
                        let count = Int.random(in: 1...most, using: &random)
                        return [UInt8(0x61 + sender)]
                            + (1..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
                    })
                var stream: [UInt8] = []
                for payload in payloads[sender] { try framing.encode(payload, into: &stream) }
                streams.append(stream[...])
            }
            var upstream = Decoder(target, limit: 300)
            var (sent, found): ([UInt8], [[UInt8]]) = ([], [])
            var rounds = 0
            while found.count < 90, rounds < 20_000 {
                rounds += 1
                let sender = Int.random(in: 0..<3, using: &random)
                let piece = streams[sender].prefix(Int.random(in: 1...700, using: &random))
                if let taken = try scene.receive(piece, from: sender) {
                    streams[sender] = streams[sender].dropFirst(taken.bytes)
                }
                if Int.random(in: 0..<2, using: &random) == 0 {
                    sent += scene.send(atMost: Int.random(in: 1...300, using: &random))
                    var payloadSink = Payloads(target, sent)
                    _ = try upstream.decode(sent.span, atMost: .max, into: &payloadSink)
                    found += payloadSink.payloads
                    sent.removeFirst(payloadSink.position)
                }
            }
            for sender in 0..<3 {
                let isAllThere = found.filter { $0[0] == UInt8(0x61 + sender) } == payloads[sender]
                #expect(isAllThere, "\(framing) to \(target), seed \(seed)")
            }
            #expect(scene.inlets.allSatisfy { $0.count == 0 })
        }
    }

    private struct Payloads: FrameSink {
        let framing: Framing
        let bytes: [UInt8]
        var position = 0
        var payloads: [[UInt8]] = []

        init(_ framing: Framing, _ bytes: [UInt8]) { (self.framing, self.bytes) = (framing, bytes) }

        mutating func append(_ frame: Frame) {
            var payload: [UInt8] = []
            let end = position + Int(frame.length)
            framing.appendPayload(of: frame, in: bytes.span.extracting(position..<end), to: &payload)
            payloads.append(payload)
            position = end
        }

        mutating func skip(_ count: Int, _ reason: SkipReason) { position += count }
    }

    @Test func `whole messages for which the outbox has no room wait, and nothing more is read`() throws {
        let scene = try Scene(.line(), to: .netstring, limit: 1000)
        let line = [UInt8](repeating: 0x61, count: 1000) + [0x0A]
        let taken = try #require(try scene.receive(line + line + line + line + line))
        #expect(taken == (5005, 4))
        #expect(scene.inlets[0].hasUndecoded)
        #expect(try #require(try scene.receive(line)) == (0, 0))
        #expect(scene.send().count == 4 * 1006)
        #expect(try #require(try scene.receive(line)) == (0, 1))
        #expect(!scene.inlets[0].hasUndecoded)
        #expect(scene.send().count == 1006)
    }

    @Test func `what the upstream's framing cannot carry is passed over, or is the client's end`() throws {
        for disconnects in [false, true] {
            let scene = try Scene(.netstring, to: .line(), disconnects: disconnects)
            let taken = try #require(try scene.receive([UInt8]("1:a,3:b\nc,1:d,")))
            #expect(taken.messages == (disconnects ? 1 : 2))
            #expect(scene.send() == [UInt8](disconnects ? "a\n" : "a\nd\n"))
            #expect(scene.inlets[0].fault == (disconnects ? .holdsDelimiter : nil))
            #expect(
                scene.inlets[0].partialCount == (disconnects ? 4 : 0), "what follows is not lost from sight")
            #expect(scene.translator.takeLosses().amounts.mapValues(\.messages) == [.holdsDelimiter: 1])
        }
    }

    @Test func `others who take each byte that becomes free leave room for one who needs more`() throws {
        let scene = try Scene(.line(), to: .netstring, limit: 1000, frames: 1024)
        let raw = Inlet(framing: .netstring, limit: 1000)
        let frame = [UInt8]("100:\(String(repeating: "r", count: 100)),")
        let line = [UInt8](repeating: 0x61, count: 1000) + [0x0A]
        var flood = [UInt8]()[...]
        var lines = 0
        for _ in 0..<400 {
            scene.outbox.beginRound()
            if flood.count < 1000 { flood += Array(repeating: frame, count: 100).flatMap { $0 } }
            let count = scene.outbox.withFreeSpace(for: raw, atMost: 64 << 10) { room in
                let count = min(room.count, flood.count)
                room.fill(from: flood.prefix(count))
                return count
            }
            if let count {
                flood = flood.dropFirst(count)
                _ = try scene.outbox.received(count, from: raw)
            }
            lines += try scene.receive(line)?.messages ?? 0
            // The upstream takes little at a time.
            _ = scene.send(atMost: 100)
        }
        #expect(lines >= 5, "\(lines) lines of one, beside a flood of another")
    }

    @Test func `garbage is a fault, after what came before it`() throws {
        let scene = try Scene(.netstring, to: .line())
        #expect(throws: FramingError.malformed(.noDecimalLength)) { try scene.receive([UInt8]("1:a,x")) }
        #expect(scene.send() == [UInt8]("a\n"))
        #expect(scene.inlets[0].partialCount == 1)
    }

    @Test func `what is damaged or between messages is counted, and not sent`() throws {
        let scene = try Scene(.block(start: [2], end: [3]), to: .line())
        #expect(try #require(try scene.receive([0x78, 2, 0x61, 3, 0x79, 0x79, 2, 0x62, 3])).messages == 2)
        #expect(scene.outbox.between.bytes == 3)
        #expect(scene.send() == [UInt8]("a\nb\n"))
    }

    @Test func `a message that drips in costs a bounded amount of work for each byte, and arrives whole`()
        throws
    {
        let scene = try Scene(.line(), to: .netstring, size: 65536, limit: 20_000)
        for _ in 0..<20 {
            #expect(try #require(try scene.receive([UInt8](repeating: 0x61, count: 1000))) == (1000, 0))
        }
        #expect(try #require(try scene.receive([0x0A])) == (1, 1))
        #expect(scene.send().count == 20_007)
        #expect(scene.inlets[0].storage.isEmpty)
    }
}
