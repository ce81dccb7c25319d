import Glibc
import TestSupport
import Testing

/// Sockets with a framing of their own, through the whole daemon.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct TranslationTests {
    private static func configuration(
        _ upstream: FakeUpstream, _ framing: String, sockets: String, more: String = ""
    ) -> String {
        """
        upstream:
          address: \(upstream.address)
          framing: \(framing)
          max-message: 16K
          reconnect: {min: 10ms, max: 10ms}
        \(more)
        buffer: 64K
        sockets:
        \(sockets)
        """
    }

    @Test(
        arguments: [
            (
                "{kind: block, start: '\\x0b', end: '\\x1c\\r'}", "line", "\u{B}MSH|a\rPID|b\u{1C}\r",
                "MSH|a\rPID|b\n"
            ),
            ("json", "line", "{\"a\": 1} [2]\n\"\\n\"", "{\"a\": 1}\n[2]\n\"\\n\"\n"),
            ("line", "{kind: length, bytes: 1}", "one\r\n\n", "\u{3}one\u{0}"),
            ("{kind: length, bytes: 1}", "{kind: line, ending: crlf}", "\u{3}one\u{0}", "one\r\n\r\n"),
            ("line", "line", "one\r\ntwo\n", "one\ntwo\n"),
        ])
    func `messages arrive in the socket's framing`(
        framing: String, own: String, sent: String, received: String
    ) throws {
        let upstream = try FakeUpstream()
        let sockets = "  own: {framing: \(own)}\n  raw: {}"
        try DaemonProcess.run(Self.configuration(upstream, framing, sockets: sockets)) { daemon in
            let (own, raw) = (try daemon.connect(to: "own"), try daemon.connect(to: "raw"))
            let server = try upstream.accept()
            try server.send(Array(sent.utf8))
            #expect(try own.receive(received.utf8.count) == Array(received.utf8))
            #expect(try raw.receive(4) == Array(sent.utf8.prefix(4)))
            #expect(try daemon.terminate() == 0)
            #expect(try own.receiveToEnd() == [])
        }
    }

    @Test func `a client's messages go up in the upstream's framing, whole and in order`() throws {
        let upstream = try FakeUpstream()
        let sockets = "  lines: {framing: line}\n  raw: {}"
        try DaemonProcess.run(Self.configuration(upstream, "netstring", sockets: sockets)) { daemon in
            let (lines, raw) = (try daemon.connect(to: "lines"), try daemon.connect(to: "raw"))
            let server = try upstream.accept()
            try lines.send(Array("one\r\ntw".utf8))
            #expect(try server.receive(6) == Array("3:one,".utf8))
            try raw.send(Array("3:raw,".utf8))
            #expect(try server.receive(6) == Array("3:raw,".utf8))
            try lines.send(Array("o\n\nunfinished".utf8))
            #expect(try server.receive(9) == Array("3:two,0:,".utf8))
            lines.close()
            try daemon.awaitLine("discarded 10 bytes of a message that a client began and never finished")
        }
    }

    @Test(arguments: ["skip", "disconnect", "escape"])
    func `a message that the clients' framing cannot carry is not mangled`(policy: String) throws {
        let upstream = try FakeUpstream()
        let sockets = "  lines: {framing: line, unrepresentable: \(policy)}\n  raw: {}"
        try DaemonProcess.run(Self.configuration(upstream, "netstring", sockets: sockets)) { daemon in
            let (lines, raw) = (try daemon.connect(to: "lines"), try daemon.connect(to: "raw"))
            let server = try upstream.accept()
            let stream = Array("3:one,3:t\no,5:t\\\no\r,5:three,".utf8)
            try server.send(stream)
            #expect(try raw.receive(stream.count) == stream)
            switch policy {
            case "disconnect":
                #expect(try lines.receiveToEnd() == Array("one\n".utf8))
                try daemon.awaitLine("client 1 of lines", "a message from the upstream cannot be sent")
            case "escape":
                let due = Array("one\nt\\no\nt\\\\\\no\\r\nthree\n".utf8)
                #expect(try lines.receive(due.count) == due)
                try lines.send(Array("a\\nb\\\\\n".utf8))
                #expect(try server.receive(7) == Array("4:a\nb\\,".utf8))
            default:
                #expect(try lines.receive(10) == Array("one\nthree\n".utf8))
            }
            #expect(try daemon.terminate() == 0)
            let told = daemon.log.count { $0.contains("cannot be sent in the socket's framing") }
            #expect(told == (policy == "escape" ? 0 : 1), "\(daemon.log)")
            if policy == "skip" {
                try daemon.awaitLine(
                    "socket lines: a message from the upstream cannot be sent in the socket's framing: it holds the bytes"
                        + " that end a message; its clients do not get it. A framing that counts bytes, such as netstring"
                )
                try daemon.awaitLine("stopped: ", "discarded 2 messages (8 bytes) that the framing of those")
            }
        }
    }

    @Test(arguments: ["skip", "disconnect"])
    func `a client's message that the upstream's framing cannot carry is not mangled`(policy: String) throws {
        let upstream = try FakeUpstream()
        let configuration = Self.configuration(
            upstream, "line", sockets: "  own: {framing: netstring}", more: "  unrepresentable: \(policy)")
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect(to: "own")
            let server = try upstream.accept()
            try program.send(Array("1:a,3:b\nc,1:d,".utf8))
            if policy == "skip" {
                #expect(try server.receive(4) == Array("a\nd\n".utf8))
                try daemon.awaitLine(
                    "socket own: a message of a client cannot be sent in send-framing", "does not get it")
                // What is lost directly before garbage is told as well.
                try program.send(Array("4:e\nfg,x".utf8))
                #expect(try program.receiveToEnd() == [])
                #expect(try daemon.terminate() == 0)
                try daemon.awaitLine("stopped: ", "discarded 2 messages (7 bytes) that the framing of those")
            } else {
                #expect(try server.receive(2) == Array("a\n".utf8))
                #expect(try program.receiveToEnd() == [])
                try daemon.awaitLine(
                    "client 1 of own", "disconnected: it sent what send-framing cannot carry")
            }
        }
    }

    @Test(arguments: ["disconnect", "drop"])
    func `one that reads too slowly in its own framing harms nobody for longer than its patience`(
        policy: String
    ) throws {
        let upstream = try FakeUpstream()
        let sockets = """
              own: {framing: netstring, patience: 200ms, when-behind: \(policy)}
              raw: {patience: infinity}
            """
        try DaemonProcess.run(Self.configuration(upstream, "line", sockets: sockets)) { daemon in
            let server = try upstream.accept()
            let raw = Flood.Reader(try daemon.connect(to: "raw"))
            let slow = try daemon.connect(to: "own")
            var flood = Flood(from: server, to: [raw])
            let words =
                policy == "drop" ? "it misses messages" : "held the others up for longer than its patience"
            try flood.run(for: .zero) { daemon.log.contains { $0.contains(words) } }
            let before = flood.sent
            // The ring fills dozens of times: its patience for each would be too long.
            let end = ContinuousClock.now + .seconds(10) * slowdown
            while flood.sent < before + 4 << 20, ContinuousClock.now < end {
                try flood.run(for: .milliseconds(100))
            }
            #expect(flood.sent >= before + 4 << 20)
            try flood.drain([raw])
            #expect(flood.mistakes == [])
            #expect(daemon.clientCount(of: "own") == (policy == "drop" ? 1 : 0))
            if policy == "disconnect" {
                let rest = try slow.receiveToEnd()
                #expect(rest.starts(with: Array("1000:".utf8)) || rest.isEmpty)
            }
        }
    }

    @Test func `one that does not read holds up those of its framing for no longer than its patience`() throws
    {
        let upstream = try FakeUpstream()
        let sockets = "  own: {framing: cobs, patience: 300ms}\n  raw: {}"
        try DaemonProcess.run(Self.configuration(upstream, "line", sockets: sockets)) { daemon in
            let server = try upstream.accept()
            let quick = try daemon.connect(to: "own")
            let slow = try daemon.connect(to: "own")
            let line = Wire.line.frame(0, size: 1000)
            let size = Spelling.cobs.frame(Array(line.dropLast())).count
            func isLetGo() -> Bool { daemon.log.contains { $0.contains("held the others up for longer") } }
            // One after the other, so that the upstream's own buffer is never more than empty but for one.
            for _ in 0..<2000 where !isLetGo() {
                try server.send(line)
                var received = 0
                try eventually("the message, or the slow one to be let go") {
                    if case .bytes(let bytes) = quick.receiveNow() { received += bytes.count }
                    return received >= size || isLetGo()
                }
            }
            #expect(isLetGo())
            slow.close()
        }
    }

    @Test func `what a client has sent whole goes up before the end, though it had to wait`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = Self.configuration(
            upstream, "netstring", sockets: "  own: {framing: line}", more: "outbox: 64K")
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect(to: "own")
            let line = Wire.line.frame(0, size: 1000)
            var rest = Array(repeating: line, count: 12_000).flatMap { $0 }[...]
            try eventually("a daemon that reads no more") {
                rest = rest.dropFirst(try program.sendSome(rest))
                return program.staysFull(for: .milliseconds(100))
            }
            daemon.signal(SIGTERM)
            let stream = try server.receiveToEnd()
            #expect(try daemon.process.exitStatus() == 0)
            let frame = Array("\(line.count - 1):".utf8) + line.dropLast() + [0x2C]
            #expect(stream == Array(repeating: frame, count: stream.count / frame.count).flatMap { $0 })
            let told = daemon.log.last { $0.hasPrefix("stopped") } ?? ""
            // Its two seconds were over while the test, or it, stood still.
            guard !told.contains("that the upstream had not taken when the daemon stopped") else { return }
            // A line may have been read in part; no whole one is among what is thrown away.
            let discarded = told.firstMatch(of: /discarded ([0-9]+) bytes? of a message that a client/)
            #expect(discarded.map { (Int($0.output.1) ?? .max) < line.count } ?? true, "\(told)")
        }
    }

    @Test func `a client that is up to date is not blamed for another socket's`() throws {
        let upstream = try FakeUpstream()
        let sockets = """
              quick: {framing: netstring, patience: 100ms}
              slow: {framing: {kind: length, bytes: 4}, patience: 400ms}
            """
        try DaemonProcess.run(Self.configuration(upstream, "line", sockets: sockets)) { daemon in
            let server = try upstream.accept()
            let quick = try daemon.connect(to: "quick")
            let slow = try daemon.connect(to: "slow")
            let line = Wire.line.frame(0, size: 1000)
            let due = Array("\(line.count - 1):".utf8) + line.dropLast() + [0x2C]
            for _ in 0..<1000 {
                try server.send(line)
                #expect(try quick.receive(due.count) == due)
            }
            try daemon.awaitLine("client 2 of slow", "held the others up")
            #expect(daemon.clientCount(of: "quick") == 1)
            slow.close()
        }
    }
}
