import TestSupport
import Testing

/// Messages that are too long, and connections that are too quiet.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LimitTests {
    private static func configuration(_ upstream: FakeUpstream, _ more: String, _ rest: String = "") -> String
    {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
          \(more)
        \(rest)
        """
    }

    /// A good message, and the beginning of one that is longer than 100 bytes.
    private static func tooLong(_ wire: Wire) -> [UInt8] {
        wire.frame("good")
            + (wire == .length ? [0x80, 0, 0, 0] : [UInt8](repeating: 0x61, count: 200))
    }

    @Test(arguments: [Wire.line, .delimiter, .length])
    func `too long a message from the upstream ends the connection, and it comes back`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        let more = "framing: \(wire.yaml)\n  max-message: 100"
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send(Self.tooLong(wire))
            _ = try server.receiveToEnd()
            let next = try upstream.accept()
            try next.send(wire.frame("again"))
            let expected = wire.frame("good") + wire.frame("again")
            #expect(try program.receive(expected.count) == expected)
            try daemon.awaitLine("a message is longer than max-message (100 bytes)")
        }
    }

    @Test(arguments: [Wire.line, .delimiter, .length])
    func `too long a message from a client ends that client only`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        let more = "framing: \(wire.yaml)\n  max-message: 100"
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let server = try upstream.accept()
            let (bad, good) = (try daemon.connect(), try daemon.connect())
            try bad.send(Self.tooLong(wire))
            #expect(try bad.receiveToEnd() == [])
            try good.send(wire.frame("again"))
            let expected = wire.frame("good") + wire.frame("again")
            #expect(try server.receive(expected.count) == expected)
            try daemon.awaitLine("client 1 of default", "a message is longer than max-message (100 bytes)")
            try server.send(wire.frame("to those who stay"))
            let message = wire.frame("to those who stay")
            #expect(try good.receive(message.count) == message)
            #expect(server.staysSilent(for: .milliseconds(20)))
        }
    }

    /// beast-splitter 5: a connection that only received was kept for ever, though the other side had forgotten it.
    /// OpenCPN pull request 3356, and 3566 in its place: a server that had been asleep kept the connection, and sent nothing.
    @Test(
        .bug("https://github.com/flightaware/beast-splitter/issues/5"),
        .bug("https://github.com/OpenCPN/OpenCPN/pull/3356"))
    func `a quiet connection is made anew after idle-timeout, and one that is not quiet stays`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "idle-timeout: 400ms")) { daemon in
            var server = try upstream.accept()
            // Since when the connection stands is not known here.
            var (sent, last) = (0, ContinuousClock.now - .seconds(1))
            while sent < 12 {
                let start = ContinuousClock.now
                _ = try? server.sendSome([0x0A])
                let isKept = server.staysSilent(for: .milliseconds(100))
                // A test that was not scheduled for so long has itself been quiet: once more.
                let isLate = ContinuousClock.now - last >= .milliseconds(400)
                last = start
                #expect(isKept || isLate)
                sent += 1
                guard !isKept else { continue }
                (server, sent) = (try upstream.accept(), 0)
                last = ContinuousClock.now - .seconds(1)
            }
            #expect(try server.receiveToEnd() == [])
            #expect(ContinuousClock.now - last >= .milliseconds(400))
            let next = try upstream.accept()
            try daemon.awaitLine("nothing was received for idle-timeout")
            next.close()
        }
    }

    @Test func `a connection that we have stopped reading is not idle`() throws {
        let upstream = try FakeUpstream()
        let stream = (0..<10_000).flatMap { Wire.line.frame($0, size: 1000) }
        let more = "idle-timeout: 1s\n  max-message: 16K"
        let rest = "buffer: 64K\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream, more, rest)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            var sent = 0
            // Longer than the limit.
            while !server.staysFull(for: .milliseconds(1500)) { sent += try server.sendSome(stream[sent...]) }
            #expect(try upstream.acceptNow() == nil)
            #expect(sent < stream.count)
            let whole = Self.wholeMessages(in: sent)
            #expect(try program.receive(whole) == Array(stream[..<whole]))
        }
    }

    private static func wholeMessages(in count: Int) -> Int {
        let size = Wire.line.frame(0, size: 1000).count
        return count / size * size
    }
}
