import Framing
import TestSupport
import Testing

@testable import Exchange

/// Random pieces of many clients, and a random upstream, against a queue of messages.
struct OutboxWalkTests {
    static let samples = [
        Sample(framing: .line(), limit: 300, frames: 64),
        Sample(framing: .line(), limit: 20, frames: 1),
        Sample(framing: .line(), limit: 8192, size: 16384, frames: 1024),
        Sample(framing: .delimiter(end: [0x0D, 0x0A]), limit: 2048, frames: 16),
        Sample(framing: .delimiter(end: Array(0x01...0x10)), limit: 8192, size: 16384, frames: 256),
        Sample(framing: .length(LengthField(width: .four)), limit: 2048, frames: 256),
        Sample(framing: .length(LengthField(width: .eight)), limit: 8192, size: 16384, frames: 1024),
        Sample(framing: .fixed(size: 2), limit: 2, frames: 1024),
        Sample(framing: .fixed(size: 6000), limit: 6000, size: 16384, frames: 8192),
    ]

    struct Sender {
        let inlet: Inlet
        /// What it sends from the first byte on that is in no whole message, and the lengths of its messages.
        var stream: [UInt8] = []
        var lengths: [Int] = []
        /// How much of the stream was received.
        var arrived = 0
        var isFaulty = false

        init(_ sample: Sample) { inlet = Inlet(framing: sample.framing, limit: sample.limit) }

        /// The whole messages that have arrived.
        mutating func takeWhole() -> (bytes: [UInt8], lengths: [Int]) {
            var (bytes, count) = (0, 0)
            while count < lengths.count, bytes + lengths[count] <= arrived {
                bytes += lengths[count]
                count += 1
            }
            let whole = (Array(stream.prefix(bytes)), Array(lengths.prefix(count)))
            stream.removeFirst(bytes)
            lengths.removeFirst(count)
            arrived -= bytes
            return whole
        }
    }

    struct Walk {
        let sample: Sample
        let outbox: Outbox
        var random: Seeded
        var senders: [Sender]
        /// The messages that were not wholly sent, and their lengths.
        var queue: [UInt8] = []
        var lengths: [Int] = []
        /// How much of it was sent.
        var sent = 0
        var sentBytes = 0
        /// The upstream takes nothing for a while.
        var isStalled = false
        var seen = (refusals: 0, faults: 0, ownBuffers: 0)

        init(_ sample: Sample, seed: UInt64) throws {
            self.sample = sample
            outbox = Outbox(memory: try sample.memory(), maximumFrames: sample.frames)
            random = Seeded(seed)
            senders = (0..<5).map { _ in Sender(sample) }
        }

        mutating func chance(_ one: Int, in all: Int) -> Bool {
            Int.random(in: 0..<all, using: &random) < one
        }

        /// - Returns: How many messages the outbox took from a sender.
        mutating func enqueueWhole(from i: Int) -> Int {
            let whole = senders[i].takeWhole()
            queue += whole.bytes
            lengths += whole.lengths
            return whole.lengths.count
        }

        mutating func receive(_ i: Int) throws {
            let most = chance(1, in: 3) ? 7000 : chance(1, in: 2) ? 200 : 3
            let wanted = Int.random(in: 1...most, using: &random)
            while senders[i].stream.count < senders[i].arrived + wanted && !senders[i].isFaulty {
                guard sample.fault.isEmpty || !chance(1, in: 200) else {
                    senders[i].isFaulty = true
                    senders[i].stream += sample.fault
                    break
                }
                let frame = sample.frame(using: &random)
                senders[i].stream += frame
                senders[i].lengths.append(frame.count)
            }
            let (inlet, arrived) = (senders[i].inlet, senders[i].arrived)
            let isOwnBuffer = arrived > 4096
            if isOwnBuffer { seen.ownBuffers += 1 }
            let room = min(wanted, sample.size - queue.count - arrived, sample.frames - lengths.count)
            let rest = senders[i].stream[arrived...]
            let given = outbox.withFreeSpace(for: inlet, atMost: wanted) { free in
                free.fill(from: rest.prefix(free.count))
                return free.count
            }
            guard let given else {
                seen.refusals += 1
                try #require(room <= 0)
                return
            }
            try #require(isOwnBuffer ? 1...room ~= given : given == room)
            let count = Int.random(in: 1...min(given, rest.count), using: &random)
            senders[i].arrived += count
            do {
                let taken = try outbox.received(count, from: inlet)
                try #require(taken == enqueueWhole(from: i))
                let isFaultWhole = senders[i].isFaulty && senders[i].arrived == senders[i].stream.count
                try #require(!isFaultWhole, "a fault that was not found")
                try check(senders[i])
            } catch let error as FramingError {
                try #require(error == .tooLong(limit: sample.limit))
                try #require(senders[i].isFaulty)
                _ = enqueueWhole(from: i)
                try #require(inlet.partialCount == senders[i].arrived)
                seen.faults += 1
                senders[i] = Sender(sample)
            }
        }

