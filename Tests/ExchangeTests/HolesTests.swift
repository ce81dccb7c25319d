import Framing
import TestSupport
import Testing

@testable import Exchange

/// What is for whom: runs around what is not for a reader.
struct HolesTests {
    static let one = Recipient(client: 1)
    static let two = Recipient(client: 2)

    func runs(_ index: borrowing FrameIndex, for reader: Recipient, from start: UInt64 = 0) -> [Range<UInt64>]
    {
        var runs: [Range<UInt64>] = []
        var position = start
        while true {
            let run = index.holes.run(in: position..<index.head, for: reader)
            guard !run.isEmpty else { return runs }
            runs.append(run)
            position = run.upperBound
        }
    }

    func expect(
        _ index: borrowing FrameIndex, _ reader: Recipient, gets expected: [Range<UInt64>],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(runs(index, for: reader) == expected, sourceLocation: sourceLocation)
    }

    @Test func `without holes all is one run`() {
        var index = FrameIndex(capacity: 8)
        for length in [5, 1, 4] { index.append(Frame(length: length)) }
        expect(index, Self.one, gets: [0..<10])
        expect(index, .everyone, gets: [0..<10])
    }

    @Test func `a message for one client is in that client's run only`() {
        var index = FrameIndex(capacity: 8)
        index.append(Frame(length: 5))
        index.append(Frame(length: 3), for: Self.one)
        index.append(Frame(length: 2))
        expect(index, Self.one, gets: [0..<10])
        expect(index, Self.two, gets: [0..<5, 8..<10])
        expect(index, .everyone, gets: [0..<5, 8..<10])
    }

    @Test func `who skips misses what was for it, and no more`() {
        var index = FrameIndex(capacity: 8)
        index.append(Frame(length: 5))
        index.append(Frame(length: 3), for: Self.one)
        index.skip(7, .oversize(isBeginning: true))
        index.append(Frame(length: 2))
        #expect(index.frames(from: 5, for: Self.one) == (2, 5))
        #expect(index.frames(from: 5, for: Self.two) == (1, 2))
        #expect(index.frames(from: 17, for: Self.two) == (0, 0))
        #expect(index.rest(at: 6, for: Self.one) == 6..<8)
        #expect(index.rest(at: 8, for: Self.one).isEmpty)
        #expect(index.rest(at: 16, for: Self.two) == 16..<17)
        #expect(index.rest(at: 17, for: Self.two).isEmpty)
        // The oldest one that is kept has no neighbour any more whose end is its beginning.
        index.release(before: 6)
        #expect(index.rest(at: 6, for: Self.one) == 6..<8)
        index.release(before: 15)
        #expect(index.rest(at: 15, for: Self.one).isEmpty)
        #expect(index.frames(from: 15, for: Self.one) == (1, 2))
    }

    @Test func `skipped bytes are for nobody`() {
        var index = FrameIndex(capacity: 8)
        index.skip(4, .oversize(isBeginning: true))
        index.append(Frame(length: 5))
        index.skip(1, .oversize(isBeginning: true))
        for reader in [Self.one, .everyone] { expect(index, reader, gets: [4..<9]) }
        index.append(Frame(length: 1))
        expect(index, Self.one, gets: [4..<9, 10..<11])
    }

    @Test func `more of a skipped message takes no entry of its own`() {
        var index = FrameIndex(capacity: 4)
        index.append(Frame(length: 5))
        index.skip(3, .oversize(isBeginning: true))
        for _ in 0..<100 { index.skip(2, .oversize(isBeginning: false)) }
        #expect(index.kept == 2)
        index.append(Frame(length: 1))
        expect(index, .everyone, gets: [0..<5, 208..<209])
        #expect((index.oversize.messages, index.oversize.bytes) == (1, 203))
        #expect(index.count - index.skipped == 2)
    }

    @Test func `more of a message of which all was released begins a new entry`() {
        var index = FrameIndex(capacity: 4)
        index.skip(3, .oversize(isBeginning: true))
        index.release(before: 3)
        index.skip(2, .oversize(isBeginning: false))
        #expect(index.kept == 1)
        #expect(index.end(of: index.first) == 5)
        index.append(Frame(length: 1))
        #expect(index.holes.run(in: 3..<6, for: .everyone) == 5..<6)
    }

    @Test func `holes of several kinds side by side are passed at once`() {
        var index = FrameIndex(capacity: 8)
        index.append(Frame(length: 1), for: Self.one)
        index.append(Frame(length: 2), for: Self.two)
        index.skip(3, .oversize(isBeginning: true))
        index.append(Frame(length: 4), for: Self.one)
        index.append(Frame(length: 5))
        expect(index, .everyone, gets: [10..<15])
        expect(index, Self.one, gets: [0..<1, 6..<15])
        expect(index, Self.two, gets: [1..<3, 10..<15])
    }

    @Test func `a reader in the middle of a hole goes on behind it`() {
        var index = FrameIndex(capacity: 8)
        index.append(Frame(length: 10), for: Self.one)
        index.append(Frame(length: 10))
        #expect(runs(index, for: Self.two, from: 4) == [10..<20])
        #expect(runs(index, for: Self.one, from: 4) == [4..<20])
        #expect(index.holes.run(in: 4..<7, for: Self.two).isEmpty)
        #expect(index.holes.run(in: 4..<12, for: Self.two) == 10..<12)
    }

