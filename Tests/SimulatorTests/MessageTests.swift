import Framing
import Testing

@testable import trunkline_sim

@Suite struct MessageTests {
    private func payloads(_ options: Options, from first: UInt64, count: Int) throws -> [String] {
        var buffer = MessageBuffer()
        let made = try MessageSource(options).append(first, atMost: count, upTo: .max, to: &buffer)
        #expect(made == count && buffer.messages.count == count)
        return buffer.messages.map { String(decoding: buffer.bytes[$0.payload], as: UTF8.self) }
    }

    private func options(_ arguments: String...) throws -> Options {
        try Options(testing: arguments)
    }

    @Test(arguments: [UInt64(0), 8, 98, 99_995, 4_294_967_290, 999_999_999_999_999_990])
    func `a counter message begins with its number and is padded to its size`(_ first: UInt64) throws {
        let made = try payloads(options("counter", "32"), from: first, count: 20)
        for (i, payload) in made.enumerated() {
            let digits = payload.prefix { $0.isNumber }
            #expect(UInt64(digits) == first + UInt64(i))
            #expect(payload.utf8.count == 32)
        }
    }

    @Test func `a number longer than the message keeps its last digits`() throws {
        #expect(try payloads(options("counter", "2"), from: 98, count: 4) == ["98", "99", "00", "01"])
    }

    @Test func `a batch ends with the message that fills it`() throws {
        var buffer = MessageBuffer()
        let source = try MessageSource(options("counter", "9"))
        #expect(try source.append(0, atMost: 1000, upTo: 95, to: &buffer) == 10)
        #expect(buffer.bytes.count == 100)
    }

    @Test func `a delimiter that numbers could hold is refused`() throws {
        #expect(throws: UnrepresentableError.holdsDelimiter) {
            try CounterFrames(size: 64, framing: .delimiter(end: Array("12".utf8)))
        }
    }

    @Test func `a message counts as sent with its last byte`() throws {
        var queue = OutgoingQueue()
        queue.append(raw: Array("hello".utf8))
        _ = try queue.append(
            from: MessageSource(options("counter", "9")), first: 0, atMost: 3, upTo: .max >> 1)
        #expect(queue.pending == 35)
        #expect(queue.moved(14, record: nil) == OutgoingQueue.Progress(messages: 0, own: 0))
        #expect(queue.moved(1, record: nil) == OutgoingQueue.Progress(messages: 1, own: 1))
        try queue.append(answer: Array("back".utf8), framing: .line())
        #expect(queue.moved(20, record: nil) == OutgoingQueue.Progress(messages: 2, own: 2))
        #expect(queue.moved(5, record: nil) == OutgoingQueue.Progress(messages: 1, own: 0))
        #expect(queue.pending == 0)
    }

    @Test func `what was sent is forgotten without harm to what waits`() throws {
        var queue = OutgoingQueue()
        let source = try MessageSource(options("counter", "999"))
        _ = try queue.append(from: source, first: 0, atMost: 3000, upTo: .max >> 1)
        var sent: [UInt8] = []
        var messages = 0
        while queue.pending > 0 {
            let part = min(queue.pending, 777)
            queue.withPending { bytes in for i in 0..<part { sent.append(bytes[i]) } }
            messages += queue.moved(part, record: nil).messages
        }
        #expect(messages == 3000)
        var expected = MessageBuffer()
        _ = try source.append(0, atMost: 3000, upTo: .max, to: &expected)
        #expect(sent == expected.bytes)
    }
}

extension Options {
    /// Of the kind and size given; getopt's state is global, so a command line is left to the program's own tests.
    fileprivate init(testing arguments: [String]) throws {
        self.init()
        message = arguments[0] == "ais" ? .ais : .counter
        givenSize = Int(arguments[1])
    }
}

@Suite struct ScheduleTests {
    private let start = ContinuousClock.now

    @Test func `messages are due at even distances, the first at once`() {
        let schedule = Schedule(rate: 4, start: start)
        #expect(schedule.due(by: start) == 1)
        #expect(schedule.due(by: start + .milliseconds(249)) == 1)
        #expect(schedule.due(by: start + .milliseconds(250)) == 2)
        #expect(schedule.due(by: start + .seconds(3600)) == 14_401)
        #expect(schedule.instant(of: 3) == start + .milliseconds(750))
    }

    @Test(arguments: [0.001, 0.3, 7, 1000, 1e9])
    func `a message is due at its instant and not before`(_ rate: Double) throws {
        let schedule = Schedule(rate: rate, start: start)
        for index in [0, 1, 2, 1000, 123_456] {
            let instant = try #require(schedule.instant(of: index))
            #expect(schedule.due(by: instant) == index + 1)
            #expect(schedule.due(by: instant - .nanoseconds(1)) == index)
        }
    }

    @Test func `as fast as possible, everything is due`() {
        let schedule = Schedule(rate: 0, start: start)
        #expect(schedule.due(by: start) == .max)
        #expect(schedule.instant(of: 5) == nil)
    }
}
