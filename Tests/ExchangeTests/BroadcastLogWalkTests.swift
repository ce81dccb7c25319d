import Exchange
import Framing
import Memory
import TestSupport
import Testing

/// Random reads, cuts, losses and readers, against a plain array of messages.
struct BroadcastLogWalkTests {
    static let samples = [
        Sample(framing: .line(), limit: 300),
        Sample(framing: .line(), limit: 2048, frames: 64),
        Sample(framing: .line(), limit: 10, frames: 1024),
        Sample(framing: .delimiter(end: [0x0D, 0x0A]), limit: 2048, frames: 8),
        Sample(framing: .length(LengthField(width: .four)), limit: 2048, frames: 64),
        Sample(framing: .length(LengthField(width: .one)), limit: 100, frames: 2),
        Sample(framing: .length(LengthField(width: .two)), limit: 1500, frames: 1),
        Sample(framing: .fixed(size: 7), limit: 7, frames: 256),
        Sample(framing: .fixed(size: 2048), limit: 2048),
        Sample(framing: .delimiter(end: Array(0x01...0x10)), limit: 4096, size: 8192, frames: 32),
    ]

    struct Reader {
        var cursor: Cursor
        /// Where the next byte stands in what is due.
        var position: Int
    }

    /// A log and its model.
    struct Walk {
        let sample: Sample
        let log: BroadcastLog
        var random: Seeded
        /// Every byte of every whole message, at its position.
        var due: [UInt8] = []
        /// Ends of those messages.
        var ends: [Int] = []
        var tail = 0
        /// What the connection brings after the head, as far as it is decided, and the lengths of its messages.
        var stream: [UInt8] = []
        var lengths: [Int] = []
        /// How much of the stream the log was given.
        var arrived = 0
        var readers: [Reader] = []
        /// How often the log was full, and how often its index was.
        var pauses = (ring: 0, index: 0)
        /// How many messages readers were made to skip.
        var skips = 0

        init(_ sample: Sample, seed: UInt64) throws {
            self.sample = sample
            log = try sample.log()
            random = Seeded(seed)
        }

        mutating func chance(_ one: Int, in all: Int) -> Bool {
            Int.random(in: 0..<all, using: &random) < one
        }

        mutating func receive() throws {
            let most = chance(1, in: 3) ? 5000 : chance(1, in: 2) ? 200 : 3
            let wanted = Int.random(in: 1...most, using: &random)
            while stream.count < arrived + wanted {
                let frame = sample.frame(using: &random)
                stream += frame
                lengths.append(frame.count)
            }
            let rest = stream[arrived..<arrived + wanted]
            let space = log.space
            let count = log.write(rest)
            try #require(count == min(wanted, space))
            arrived += count
            try took(try log.received(count))
        }

        mutating func resume() throws {
            guard log.canResume else { return }
            let count = try log.resume()
            // It cannot be asked for again and again.
            try #require(count > 0 || !log.canResume)
            try took(count)
        }

        /// So many messages became visible.
        mutating func took(_ count: Int) throws {
            try #require(count <= lengths.count)
            let length = lengths[..<count].reduce(0, +)
            try #require(length <= arrived, "a message that has not arrived whole")
            for length in lengths[..<count] { ends.append((ends.last ?? 0) + length) }
            due += stream[..<length]
            stream.removeFirst(length)
            lengths.removeFirst(count)
            arrived -= length
        }

        mutating func lose() throws {
            try #require(log.connectionLost() == arrived)
            arrived = 0
            stream = []
            lengths = []
        }

        mutating func read(_ i: Int) throws {
            let position = readers[i].position
            let run = log.withRun(at: &readers[i].cursor, for: .everyone) { [UInt8]($0) }
            try #require(run ?? [] == Array(due[position...]))
            try #require((run == nil) == (position == due.count))
            guard let run else { return }
            let all = chance(1, in: 2)
            let count = all ? run.count : Int.random(in: 0...min(run.count, 300), using: &random)
            log.advance(&readers[i].cursor, by: count)
            readers[i].position += count
        }