    @Test func `neighbours for the same recipient become one hole`() {
        var index = FrameIndex(capacity: 8)
        index.append(Frame(length: 1), for: Self.one)
        index.append(Frame(length: 1), for: Self.one)
        #expect(index.holes.count == 1)
        index.append(Frame(length: 1), for: Self.two)
        #expect(index.holes.count == 2)
        index.append(Frame(length: 1))
        index.append(Frame(length: 1), for: Self.two)
        #expect(index.holes.count == 3)
        index.release(before: 2)
        #expect(index.holes.count == 2)
        index.release(before: 4)
        #expect(index.holes.count == 1)
        index.release(before: 5)
        #expect(index.holes.count == 0)
        // Nothing is left to merge with.
        index.append(Frame(length: 1), for: Self.two)
        #expect(index.holes.count == 1)
    }

    /// An index, and beside it the owner of each byte.
    struct Walk {
        static let readers = [Recipient.everyone, one, two, Recipient(client: 3)]
        let hasPrivate: Bool
        var random: Seeded
        var owners: [Recipient] = []
        var ends: [UInt64] = []
        var positions = [UInt64](repeating: 0, count: readers.count)
        var taken = [[UInt64]](repeating: [], count: readers.count)

        mutating func grow(_ index: inout FrameIndex) {
            let length = Int.random(in: 1...5, using: &random)
            let hadEntries = index.kept > 0
            let owner: Recipient
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                owner = .nobody
                index.skip(length, .oversize(isBeginning: true))
            case 1,
                2 where hasPrivate:
                owner = Walk.readers[Int.random(in: 1..<4, using: &random)]
                index.append(Frame(length: length), for: owner)
            default:
                owner = .everyone
                index.append(Frame(length: length))
            }
            // More of what nobody gets takes no entry of its own.
            if owner == .nobody, owners.last == .nobody, hadEntries { ends.removeLast() }
            owners += [Recipient](repeating: owner, count: length)
            ends.append(UInt64(owners.count))
        }

        mutating func read(_ index: borrowing FrameIndex, _ i: Int) throws {
            let reader = Walk.readers[i]
            let run = index.holes.run(in: positions[i]..<index.head, for: reader)
            let isFor = { [owners] (position: UInt64) in
                owners[Int(position)] == .everyone || owners[Int(position)] == reader
            }
            try #require(!(positions[i]..<run.lowerBound).contains(where: isFor), "something was passed over")
            try #require(run.allSatisfy(isFor), "something that is not for it")
            try #require(run.upperBound == index.head || !isFor(run.upperBound), "a run cut short")
            let count = Int.random(in: 0...run.count, using: &random)
            positions[i] = run.lowerBound + UInt64(count)
            taken[i] += run.prefix(count)
        }

        mutating func check(_ index: borrowing FrameIndex) throws {
            try #require(index.head == UInt64(owners.count))
            let slowest = positions.min() ?? 0
            let position = UInt64.random(in: slowest...index.head, using: &random)
            let entry = index.firstEntry(endingAfter: position)
            try #require(entry == UInt64(ends.firstIndex { $0 > position } ?? ends.count))
            if entry < index.count { try #require(index.end(of: entry) == ends[Int(entry)]) }
            guard Int.random(in: 0..<8, using: &random) == 0 else { return }
            try checkCount(index, from: index.rest(at: position, for: .everyone).upperBound)
        }

        /// The position is not within a frame.
        private func checkCount(_ index: borrowing FrameIndex, from position: UInt64) throws {
            let reader = Walk.readers[Int(position) % Walk.readers.count]
            let due = (Int(position)..<owners.count).filter { [.everyone, reader].contains(owners[$0]) }
            guard index.rest(at: position, for: reader).isEmpty else { return }
            let (count, bytes) = index.frames(from: position, for: reader)
            try #require(bytes == due.count)
            try #require(count == due.count { ends.contains(UInt64($0 + 1)) })
        }
    }

    @Test(arguments: seeds, [false, true])
    func `every reader gets exactly what is for it, in contiguous runs`(seed: UInt64, hasPrivate: Bool) throws
    {
        var index = FrameIndex(capacity: 16)
        var walk = Walk(hasPrivate: hasPrivate, random: Seeded(seed))
        for _ in 0..<3000 {
            if index.free > 0 && Bool.random(using: &walk.random) { walk.grow(&index) }
            try walk.read(index, Int.random(in: 0..<Walk.readers.count, using: &walk.random))
            if Int.random(in: 0..<4, using: &walk.random) == 0 {
                let slowest = walk.positions.min() ?? 0
                index.release(before: slowest)
                try #require(index.kept == walk.ends.count { $0 > slowest })
                try #require(index.holes.count <= index.kept)
            }
            try walk.check(index)
        }
        #expect(walk.ends.count > 100)
        for (i, reader) in Walk.readers.enumerated() {
            let due = walk.owners.indices.filter {
                $0 < walk.positions[i] && [.everyone, reader].contains(walk.owners[$0])
            }
            #expect(walk.taken[i] == due.map { UInt64($0) })
        }
    }
}
