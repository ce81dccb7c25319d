import Framing
import Testing

@testable import Exchange

@Suite struct HoleTests {
    private static let readers = [Recipient(client: 1), Recipient(client: 2), Recipient(client: 3)]

    /// Everything that `reader` is lent of the index's stream, run by run.
    private static func positions(
        _ index: borrowing FrameIndex, from start: UInt64, for reader: Recipient
    ) -> (bytes: [UInt64], runs: Int) {
        var bytes: [UInt64] = []
        var runs = 0
        var position = start
        while true {
            let run = index.holes.run(in: position..<index.head, for: reader)
            guard !run.isEmpty else { return (bytes, runs) }
            bytes += Array(run)
            runs += 1
            position = run.upperBound
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `a reader is lent exactly what is for it, in whole runs`(seed: UInt64) {
        var random = Seeded(seed)
        var index = FrameIndex(capacity: 1024)
        var model: [Recipient] = []
        for _ in 0..<300 {
            let length = Int.random(in: 1...6, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                index.skip(length)
                model += Array(repeating: .nobody, count: length)
            case 1:
                let reader = Self.readers[Int.random(in: 0..<3, using: &random)]
                index.append(Frame(length: length), for: reader)
                model += Array(repeating: reader, count: length)
            default:
                index.append(Frame(length: length))
                model += Array(repeating: .everyone, count: length)
            }
        }
        for released in [UInt64(0), index.head / 2] {
            index.release(before: released)
            for reader in Self.readers {
                let isFor = model.map { $0 == .everyone || $0 == reader }
                let expected = (Int(released)..<model.count).filter { isFor[$0] }
                let (bytes, runs) = Self.positions(index, from: released, for: reader)
                #expect(bytes == expected.map(UInt64.init), "seed \(seed)")
                // Contiguous bytes come in one run.
                let breaks = zip(expected, expected.dropFirst()).count { $0 + 1 != $1 }
                #expect(runs >= breaks + 1 && runs <= breaks + 1 + 300)
            }
        }
    }

    @Test func `without holes everything is one run`() {
        var index = FrameIndex(capacity: 16)
        for _ in 0..<5 { index.append(Frame(length: 10)) }
        #expect(index.holes.run(in: 3..<50, for: .everyone) == 3..<50)
    }

    @Test func `a cursor in front of a hole is moved past it, even at the head`() {
        var index = FrameIndex(capacity: 16)
        index.append(Frame(length: 4))
        index.skip(6)
        #expect(index.holes.run(in: 4..<10, for: .everyone) == 10..<10)
        index.skip(2)
        index.append(Frame(length: 3))
        #expect(index.holes.run(in: 10..<15, for: .everyone) == 12..<15)
        #expect(index.holes.run(in: 0..<15, for: .everyone) == 0..<4)
    }

    @Test func `a frame for one client is part of its run, and of nobody else's`() {
        var index = FrameIndex(capacity: 16)
        index.append(Frame(length: 4))
        index.append(Frame(length: 4), for: Self.readers[0])
        index.append(Frame(length: 4))
        #expect(index.holes.run(in: 0..<12, for: Self.readers[0]) == 0..<12)
        #expect(index.holes.run(in: 0..<12, for: Self.readers[1]) == 0..<4)
        #expect(index.holes.run(in: 4..<12, for: Self.readers[1]) == 8..<12)
    }
}