        mutating func skip(_ i: Int) throws {
            let position = readers[i].position
            // The end of the message that it is in the middle of, if it is.
            let next = ends.count - messages(after: position)
            let start = next == 0 ? 0 : ends[next - 1]
            let isWithin = position > start
            let rest = isWithin ? Array(due[position..<ends[next]]) : []
            let skipped = log.skipToHead(&readers[i].cursor, for: .everyone)
            readers[i].position = due.count
            try #require(skipped.rest == rest)
            try #require(skipped.messages == ends.count - next - (isWithin ? 1 : 0))
            try #require(skipped.bytes == due.count - position - rest.count)
            skips += skipped.messages
        }

        mutating func release() {
            tail = readers.map(\.position).min() ?? due.count
            log.release(before: UInt64(tail))
        }

        mutating func comeAndGo() {
            if readers.isEmpty || readers.count < 5 && chance(1, in: 2) {
                readers.append(Reader(cursor: log.newCursor(), position: due.count))
            } else {
                readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
            }
        }

        /// Messages that end after `position`.
        func messages(after position: Int) -> Int {
            var first = 0
            var end = ends.count
            while first < end {
                let middle = (first + end) / 2
                if ends[middle] <= position { first = middle + 1 } else { end = middle }
            }
            return ends.count - first
        }

        mutating func check() throws {
            try #require(log.head == UInt64(due.count))
            try #require(log.tail == UInt64(tail))
            let room = sample.size - (due.count - tail) - arrived
            try #require(log.space == (log.hasUndecoded ? 0 : room))
            let kept = messages(after: tail)
            if log.hasUndecoded {
                try #require(log.canResume || kept == sample.frames, "waits without need")
            } else {
                try #require(!log.canResume)
                try #require((lengths.first ?? .max) > arrived, "a whole message is not visible")
            }
            try #require(kept <= sample.frames)
            for reader in readers {
                let isBehind =
                    due.count - reader.position > sample.size / 2
                    || messages(after: reader.position) > sample.frames / 2
                if isBehind { try #require(log.isMoreThanHalfBehind(reader.cursor)) }
                if reader.position == due.count { try #require(!log.isMoreThanHalfBehind(reader.cursor)) }
            }
            // Otherwise nobody could be blamed, and the pause would never end.
            guard log.space == 0, !log.canResume,
                let slowest = readers.min(by: { $0.position < $1.position }),
                slowest.position == tail
            else { return }
            try #require(log.isMoreThanHalfBehind(slowest.cursor), "nobody holds the log up")
            if log.hasUndecoded { pauses.index += 1 } else { pauses.ring += 1 }
        }

        mutating func step() throws {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50: if log.space > 0 { try receive() }
            case 50..<80: if !readers.isEmpty { try read(Int.random(in: 0..<readers.count, using: &random)) }
            case 80: if !readers.isEmpty { try skip(Int.random(in: 0..<readers.count, using: &random)) }
            case 81..<94: release()
            case 94..<98: comeAndGo()
            case 98: if chance(1, in: 3) { try lose() }
            default: break
            }
            try check()
            try resume()
            try check()
        }
    }

    @Test(arguments: samples, seeds)
    func `every reader gets exactly the whole messages, in order`(sample: Sample, seed: UInt64) throws {
        var walk = try Walk(sample, seed: seed)
        var steps = 0
        // Around the ring many times.
        while steps < 1500 || walk.due.count < 4 * sample.size {
            try walk.step()
            steps += 1
            try #require(steps < 50_000, "it does not get on")
        }
        #expect(walk.pauses.ring + walk.pauses.index > 0, "it was never full")
        // In a ring of two messages hardly anybody is a whole one behind.
        #expect(walk.skips > 0 || sample.size < 4 * sample.limit)
    }
}
