import Control
import Glibc
import TestSupport
import Testing

/// `framing: idle` and `none`, and first messages that are not wanted.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct BoundaryTests {
    private static func configuration(_ upstream: FakeUpstream, _ more: String) -> String {
        """
        upstream:
          address: '\(upstream.address)'
          reconnect: {min: 10ms, max: 10ms}
          max-message: 16K
          \(more)
        """
    }

    private static func bridge(_ daemon: DaemonProcess) throws -> BridgeDescription {
        try Controller(daemon).describe().bridge
    }

    private static func awaitReceived(_ bytes: Int, _ daemon: DaemonProcess) throws {
        try eventually("\(bytes) bytes to be read") { try bridge(daemon).received.bytes == bytes }
    }

    private static func count(_ reason: String, _ daemon: DaemonProcess) throws -> CounterDescription? {
        try bridge(daemon).counters.first { $0.reason == reason }
    }

    // MARK: A pause

    @Test func `a pause ends a message, an end in good order as well, and a reset throws it away`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "framing: {kind: idle, gap: 1500ms}")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            let start = ContinuousClock.now
            for number in 1...5 {
                try server.send([UInt8]("part"))
                try Self.awaitReceived(4 * number, daemon)
            }
            // A test that was not scheduled for so long has made a pause itself.
            let isLate = ContinuousClock.now - start >= .milliseconds(1500)
            #expect(try program.receive(20) == [UInt8]("partpartpartpartpart"))
            let messages = try Self.bridge(daemon).received.messages
            #expect(messages == 1 || isLate)
            try server.send([UInt8]("the rest"))
            server.close()
            #expect(try program.receive(8) == [UInt8]("the rest"))
            let next = try upstream.accept()
            try daemon.awaitStatus("ready")
            // Both are there at once.
            daemon.signal(SIGSTOP)
            try eventually("the daemon to stand still") { daemon.process.isStopped }
            try next.send([UInt8]("torn"))
            try eventually("it to be in the daemon's kernel") { next.unacknowledged == 0 }
            next.reset()
            daemon.signal(SIGCONT)
            _ = try upstream.accept()
            #expect(try Self.count("cut-off", daemon)?.bytes == 4)
            #expect(try Self.bridge(daemon).received.messages == messages + 1)
            #expect(program.staysSilent(for: .milliseconds(1)))
        }
    }

    @Test func `a daemon that stood still takes its own pause for none of the server`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "framing: {kind: idle, gap: 1s}")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            let start = ContinuousClock.now
            try server.send([UInt8]("one "))
            try Self.awaitReceived(4, daemon)
            daemon.signal(SIGSTOP)
            try eventually("the daemon to stand still") { daemon.process.isStopped }
            // A test that was not scheduled for so long has made a pause itself.
            let isLate = ContinuousClock.now - start >= .seconds(1)
            try server.send([UInt8]("message"))
            #expect(program.staysSilent(for: .milliseconds(1200)) || isLate)
            daemon.signal(SIGCONT)
            #expect(try program.receive(11) == [UInt8]("one message"))
            #expect(try Self.bridge(daemon).received.messages == 1 || isLate)
        }
    }

    @Test func `while slow clients leave no room no pause is concluded from what is not read`() throws {
        let upstream = try FakeUpstream()
        let settings = "framing: {kind: idle, gap: 30ms}"
        let more = "buffer: 64K\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream, "\(settings)\n\(more)")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            let message = [UInt8](repeating: 0x61, count: 16_000)
            var sent = 0
            try eventually("a message that is read in part", within: .seconds(30)) {
                let bridge = try Self.bridge(daemon)
                guard bridge.buffer.used < 1 << 16 else { return true }
                if bridge.received.messages == sent {
                    try server.send(message)
                    sent += 1
                }
                return false
            }
            #expect(try Self.bridge(daemon).received.bytes < sent * message.count)
            #expect(server.staysSilent(for: .milliseconds(100)))
            #expect(try program.receive(sent * message.count).count == sent * message.count)
            #expect(try Self.bridge(daemon).received.messages == sent)
        }
    }

    @Test func `between messages a bridge without news does not wake`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "framing: {kind: idle, gap: 10ms}")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8]("news"))
            #expect(try program.receive(4) == [UInt8]("news"))
            let (before, start) = (daemon.process.sleeps, ContinuousClock.now)
            #expect(program.staysSilent(for: .milliseconds(500)))
            let sleeps = daemon.process.sleeps - before
            // Rates are still told, once a second.
            let seconds = Int((ContinuousClock.now - start) / .seconds(1))
            #expect(sleeps <= 2 + 2 * seconds)
        }
    }

    @Test func `one that is too long is passed over up to the pause`() throws {
        let upstream = try FakeUpstream()
        let framing = "framing: {kind: idle, gap: 20ms}\n  oversize: skip"
        try DaemonProcess.run(Self.configuration(upstream, framing)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8](repeating: 0x61, count: 40_000))
            try Self.awaitReceived(40_000, daemon)
            // Each answer is a turn of the loop, the last ones after the pause.
            for _ in 0..<3 {
                #expect(program.staysSilent(for: .milliseconds(40)))
                _ = try Self.bridge(daemon)
            }
            try server.send([UInt8]("next"))
            #expect(try program.receive(4) == [UInt8]("next"))
            #expect(try Self.count("oversize", daemon)?.bytes == 40_000)
        }
    }

    // MARK: Reads

    @Test func `without a framing each read is a message, and a large one several, in both directions`()
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "framing: none")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            for _ in 0..<3 {
                try server.send([UInt8]("some\nthing"))
                #expect(try program.receive(10) == [UInt8]("some\nthing"))
                try program.send([0, 1])
                #expect(try server.receive(2) == [0, 1])
            }
            #expect(try Self.bridge(daemon).received.messages == 3)
            let large = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try server.send(large)
            #expect(try program.receive(large.count) == large)
            #expect(try Self.bridge(daemon).received.messages >= 3 + 100_000 / (16 << 10))
            try server.send([UInt8]("last"))
            server.close()
            #expect(try program.receive(4) == [UInt8]("last"))
            _ = try upstream.accept()
            #expect(try Self.count("cut-off", daemon)?.times == 0)
        }
    }

    // MARK: First messages

    @Test func `the first of each connection is dropped, however long it is, and not worth a line`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "first-message: discard")) { daemon in
            let program = try daemon.connect()
            for first in ["st of one\n", "\n", String(repeating: "x", count: 100_000) + "\n"] {
                let server = try upstream.accept()
                try server.send([UInt8](first + "next\n"))
                #expect(try program.receive(5) == [UInt8]("next\n"))
                server.close()
            }
            let count = try Self.count("first", daemon)
            #expect(count?.messages == 3 && count?.bytes == 100_012)
            #expect(!daemon.log.contains { $0.contains("discarded") })
            #expect(try Self.count("framing", daemon)?.times == 0)
        }
    }

    @Test func `with a dialogue, it is the first after that`() throws {
        let upstream = try FakeUpstream()
        let settings = #"on-connect: [{expect: 'login: '}, {send: 'me\n'}]"# + "\n  first-message: discard"
        try DaemonProcess.run(Self.configuration(upstream, settings)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8]("login: "))
            #expect(try server.receive(3) == [UInt8]("me\n"))
            try server.send([UInt8]("rest\nnext\n"))
            #expect(try program.receive(5) == [UInt8]("next\n"))
        }
    }

    @Test func `an answer to a heartbeat that is dropped as the first message is no missing one`() throws {
        let upstream = try FakeUpstream()
        let settings =
            #"heartbeat: {send: 'ping\n', expect: pong, every: 1s}"# + "\n  first-message: discard"
        try DaemonProcess.run(Self.configuration(upstream, settings)) { daemon in
            let server = try upstream.accept()
            for _ in 0..<2 {
                #expect(try server.receive(5) == [UInt8]("ping\n"))
                try server.send([UInt8]("pong\n"))
            }
            #expect(try Self.count("heartbeat", daemon)?.times == 0)
            try eventually("the second answer") { try Self.bridge(daemon).received.messages >= 1 }
        }
    }
}
