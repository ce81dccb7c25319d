import Framing
import TestSupport
import Testing

/// How a message that is too long is passed over.
struct SkipTests {
    static let limit = LimitTests.limit
    static let full = [UInt8](repeating: 0x61, count: limit)

    @Test(arguments: LimitTests.cases, [limit + 1, limit + 2, limit + 100])
    func `too long a message is passed over, and all others are found`(framing: LimitTests.Case, count: Int)
        throws
    {
        let long = try framing.frame(count)
        let stream = try framing.frame(1) + long + framing.frame(Self.limit) + long + long + framing.frame(0)
        verify(
            framing.framing, limit: Self.limit, stream, holds: [[0x61], Self.full, []],
            passesOver: [long, long, long])
    }

    @Test(arguments: LimitTests.cases, [0, 1, limit])
    func `a message up to the limit is none to pass over`(framing: LimitTests.Case, count: Int) throws {
        let payload = [UInt8](repeating: 0x61, count: count)
        verify(
            framing.framing, limit: Self.limit, try framing.frame(count) + framing.frame(count),
            holds: [payload, payload], passesOver: [])
    }

    @Test(arguments: [[], [0x0D]])
    func `a line is passed over up to its end, however it ends`(end: [UInt8]) {
        let long = Self.full + [0x61] + end + [0x0A]
        verify(
            .line(), limit: Self.limit, long + [0x62, 0x0D, 0x0A] + long, holds: [[0x62]],
            passesOver: [long, long])
    }

    @Test func `what may be the beginning of a delimiter is kept until it is decided`() {
        let long = Self.full + Array("xaaaaab".utf8)
        verify(
            .delimiter(end: Array("aab".utf8)), limit: Self.limit, long + Array("yaab".utf8) + long,
            holds: [Array("y".utf8)], passesOver: [long, long])
    }

    @Test(arguments: LengthField.Order.allCases, [1 << 32, UInt64(Int64.max)] as [UInt64])
    func `a length of less than 2 to the 63rd is passed over as far as it comes`(
        order: LengthField.Order, length: UInt64
    ) {
        let field = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64($0))) }
        let stream = (order == .little ? field : field.reversed()) + Self.full
        let framing = Framing.length(LengthField(width: .eight, order: order))
        verify(framing, limit: Self.limit, stream, holds: [], passesOver: [stream])
    }

    @Test(arguments: LengthField.Order.allCases, [1 << 63, (1 << 63) + 1, UInt64.max] as [UInt64])
    func `a length of 2 to the 63rd or more is a fault all the same`(order: LengthField.Order, length: UInt64)
    {
        let field = (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64($0))) }
        let framing = Framing.length(LengthField(width: .eight, order: order))
        let stream = order == .little ? field : field.reversed()
        verify(framing, limit: Self.limit, stream, holds: [], passesOver: [], then: .impossibleLength(length))
        #expect("\(FramingError.impossibleLength(length))".contains("\(length) bytes"))
    }

    @Test(arguments: LimitTests.cases)
    func `what is passed over is not kept`(framing: LimitTests.Case) throws {
        var stream = Stream(framing.framing, limit: Self.limit, skipsOversize: true)
        for byte in try framing.frame(200) {
            stream.receive(CollectionOfOne(byte))
            try #require(stream.unconsumed.count <= Self.limit + framing.framing.overhead(of: Self.limit))
        }
        #expect(stream.unconsumed.isEmpty)
    }

    @Test(arguments: LimitTests.cases, 0..<12 as Range<UInt64>)
    func `long and short messages in any order are told apart`(framing: LimitTests.Case, seed: UInt64) throws
    {
        var random = Seeded(seed)
        var (stream, payloads, skipped): ([UInt8], [[UInt8]], [[UInt8]]) = ([], [], [])
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let count = Int.random(in: 0...Self.limit * 2, using: &random)
            let frame = try framing.frame(count)
            stream += frame
            if count > Self.limit {
                skipped.append(frame)
            } else {
                payloads.append(Array(repeating: 0x61, count: count))
            }
        }
        verify(framing.framing, limit: Self.limit, stream, holds: payloads, passesOver: skipped, seed: seed)
    }
}
