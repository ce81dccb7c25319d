import TestSupport
import Testing

/// `write-timeout`: a server that takes nothing.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct WriteTimeoutTests {
    private static func configuration(_ address: String, _ limit: String) -> String {
        """
        upstream:
          address: \(address)
          reconnect: {min: 10ms, max: 10ms}
          write-timeout: \(limit)
          max-message: 16K
        outbox: 64K
        """
    }

    private func isGivenUp(_ upstream: FakeUpstream) throws {
        try DaemonProcess.run(Self.configuration(upstream.address, "400ms")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            // In the background, as far as it goes: the daemon reconnects meanwhile.
            var rest: [UInt8] = (0..<5000).flatMap { Wire.line.frame($0, size: 1000) }
            let start = ContinuousClock.now
            var next: Stream?
            try eventually("a second connection") {
                rest.removeFirst(try program.sendSome(rest[...]))
                next = try upstream.acceptNow()
                return next != nil
            }
            #expect(ContinuousClock.now - start >= .milliseconds(400))
            try daemon.awaitLine("the upstream took nothing for write-timeout", "next attempt in")
            // The new connection begins with a whole message.
            let first = try next?.receive(10) ?? []
            #expect(String(decoding: first, as: UTF8.self).hasPrefix("message "))
            server.close()
        }
    }

    /// aprsc 31: a server that took no data was disconnected from, and never connected to again.
    @Test(.bug("https://github.com/hessu/aprsc/issues/31"))
    func `a server that stops reading is given up, and what waited is sent to the next`() throws {
        try isGivenUp(try FakeUpstream(receiveBuffer: 4096))
    }

    @Test func `so is one on a Unix socket, of which the kernel knows no timeout`() throws {
        let directory = try TemporaryDirectory()
        try isGivenUp(try FakeUpstream(path: directory("upstream")))
    }

    @Test func `a server that reads slowly but surely stays`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        try DaemonProcess.run(Self.configuration(upstream.address, "600ms")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let begin = ContinuousClock.now
            try program.fill()
            // A little, again and again, for three times the limit; the outbox stays full all the while.
            let start = ContinuousClock.now
            var (last, longest) = (begin, Duration.zero)
            while ContinuousClock.now - start < .milliseconds(1800) {
                longest = max(longest, ContinuousClock.now - last)
                // A test that was not scheduled for so long has not read, and is given up rightly.
                guard longest < .milliseconds(500) else { return }
                _ = try server.receive(4096)
                last = .now
                #expect(try upstream.acceptNow() == nil)
                _ = program.staysFull(for: .milliseconds(100))
            }
            #expect(!daemon.log.contains { $0.contains("write-timeout") })
        }
    }

    @Test func `a server to which nothing need be sent stays, however little it reads`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream.address, "100ms")) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try program.send(Wire.line.frame("taken by its kernel"))
            try eventually("the message") { server.waiting > 0 }
            try server.send(Wire.line.frame("still here"))
            let expected = Wire.line.frame("still here")
            #expect(try program.receive(expected.count) == expected)
            #expect(program.staysSilent(for: .milliseconds(500)))
            #expect(try upstream.acceptNow() == nil)
        }
    }
}
