import Glibc
import TestSupport
import Testing

/// Clients that fall behind, and those who must not suffer from them.
@Suite(.waits, .serialized, .timeLimit(.minutes(minutesToHang)))
struct PatienceTests {
    private static func configuration(_ upstream: FakeUpstream, _ socket: String = "", _ more: String = "")
        -> String
    {
        """
        upstream:
          address: \(upstream.address)
          max-message: 16K
        buffer: 64K
        sockets: {default: {\(socket)}\(more)}
        """
    }

    /// Tries it again when the test itself was not scheduled for so long that clients that read may have lost their
    /// patience. The body floods; what it returns besides looks at what has come of that.
    private static func inTime(
        _ body: (DaemonProcess, FakeUpstream) throws -> (Flood, () throws -> Void)
    ) throws {
        for _ in 0..<10 {
            let upstream = try FakeUpstream()
            let isInTime: Bool = try DaemonProcess.run(configuration(upstream)) { daemon in
                let (flood, check) = try body(daemon, upstream)
                guard flood.longestPause < .milliseconds(700) else { return false }
                try check()
                return true
            }
            if isInTime { return }
        }
        Issue.record("the test was never scheduled in time")
    }

    @Test(arguments: [10, 100])
    func `a flood to healthy clients cuts none of them`(clients: Int) throws {
        try Self.inTime { daemon, upstream in
            let readers = try daemon.connect(clients).map { Flood.Reader($0) }
            var flood = Flood(from: try upstream.accept(), to: readers)
            // Longer than their patience.
            try flood.run(for: .milliseconds(1600))
            try flood.drain(readers)
            let done = flood
            return (
                done,
                {
                    #expect(done.mistakes == [])
                    #expect(readers.allSatisfy { $0.received == done.sent && !$0.isCut })
                    #expect(done.sent > 2 << 20)
                }
            )
        }
    }

    /// A client that reads nothing, and one that reads 1 KiB ten times a second.
    @Test(arguments: [Duration.seconds(3600), .milliseconds(100)], [1, 100])
    func `one that does not keep up is cut alone, and all others receive all`(pause: Duration, clients: Int)
        throws
    {
        try Self.inTime { daemon, upstream in
            let readers = try daemon.connect(clients).map { Flood.Reader($0) }
            let slow = Flood.Reader(try daemon.connect(), piece: 1024, pause: pause)
            let isCut = { daemon.log.contains { $0.contains("held the others up") } }
            var flood = Flood(from: try upstream.accept(), to: readers + [slow])
            try flood.run(for: .milliseconds(500), until: isCut)
            let before = flood.sent
            try flood.run(for: .milliseconds(500))
            try flood.drain(readers)
            let done = flood
            return (
                done,
                {
                    #expect(done.mistakes == [])
                    #expect(readers.allSatisfy { $0.received == done.sent && !$0.isCut })
                    #expect(done.sent > before + 1 << 20)
                    #expect(daemon.clientCount() == clients)
                    let lines = daemon.log.filter { $0.contains("disconnected") }
                    #expect(lines.count == 1)
                    #expect(lines.first?.contains("client \(clients + 1) of default") == true, "\(lines)")
                    // What it had been given is there to the last byte, and is a part of the stream.
                    let rest = try slow.stream.receiveToEnd()
                    #expect(rest.count < done.sent)
                }
            )
        }
    }

    @Test func `one that never reads is cut when its own patience is used up, and not before`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "patience: 2s")) { daemon in
            let (reader, slow) = (Flood.Reader(try daemon.connect()), try daemon.connect())
            var flood = Flood(from: try upstream.accept(), to: [reader])
            let start = ContinuousClock.now
            try flood.run(for: .zero) { daemon.log.contains { $0.contains("held the others up") } }
            #expect(ContinuousClock.now - start > .seconds(2))
            #expect(try slow.receiveToEnd().isEmpty == false)
        }
    }

    @Test func `with infinite patience everything arrives, however long a client waits`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "patience: infinity")) { daemon in
            let server = try upstream.accept()
            let (quick, slow) = (Flood.Reader(try daemon.connect()), Flood.Reader(try daemon.connect()))
            var flood = Flood(from: server, to: [quick])
            // The upstream has to wait when every buffer on the way is full.
            while !server.staysFull(for: .milliseconds(300)) {
                do { try flood.run(for: .seconds(60), within: .milliseconds(200)) } catch is DeadlinePassed {}
            }
            // It waits without spinning.
            try daemon.process.awaitRest()
            #expect(daemon.clientCount() == 2)
            var rest = Flood(continuing: flood, to: [quick, slow])
            try rest.run(for: .zero)
            try rest.drain([quick, slow])
            #expect(rest.mistakes == [])
            #expect(quick.received == rest.sent)
            #expect(slow.received == rest.sent)
        }
    }

    @Test(arguments: [false, true])
    func `an upstream that is gone while it was made to wait is shown to be, and loses nothing`(isReset: Bool)
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "patience: infinity")) { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            // More than the ring and the program's socket hold, and not more than the daemon's socket holds besides.
            let stream = (0..<320).flatMap { Wire.line.frame($0, size: 1000) }
            try server.send(stream)
            try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
            try daemon.awaitStatus("ready")
            if isReset { server.reset() } else { server.close() }
            try daemon.awaitStatus("ended by \(upstream.address)")
            try daemon.process.awaitRest()
            #expect(try program.receive(stream.count) == stream)
            try daemon.awaitLine("connection to \(upstream.address) lost")
            _ = try upstream.accept()
            try daemon.awaitStatus("ready")
        }
    }

    @Test func `a client that was cut can come back`() throws {
        let upstream = try FakeUpstream()
        let configuration = Self.configuration(
            upstream, "patience: 200ms", ", patient: {patience: infinity}")
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let (reader, slow) = (Flood.Reader(try daemon.connect(to: "patient")), try daemon.connect())
            var flood = Flood(from: server, to: [reader])
            try flood.run(for: .zero) { daemon.log.contains { $0.contains("held the others up") } }
            try flood.drain([reader])
            slow.close()
            let back = try daemon.connect()
            let message = Wire.line.frame("hello again")
            try server.send(message)
            #expect(try back.receive(message.count) == message)
        }
    }

    @Test func `an upstream that does not read makes clients wait to send, and nothing is lost`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let stream = (0..<8000).flatMap { Wire.line.frame($0, size: 1000) }
        try DaemonProcess.run("\(Self.configuration(upstream))\noutbox: 64K") { daemon in
            let server = try upstream.accept()
            let (talker, listener) = (try daemon.connect(), try daemon.connect())
            var sent = 0
            while !talker.staysFull(for: .milliseconds(200)) { sent += try talker.sendSome(stream[sent...]) }
            #expect(sent < stream.count)
            // The other direction goes on.
            let message = Wire.line.frame("hello")
            try server.send(message)
            #expect(try listener.receive(message.count) == message)
            #expect(try talker.receive(message.count) == message)
            let whole = sent - sent % Wire.line.frame(0, size: 1000).count
            #expect(try server.receive(whole) == Array(stream[..<whole]))
            // There is room again.
            try talker.send(Array(stream[sent..<whole + Wire.line.frame(0, size: 1000).count]))
            #expect(try server.receive(Wire.line.frame(0, size: 1000).count).count > 1000)
        }
    }
}
