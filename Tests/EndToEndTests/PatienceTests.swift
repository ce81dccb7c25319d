import Glibc
import Linux
import Testing

/// One slow program does not stall the others.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PatienceTests {
    /// How a client that is no good reads.
    enum Reader: CaseIterable, Sendable {
        case never
        case trickle
    }

    /// Floods the programs, who all read; `slow` does not.
    ///
    /// - Returns: Whether each program received exactly the stream.
    private static func flood(
        _ server: Stream, _ stream: [UInt8], to programs: [Stream], slow: Stream?, _ reader: Reader
    ) throws {
        var sent = 0
        var received = Array(repeating: 0, count: programs.count)
        var lastTrickle = ContinuousClock.now
        let deadline = ContinuousClock.now + .seconds(60)
        while received.contains(where: { $0 < stream.count }) {
            guard ContinuousClock.now < deadline else { throw DeadlinePassed(what: "the flood to arrive") }
            sent += try server.sendSome(stream[sent...].prefix(1 << 18))
            for (i, program) in programs.enumerated() {
                switch program.receiveNow(atMost: 1 << 18) {
                case .bytes(let bytes):
                    guard isSame(bytes, stream, from: received[i]) else {
                        throw Mismatch(program: i, position: received[i])
                    }
                    received[i] += bytes.count
                case .nothing: break
                case .end, .failed: throw Mismatch(program: i, position: received[i])
                }
            }
            if reader == .trickle, let slow, ContinuousClock.now - lastTrickle > .milliseconds(100) {
                lastTrickle = ContinuousClock.now
                _ = slow.receiveNow(atMost: 100)
            }
        }
    }

    /// memcmp: the readers must be as quick as good programs are, whatever this is compiled for.
    private static func isSame(_ bytes: [UInt8], _ stream: [UInt8], from start: Int) -> Bool {
        guard start + bytes.count <= stream.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            stream[start...].withUnsafeBytes { stream in
                guard let a = bytes.baseAddress, let b = stream.baseAddress else { return bytes.isEmpty }
                return memcmp(a, b, bytes.count) == 0
            }
        }
    }

    struct Mismatch: Error {
        let program: Int
        let position: Int
    }

    private static let stream = (0..<30_000).flatMap { Wire.line.frame($0, size: 200) }

    private static func configuration(_ upstream: FakeUpstream, patience: String) -> String {
        """
        upstream: {address: '\(upstream.address)', max-message: 16K}
        buffer: 1M
        sockets: {default: {patience: \(patience)}}
        """
    }

    @Test(arguments: [10, 100])
    func `in a flood no healthy client is disconnected`(count: Int) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, patience: "1s")) { daemon in
            let server = try upstream.accept()
            let stream = Self.stream.prefix(count == 100 ? 201 * 10_000 : .max)
            try Self.flood(server, Array(stream), to: try daemon.connect(count), slow: nil, .never)
            #expect(!daemon.log.contains { $0.contains("disconnected") })
        }
    }

    @Test(arguments: Reader.allCases)
    func `a client that holds the others up is disconnected, and it alone`(reader: Reader) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, patience: "300ms")) { daemon in
            let server = try upstream.accept()
            let slow = try daemon.connect()
            let programs = try daemon.connect(10)
            try Self.flood(server, Self.stream, to: programs, slow: slow, reader)
            try daemon.awaitLine("client 1 of default", "held the others up for longer than its patience")
            #expect(daemon.log.count { $0.contains("disconnected") } == 1)
            // What it gets is a beginning of the stream, and then end-of-file.
            let received = try slow.receiveToEnd()
            #expect(received.count < Self.stream.count)
            if reader == .never { #expect(Self.stream.starts(with: received)) }
        }
    }

    @Test func `a lone client that reads nothing is disconnected as well`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, patience: "200ms")) { daemon in
            let server = try upstream.accept()
            let slow = try daemon.connect()
            var sent = 0
            while sent < Self.stream.count {
                sent += try server.sendSome(Self.stream[sent...])
                if daemon.log.contains(where: { $0.contains("longer than its patience") }) { break }
            }
            try daemon.awaitLine("longer than its patience")
            #expect(Self.stream.starts(with: try slow.receiveToEnd()))
        }
    }

    @Test func `with endless patience the upstream waits, and nothing is lost`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, patience: "infinity")) { daemon in
            let server = try upstream.accept()
            let (slow, fast) = (try daemon.connect(), try daemon.connect())
            // More than the kernel's buffers of both ends take.
            let stream = [[UInt8]](repeating: Self.stream, count: 5).flatMap { $0 }
            var sent = 0
            var received = 0
            while !server.staysFull(for: .milliseconds(200)) {
                sent += try server.sendSome(stream[sent...])
                while case .bytes(let bytes) = fast.receiveNow(atMost: 1 << 18) { received += bytes.count }
            }
            #expect(sent < stream.count)
            while !fast.staysSilent(for: .milliseconds(100)) {
                if case .bytes(let bytes) = fast.receiveNow(atMost: 1 << 18) { received += bytes.count }
            }
            let before = daemon.process.processorTime
            #expect(fast.staysSilent(for: .milliseconds(300)))
            #expect(daemon.process.processorTime - before < .milliseconds(50))
            let whole = stream.prefix(sent - sent % 201)
            var last: [UInt8] = []
            try eventually("all that was sent") {
                if case .bytes(let bytes) = slow.receiveNow(atMost: 1 << 18) { last += bytes }
                if case .bytes(let bytes) = fast.receiveNow(atMost: 1 << 18) { received += bytes.count }
                return last.count >= whole.count
            }
            #expect(Self.isSame(last, stream, from: 0))
            #expect(received >= whole.count)
        }
    }
}
