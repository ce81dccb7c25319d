import Memory
import Testing

@Suite struct MirroredMemoryTests {
    @Test func `a window over the seam is contiguous`() throws {
        var memory = try MirroredMemory(size: 4096)
        memory.withMutableBytes(4090..<4106) { span in
            for i in span.indices { span[i] = UInt8(i) }
        }
        let around = memory.withBytes(4090..<4106) { span in span.indices.map { span[$0] } }
        #expect(around == Array(0..<16))
        let start = memory.withBytes(0..<10) { span in span.indices.map { span[$0] } }
        #expect(start == Array(6..<16))
        let later = memory.withBytes(8192..<8202) { span in span.indices.map { span[$0] } }
        #expect(later == Array(6..<16))
    }

    @Test func `bytes are copied over the seam`() throws {
        var memory = try MirroredMemory(size: 4096)
        memory.copy([1, 2, 3, 4].span, to: 4094)
        let end = memory.withBytes(4094..<4096) { [$0[0], $0[1]] }
        let start = memory.withBytes(4096..<4098) { [$0[0], $0[1]] }
        #expect(end == [1, 2])
        #expect(start == [3, 4])
    }

    @Test func `the whole ring is one window, wherever it begins`() throws {
        var memory = try MirroredMemory(size: 8192)
        memory.withMutableBytes(5000..<13192) { span in
            for i in span.indices { span[i] = UInt8(truncatingIfNeeded: i) }
        }
        #expect(memory.withBytes(13191..<13192) { $0[0] } == UInt8(truncatingIfNeeded: 8191))
        #expect(memory.withBytes(0..<1) { $0[0] } == UInt8(truncatingIfNeeded: 3192))
    }
}
