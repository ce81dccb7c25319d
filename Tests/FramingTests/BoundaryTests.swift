import Framing
import Testing

/// Messages whose end is not in the bytes.
struct BoundaryTests {
    static let framings = [Framing.untilClose(every: .seconds(10)), .idle(gap: .milliseconds(50))]

    @Test func `a framing tells what ends its messages`() {
        #expect(Self.framings.map(\.boundary) == [.close(every: .seconds(10)), .pause(.milliseconds(50))])
        #expect(Framing.unframed.boundary == .read)
        #expect(Framing.line().boundary == .bytes)
    }

    @Test(arguments: framings)
    func `all that came is one message, when that is told`(framing: Framing) {
        var stream = Stream(framing, limit: 10)
        stream.finish(isMessage: false)
        for piece in ["one", "\n", "two"] { stream.receive([UInt8](piece)) }
        #expect(stream.found.payloads.isEmpty)
        stream.finish(isMessage: true)
        stream.finish(isMessage: false)
        stream.receive([UInt8]("1234567890"))
        stream.finish(isMessage: true)
        #expect(stream.found.payloads == ["one\ntwo", "1234567890"].map { [UInt8]($0) })
        stream.receive([UInt8]("1234567890"))
        stream.receive([UInt8]("1"))
        #expect(stream.found.fault == .tooLong(limit: 10))
    }

    @Test(arguments: framings)
    func `too much is passed over, up to the boundary`(framing: Framing) {
        var stream = Stream(framing, limit: 10, skipsOversize: true)
        for _ in 0..<3 {
            stream.receive([UInt8]("123456"))
            #expect(stream.unconsumed.count <= 6)
        }
        stream.finish(isMessage: false)
        stream.receive([UInt8]("next"))
        stream.finish(isMessage: true)
        #expect(stream.found.payloads == [[UInt8]("next")])
        #expect(stream.found.skipped.map(\.count) == [18])
    }

    @Test func `without a framing, each read is a message`() throws {
        var stream = Stream(.unframed, limit: 10)
        for piece in ["a", "bc\n", "1234567890", "1234567890+"] { stream.receive([UInt8](piece)) }
        #expect(
            stream.found.payloads == ["a", "bc\n", "1234567890", "1234567890", "+"].map { [UInt8]($0) })
        stream.finish(isMessage: false)
        #expect(throws: UnrepresentableError.empty) { try encoded([[]], as: .unframed) }
        #expect(try encoded([[1], [2, 3]], as: .unframed) == [1, 2, 3])
    }

    @Test func `a boundary ends nothing where bytes do`() {
        var stream = Stream(.line(), limit: 10)
        stream.receive([UInt8]("one\ntw"))
        stream.finish(isMessage: false)
        stream.receive([UInt8]("o\n"))
        #expect(stream.found.payloads == ["one", "two"].map { [UInt8]($0) })
    }
}