        func check(_ sender: Sender) throws {
            try #require(sender.inlet.partialCount == sender.arrived)
            if sender.arrived == 0 {
                try #require(sender.inlet.storage.isEmpty)
            } else {
                let longest = sample.limit + sample.framing.overhead(of: sample.limit)
                try #require(sender.arrived < longest)
                try #require(sender.inlet.storage.count <= longest)
            }
        }

        mutating func send() throws {
            let pending = outbox.pending
            try #require(pending == Array(queue[sent...]))
            let all = chance(1, in: 2)
            let count = all ? pending.count : Int.random(in: 0...min(pending.count, 700), using: &random)
            sent += count
            var whole = 0
            while let length = lengths.first, length <= sent {
                sent -= length
                queue.removeFirst(length)
                lengths.removeFirst()
                whole += 1
            }
            sentBytes += count
            try #require(outbox.sent(count) == whole)
        }

        mutating func lose() {
            outbox.connectionLost()
            sent = 0
        }

        mutating func discard() throws {
            let (frames, bytes) = outbox.discard()
            try #require(frames == lengths.count)
            try #require(bytes == queue.count)
            queue = []
            lengths = []
        }

        mutating func step() throws {
            if chance(1, in: 200) { isStalled.toggle() }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<65: try receive(Int.random(in: 0..<senders.count, using: &random))
            case 65..<90: if !isStalled { try send() }
            case 90..<95: lose()
            case 95:
                guard !isStalled else { break }
                lose()
                try discard()
            case 96:
                // What it left unfinished is never sent.
                senders[Int.random(in: 0..<senders.count, using: &random)] = Sender(sample)
            default: break
            }
            try #require(outbox.pendingFrames == lengths.count)
            try #require(outbox.pendingBytes == queue.count - sent)
            try #require(outbox.isEmpty == (queue.count == sent))
        }
    }

    @Test(arguments: samples, seeds)
    func `the upstream gets whole messages, whatever the clients do`(sample: Sample, seed: UInt64) throws {
        var walk = try Walk(sample, seed: seed)
        var steps = 0
        // Around the ring and full, several times; a small index takes a few bytes at a time, and would take too long.
        let enough = sample.frames < 64 ? sample.size / 4 : 3 * sample.size
        while steps < 800 || walk.sentBytes < enough || walk.seen.refusals < 3 {
            try walk.step()
            steps += 1
            try #require(steps < 100_000, "it does not get on")
        }
        if sample.limit > 5000 { #expect(walk.seen.ownBuffers > 0, "no buffer of its own") }
    }
}

extension Outbox {
    var pending: [UInt8] { withPending { [UInt8]($0) } }

    /// Writes as much of `bytes` as there is room for.
    ///
    /// - Returns: How many bytes that were.
    func write(_ bytes: some Collection<UInt8>, from inlet: Inlet) -> Int? {
        withFreeSpace(for: inlet, atMost: bytes.count) { free in
            free.fill(from: bytes.prefix(free.count))
            return free.count
        }
    }

    /// Receives all of `bytes`, for which there must be room.
    @discardableResult
    func receive(
        _ bytes: [UInt8], from inlet: Inlet, inPiecesOf size: Int = .max
    ) throws(FramingError) -> Int {
        var rest = bytes[...]
        var frames = 0
        while !rest.isEmpty {
            guard let count = write(rest.prefix(size), from: inlet) else {
                preconditionFailure("no room for \(rest.count) bytes")
            }
            frames += try received(count, from: inlet)
            rest = rest.dropFirst(count)
        }
        return frames
    }
}
