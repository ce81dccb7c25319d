import Control
import Glibc
import TestSupport
import Testing

/// `framing: until-close`: the end of a connection in good order ends a message, and another connection follows.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct UntilCloseTests {
    private static func configuration(
        _ address: String, every: String = "1h", _ upstream: String = "", _ more: String = ""
    ) -> String {
        """
        upstream:
          address: '\(address)'
          reconnect: {min: 10ms, max: 10ms}
          framing: {kind: until-close, every: \(every)}
          max-message: 16K
        \(upstream.isEmpty ? "" : "  \(upstream)\n")\(more)
        """
    }

    /// What was counted for a reason.
    private static func count(_ reason: String, _ daemon: DaemonProcess) throws -> CounterDescription? {
        try Controller(daemon).describe().bridge.counters.first { $0.reason == reason }
    }

    private static func awaitRead(_ count: Int, _ daemon: DaemonProcess) throws {
        try eventually("\(count) bytes to be read") {
            try Controller(daemon).describe().bridge.buffer.used == count
        }
    }

    @Test func `a message is all that came up to the end, and the next connection comes after a while`()
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, every: "300ms")) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8]("Monday\n"))
            try Self.awaitRead(7, daemon)
            try server.send([UInt8]("noon"))
            #expect(program.staysSilent(for: .milliseconds(50)))
            let end = ContinuousClock.now
            server.close()
            #expect(try program.receive(11) == [UInt8]("Monday\nnoon"))
            try eventually("the rest to be told") {
                daemon.manager.statuses.contains {
                    $0.hasPrefix("resting until ")
                        && $0.hasSuffix("what \(upstream.address) sends is complete, 1 client")
                }
            }
            // Nothing received is no message.
            try upstream.accept().close()
            #expect(ContinuousClock.now - end >= .milliseconds(300))
            let last = try upstream.accept()
            try last.send([UInt8]("Tuesday"))
            last.close()
            #expect(try program.receive(7) == [UInt8]("Tuesday"))
            let bridge = try Controller(daemon).describe().bridge
            #expect(bridge.received == AmountDescription(messages: 2, bytes: 18))
            #expect(bridge.counters.allSatisfy { $0.times == 0 })
        }
    }

    @Test func `years of it are two lines of the log`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, every: "10ms")) { daemon in
            for _ in 0..<40 { try upstream.accept().close() }
            try daemon.awaitLine("sends is complete")
            let lines = daemon.log.filter { $0.contains(upstream.address) }
            #expect(lines.count == 2)
            #expect(lines.first?.hasSuffix("connected to \(upstream.address)") == true)
            #expect(
                lines.last?.contains("what \(upstream.address) sends is complete; next connection in 10 ms")
                    == true)
        }
    }

    @Test func `a message that a reset cuts off is thrown away and counted`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8]("torn"))
            try Self.awaitRead(4, daemon)
            server.reset()
            let next = try upstream.accept()
            try next.send([UInt8]("whole"))
            next.close()
            #expect(try program.receive(5) == [UInt8]("whole"))
            #expect(try Self.count("cut-off", daemon)?.bytes == 4)
            #expect(try Self.count("failed", daemon)?.times == 1)
        }
    }

    @Test func `over TLS it must say so itself: what anybody may have cut off is no message`() throws {
        let server = try TLSUpstream()
        let framing = "framing: {kind: until-close, every: 1h}"
        try DaemonProcess.run(server.configuration(upstream: framing)) { daemon in
            let program = try daemon.connect()
            let first = try server.acceptReady()
            try first.peer.send([UInt8]("torn"))
            try Self.awaitRead(4, daemon)
            first.stream.close()
            let second = try server.acceptReady()
            try second.peer.send([UInt8]("whole"))
            try second.close()
            #expect(try program.receive(5) == [UInt8]("whole"))
            try daemon.awaitStatus("resting")
            #expect(try Self.count("truncated", daemon)?.times == 1)
            #expect(try Self.count("cut-off", daemon)?.bytes == 4)
        }
    }

    @Test func `each connection may begin with a question, as finger and whois have it`() throws {
        let upstream = try FakeUpstream()
        let question = #"on-connect: [{send: 'who\r\n'}]"#
        try DaemonProcess.run(Self.configuration(upstream.address, every: "10ms", question)) { daemon in
            let program = try daemon.connect()
            for answer in ["nobody\n", "", "you\n"] {
                let server = try upstream.accept()
                #expect(try server.receive(5) == [UInt8]("who\r\n"))
                try server.send([UInt8](answer))
                server.close()
                #expect(try program.receive(answer.utf8.count) == [UInt8](answer))
            }
            #expect(try Self.count("greeting", daemon)?.times == 0)
        }
    }

    // MARK: What clients send

    @Test(arguments: ["when-down: discard", "hold-time: 20ms"])
    func `what a client sends makes the next connection at once, and is not thrown away`(more: String) throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "", more)) { daemon in
            let program = try daemon.connect()
            try upstream.accept().close()
            try daemon.awaitStatus("resting")
            let uplink = try Controller(daemon).describe().bridge.uplink
            #expect(uplink.state == .resting)
            #expect(uplink.nextAttempt != nil && uplink.reason == nil && uplink.outageSince == nil)
            // Longer than messages are held while the upstream is away.
            #expect(program.staysSilent(for: .milliseconds(100)))
            for query in ["one", "another"] {
                try program.send([UInt8](query))
                let server = try upstream.accept()
                #expect(try server.receive(query.utf8.count) == [UInt8](query))
                try server.send([UInt8]("answer"))
                server.close()
                #expect(try program.receive(6) == [UInt8]("answer"))
                try daemon.awaitStatus("resting")
            }
            #expect(try Self.count("upstream-away", daemon)?.times == 0)
        }
    }

    @Test
    func `an attempt that fails is an outage: told, retried, and messages are held no longer than said`()
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "", "when-down: discard")) { daemon in
            let program = try daemon.connect()
            try upstream.accept().close()
            try daemon.awaitStatus("resting")
            upstream.stopListening()
            try program.send([UInt8]("query"))
            try daemon.awaitLine("cannot connect to \(upstream.address): Connection refused")
            try daemon.awaitLine("discarded 1 message (5 bytes) from clients")
            try upstream.listen()
            let server = try upstream.accept()
            try daemon.awaitLine("connected to \(upstream.address) after")
            server.close()
            try daemon.awaitStatus("resting")
            let uplink = try Controller(daemon).describe().bridge.uplink
            #expect(uplink.reason == nil && uplink.outageSince == nil && uplink.attempts == 0)
        }
    }

    @Test func `what the upstream has not taken before it ended goes to the next connection`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let more = "outbox: 32M\nbuffer: 32M"
        let configuration = Self.configuration(upstream.address, "max-message: 8M", more)
            .replacing("  max-message: 16K\n", with: "")
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            // A client that is not framed sends messages of what is read; all that is left goes on.
            let large = [UInt8](repeating: 0x61, count: 8_000_000)
            try program.send(large)
            #expect(try server.receive(5000).count == 5000)
            server.finishSending()
            let next = try upstream.accept()
            #expect(try next.receive(5000).count == 5000)
        }
    }

    // MARK: Slow clients, the end, operators

    @Test func `while slow clients leave no room a message that has ended waits, and is delivered`() throws {
        let upstream = try FakeUpstream()
        let more = "buffer: 64K\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream.address, every: "10ms", "", more)) { daemon in
            let program = try daemon.connect()
            var sent: [UInt8] = []
            try eventually("no room for a message that has ended") {
                if let server = try upstream.acceptNow() {
                    let message = [UInt8](repeating: UInt8(sent.count / 16_000 % 256), count: 16_000)
                    try server.send(message)
                    sent += message
                    server.close()
                }
                return daemon.manager.statuses.last?.contains("ended by") == true
            }
            // What is sent too late is answered with a reset; what is sent after that is refused, and kept.
            try program.send([UInt8]("late"))
            try eventually("it to be sent") { try Controller(daemon).describe().bridge.sent.bytes == 4 }
            try program.send([UInt8]("later"))
            try eventually("it to be refused") { try Controller(daemon).describe().bridge.outbox.used == 5 }
            #expect(try program.receive(sent.count) == sent)
            #expect(try upstream.accept().receive(5) == [UInt8]("later"))
            #expect(try Self.count("cut-off", daemon)?.times == 0)
            #expect(try Self.count("failed", daemon)?.times == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a message that is too long is passed over, or a fault`(isSkipped: Bool) throws {
        let upstream = try FakeUpstream()
        let oversize = "oversize: \(isSkipped ? "skip" : "reconnect")"
        try DaemonProcess.run(Self.configuration(upstream.address, every: "10ms", oversize)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8](repeating: 0x61, count: 100_000))
            if isSkipped { server.close() } else { _ = try server.receiveToEnd() }
            let next = try upstream.accept()
            try next.send([UInt8]("next"))
            next.close()
            #expect(try program.receive(4) == [UInt8]("next"))
            #expect(try Self.count("oversize", daemon)?.bytes == (isSkipped ? 100_000 : 0))
            #expect(try Self.count("framing", daemon)?.times == (isSkipped ? 0 : 1))
        }
    }

    @Test func `in between, an operator gets a connection at once, and the daemon ends at once`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "idle-timeout: 50ms")) { daemon in
            let program = try daemon.connect()
            // One that was not closed within idle-timeout is followed by another.
            func closeAll() throws {
                try eventually("an end in time") {
                    while let server = try upstream.acceptNow() { server.close() }
                    return daemon.manager.statuses.last?.hasPrefix("resting") == true
                }
            }
            try closeAll()
            // Longer than idle-timeout, which is nothing to no connection.
            #expect(program.staysSilent(for: .milliseconds(100)))
            #expect(try upstream.acceptNow() == nil)
            let connections = try Controller(daemon).describe().bridge.uplink.connections
            daemon.signal(SIGUSR1)
            try eventually("another connection") {
                try Controller(daemon).describe().bridge.uplink.connections > connections
            }
            try closeAll()
            #expect(try daemon.terminate(within: .promptEnd) == 0)
            #expect(try program.receiveToEnd() == [])
        }
    }
}
