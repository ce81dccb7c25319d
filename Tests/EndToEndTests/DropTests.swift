import TestSupport
import Testing

/// Sockets with `when-behind: drop`: who does not keep up misses whole messages, and is told how many.
@Suite(.waits, .serialized, .timeLimit(.minutes(minutesToHang)))
struct DropTests {
    private static func configuration(_ upstream: FakeUpstream, patience: String = "1s") -> String {
        """
        upstream:
          address: \(upstream.address)
          max-message: 16K
        buffer: 64K
        sockets: {default: {when-behind: drop, patience: \(patience)}, patient: {patience: infinity}}
        """
    }

    /// The number of each message, which must be a whole one of a flood.
    private static func numbers(in stream: [UInt8]) throws -> [Int] {
        let (frames, rest) = Wire.line.split(stream)
        #expect(rest == [])
        return try frames.map { frame in
            let words = String(decoding: frame, as: UTF8.self).split(separator: " ")
            let number = try #require(words.count > 1 ? Int(words[1]) : nil)
            try #require(frame == Wire.line.frame(number, size: 1000), "a message that was never sent")
            return number
        }
    }

    /// How many messages the daemon says that its clients missed, one for each client that caught up.
    private static func missed(in daemon: DaemonProcess) throws -> [Int] {
        try daemon.log.filter { $0.contains("missed") && $0.contains("client") }.map { line in
            let words = line.split(separator: " ")
            let index = try #require(words.firstIndex(of: "missed"))
            return try #require(Int(words[index + 1]))
        }
    }

    /// A client that reads nothing, and one that reads 1 KiB ten times a second.
    @Test(arguments: [Duration.seconds(3600), .milliseconds(100)])
    func `one that does not keep up misses whole messages, each of which is counted`(pause: Duration) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            let server = try upstream.accept()
            let readers = try daemon.connect(3, to: "patient").map { Flood.Reader($0) }
            let slow = Flood.Reader(try daemon.connect(), piece: 1024, pause: pause, isLossy: true)
            let isBehind = { daemon.log.contains { $0.contains("it misses messages") } }
            var flood = Flood(from: server, to: readers + [slow])
            try flood.run(for: .zero, until: isBehind)
            let before = flood.sent
            // The ring fills more than a hundred times: a second of patience for each would be too long.
            let end = ContinuousClock.now + .seconds(60)
            while flood.sent < before + 10 << 20, ContinuousClock.now < end {
                try flood.run(for: .milliseconds(100))
            }
            #expect(flood.sent >= before + 10 << 20)
            try flood.drain(readers)
            #expect(flood.mistakes == [])
            #expect(readers.allSatisfy { $0.received == flood.sent && !$0.isCut })
            #expect(daemon.clientCount() == 1)

            // It reads all that is there; the next message then finds that it has caught up.
            var stream = slow.bytes
            for number in 7770...7771 {
                let message = Wire.line.frame(number, size: 1000)
                try server.send(message)
                stream += try slow.stream.receive(through: message)
            }
            try daemon.awaitLine("client 4 of default", "has caught up")
            let numbers = try Self.numbers(in: stream)
            let sent = flood.sent / flood.messageSize + 2
            #expect(try Self.missed(in: daemon) == [sent - numbers.count])
            #expect(zip(numbers, numbers.dropFirst()).contains { $1 != ($0 + 1) % 2000 }, "no gap")
            #expect(daemon.log.count { $0.contains("it misses messages") } == 1)
            #expect(numbers.suffix(2) == [7770, 7771])
        }
    }

    @Test func `what comes after a client has closed its connection is not counted as missed by it`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = """
            upstream:
              address: \(upstream.address)
              max-message: 16K
            buffer: 64K
            outbox: 64K
            sockets: {default: {patience: infinity}, lossy: {when-behind: drop, patience: 100ms}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let reader = Flood.Reader(try daemon.connect())
            let lossy = try daemon.connect(to: "lossy")
            // What it has sent keeps it, for the upstream reads nothing.
            try lossy.fill()
            var flood = Flood(from: server, to: [reader])
            try flood.run(for: .zero) { daemon.log.contains { $0.contains("it misses messages") } }
            try flood.drain([reader])
            lossy.hangUp()
            let sent = flood.sent
            // The upstream has to wait for a program that does not read.
            while !server.staysFull(for: .milliseconds(100)) { try flood.send() }
            try flood.run(for: .zero)
            try flood.drain([reader])
            #expect(flood.mistakes == [])
            _ = try server.receive(64 << 10)
            try eventually("the one that has closed to be gone") {
                _ = server.receiveNow()
                return daemon.log.contains { $0.contains("never caught up: it missed") }
            }
            let line = try daemon.awaitLine("client 2 of lossy", "never caught up: it missed")
            let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }.suffix(2)
            #expect(numbers.last == (numbers.first ?? 0) * flood.messageSize, "\(line)")
            #expect(numbers.last ?? .max < sent, "\(line)")
        }
    }
}
