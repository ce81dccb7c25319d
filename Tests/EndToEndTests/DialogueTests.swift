import Control
import Glibc
import TestSupport
import Testing

/// `on-connect`: what is said before everything else, on each connection.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct DialogueTests {
    static func configuration(_ address: String, _ steps: String, _ more: String = "") -> String {
        """
        upstream:
          address: '\(address)'
          on-connect: \(steps)
          reconnect: {min: 10ms, max: 10ms, lasting: 1h}
        \(more)
        """
    }

    private static let prompt = Array("login: ".utf8)
    private static let login = Array("user joe pass secret\r\n".utf8)
    private static let welcome = Array("# joe is welcome\r\n".utf8)
    private static let steps =
        #"[{expect: 'login: '}, {send: 'user joe pass secret\r\n'}, {expect: welcome, within: 1K}, {expect: '\n', within: 1K}]"#

    /// Plays the server's part.
    private func logIn(_ server: Stream) throws {
        try server.send(Self.prompt)
        #expect(try server.receive(Self.login.count) == Self.login)
        try server.send(Self.welcome)
    }

    @Test func `a client gets what comes after the login, in one piece with it or not`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        try DaemonProcess.run(Self.configuration(upstream.address, Self.steps)) { daemon in
            let program = try daemon.connect()
            let feed = Self.welcome + Wire.line.frame("first") + Wire.line.frame("second")
            for cut in 0...feed.count {
                let server = try upstream.accept()
                try server.send(Self.prompt)
                #expect(try server.receive(Self.login.count) == Self.login)
                // Over a Unix socket what is sent apart is received apart, if it is received at once.
                try server.send(Array(feed[..<cut]))
                if cut > 0 { try eventually("the first part to be read") { server.unacknowledged == 0 } }
                try server.send(Array(feed[cut...]))
                let expected = Array(feed.dropFirst(Self.welcome.count))
                #expect(try program.receive(expected.count) == expected, "cut at \(cut)")
                daemon.signal(SIGUSR1)
                #expect(try server.receiveToEnd() == [])
            }
            #expect(program.staysSilent(for: .milliseconds(1)))
        }
    }

    @Test func `what the server says in a step that is shown is for clients, too`() throws {
        let upstream = try FakeUpstream()
        let steps = #"[{expect: "\n", within: 1K, show: yes}, {send: 'a'}, {expect: '!', within: 9}]"#
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send(Wire.line.frame("# aprsc 2.1"))
            #expect(try server.receive(1) == Array("a".utf8))
            try server.send(Array("xx!".utf8) + Wire.line.frame("feed"))
            let expected = Wire.line.frame("# aprsc 2.1") + Wire.line.frame("feed")
            #expect(try program.receive(expected.count) == expected)
        }
    }

    /// kplex 51, websocat 304: what was to be said first was said on the first connection only.
    @Test(
        .bug("https://github.com/stripydog/kplex/issues/51"),
        .bug("https://github.com/vi/websocat/issues/304"))
    func `what clients send comes after the dialogue, on each of twenty connections`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, Self.steps)) { daemon in
            let program = try daemon.connect()
            let message = Wire.line.frame("from a client")
            for number in 1...20 {
                let server = try upstream.accept()
                // Before, it might go up on the last connection, of whose end the daemon has not heard yet.
                try daemon.awaitStatus("connected to \(upstream.address), at step 1 of on-connect")
                try program.send(message)
                try eventually("the message to be read") { program.unacknowledged == 0 }
                #expect(server.waiting == 0)
                try logIn(server)
                // Nothing else than that, and that once.
                #expect(try server.receive(message.count) == message, "connection \(number)")
                try daemon.awaitStatus("ready")
                #expect(server.staysSilent(for: .milliseconds(1)))
                server.close()
            }
        }
    }

    @Test func `a refused login is told with the server's words, and not tried again for long`() throws {
        let upstream = try FakeUpstream()
        let steps = #"[{send: 'pass secret\n'}, {expect: 'OK'}]"#
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            for _ in 1...2 {
                let server = try upstream.accept()
                _ = try server.receive(12)
                try server.send(Array("ERR no such user\r\nbye\r\n".utf8))
                _ = try server.receiveToEnd()
            }
            let words = #"step 2 of on-connect: the upstream said "ERR no such user" where "OK" was expected"#
            try daemon.awaitLine("cannot connect to \(upstream.address)", words)
            try daemon.awaitStatus("waiting", words)
            // The second in a row.
            let controller = try Controller(daemon)
            try eventually("the long delay") {
                let uplink = try controller.describe().bridge.uplink
                return uplink.attempts == 2
                    && uplink.nextAttempt.map { $0 - uplink.since > 1_790_000_000 } ?? false
            }
            #expect(try upstream.acceptNow() == nil)
            try daemon.awaitLine(words, "; next attempt in ", " min ")
            #expect(daemon.log.count { $0.contains("on-connect") } == 2, "\(daemon.log)")
            // Somebody has mended it.
            daemon.signal(SIGUSR1)
            let server = try upstream.accept()
            try server.send(Array("OK".utf8))
            try daemon.awaitStatus("ready")
        }
    }

    @Test func `words without the end of a line are told, after a moment`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, "{expect: OK}")) { daemon in
            let server = try upstream.accept()
            try server.send(Array("Go a".utf8))
            try daemon.awaitStatus("at step 1 of on-connect")
            try server.send(Array("way".utf8))
            try daemon.awaitLine(#"said "Go away" where "OK" was expected"#)
        }
    }

    @Test(arguments: [
        ("", #"step 1 of on-connect: the upstream said nothing, and closed the connection"#),
        ("Busy\r\n", #"step 1 of on-connect: the upstream said "Busy", and closed the connection"#),
        ("wrong", #"step 1 of on-connect: the upstream said "wrong" where "OK" was expected"#),
    ])
    func `a server that closes in the dialogue is told with its words`(said: String, told: String) throws {
        let upstream = try FakeUpstream()
        let step = said == "wrong" ? "{expect: OK}" : "{expect: OK, within: 1K}"
        try DaemonProcess.run(Self.configuration(upstream.address, step)) { daemon in
            let server = try upstream.accept()
            try server.send(Array(said.utf8))
            server.close()
            try daemon.awaitLine(told)
            #expect(daemon.log.count { $0.contains("lost") } == 0)
        }
    }

    @Test func `a server that says too little is given up after the step's timeout`() throws {
        let upstream = try FakeUpstream()
        let steps = "[{expect: a}, {expect: ok, within: 1K, timeout: 200ms}]"
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let server = try upstream.accept()
            try server.send(Array("aPlease wait".utf8))
            try daemon.awaitLine(
                #"step 2 of on-connect: not done within its timeout; the upstream said "Please wait""#)
            #expect(try server.receiveToEnd() == [])
        }
    }

    @Test func `a server that takes nothing of what a step sends is given up after the step's timeout`()
        throws
    {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        let long = String(
            repeating: "{send: '\(String(repeating: "x", count: 4096))', timeout: 300ms}, ", count: 100)
        let steps = "[{expect: now}, \(long){expect: ok}]"
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let server = try upstream.accept()
            try server.send(Array("nowSlowly".utf8))
            try daemon.awaitLine("not done within its timeout; the upstream said \"Slowly\"")
            // What was sent is a part of what was to be sent, in order.
            let received = try server.receiveToEnd()
            #expect(received.allSatisfy { $0 == UInt8(ascii: "x") } && received.count < 409_600)
        }
    }

    @Test func `a dialogue that is longer than what the kernel takes at once is sent in parts`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        let part = String(repeating: "x", count: 4095)
        let steps = "[\((0..<100).map { "{send: '\(part)\($0 % 10)'}" }.joined(separator: ", "))]"
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let server = try upstream.accept()
            let expected = (0..<100).flatMap { Array("\(part)\($0 % 10)".utf8) }
            #expect(try server.receive(expected.count) == expected)
            try daemon.awaitStatus("ready")
        }
    }

    @Test(arguments: ["{expect: a}", "[{send: x}, {expect: a, timeout: 1h}]"])
    func `SIGTERM in the dialogue ends within a second`(steps: String) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let server = try upstream.accept()
            try daemon.awaitStatus("of on-connect")
            #expect(try daemon.terminate(within: .seconds(1)) == 0)
            // What was sent, and the end.
            _ = try server.receiveToEnd()
        }
    }

    @Test func `a server that says very much in the dialogue is read as far as the next step wants it`()
        throws
    {
        let upstream = try FakeUpstream()
        let steps = "[{expect: END, within: 64K}]"
        try DaemonProcess.run(Self.configuration(upstream.address, steps)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            try server.send([UInt8](repeating: 0x2E, count: 60_000) + Array("END".utf8))
            // More than is received at once.
            let feed = (0..<1000).flatMap { Wire.line.frame($0, size: 100) }
            try server.send(feed)
            #expect(try program.receive(feed.count) == feed)
        }
    }

    @Test func `idle-timeout counts from the dialogue's end`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              on-connect: {expect: a}
              idle-timeout: 300ms
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            #expect(server.staysSilent(for: .milliseconds(600)))
            try server.send(Array("a".utf8))
            try daemon.awaitLine("lost: nothing was received for idle-timeout")
        }
    }
}
