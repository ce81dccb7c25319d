import Glibc
import TestSupport
import Testing

/// A stream that is cut at every byte of three messages: what is whole arrives, and nothing else.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct CutTests {
    private static func configuration(_ upstream: FakeUpstream, _ wire: Wire) -> String {
        """
        upstream:
          address: \(upstream.address)
          framing: \(wire.yaml)
          reconnect: {min: 10ms, max: 10ms}
        """
    }

    /// Three messages, which say by which connection they are sent.
    private static func messages(_ wire: Wire, by connection: Int) -> [[UInt8]] {
        [
            wire.frame("\(connection):one"), wire.frame("\(connection):"),
            wire.frame("\(connection):the third"),
        ]
    }

    /// The first bytes of three messages, and how many of them are whole messages.
    private static func cut(_ wire: Wire, at length: Int) -> (bytes: [UInt8], whole: [UInt8], count: Int) {
        let bytes = Array(messages(wire, by: length).flatMap { $0 }.prefix(length))
        let (frames, rest) = wire.split(bytes)
        return (bytes, Array(bytes.dropLast(rest.count)), frames.count)
    }

    /// Every length from nothing to all three messages.
    private static func lengths(_ wire: Wire) -> ClosedRange<Int> {
        0...messages(wire, by: 10).flatMap { $0 }.count
    }

    @Test(arguments: Wire.allCases)
    func `an upstream that closes or resets at any byte tears no message`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            var server = try upstream.accept()
            let programs = try daemon.connect(3)
            let greeting = wire.frame("hello")
            var (whole, count, torn): ([UInt8], Int, Int) = ([], 0, 0)
            for length in Self.lengths(wire) {
                let cut = Self.cut(wire, at: length)
                // A reset before the daemon has seen the connection would take everything with it.
                try programs[0].send(greeting)
                #expect(try server.receive(greeting.count) == greeting)
                try server.send(cut.bytes)
                // A reset throws away what was not taken yet.
                try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
                if length.isMultiple(of: 2) { server.reset() } else { server.close() }
                whole += cut.whole
                count += cut.count
                torn += cut.bytes.count - cut.whole.count
                server = try upstream.accept()
            }
            let last = wire.frame("the last")
            try server.send(last)
            for program in programs {
                #expect(try program.receive(whole.count + last.count) == whole + last)
            }
            #expect(try daemon.terminate() == 0)
            for program in programs { #expect(try program.receiveToEnd() == []) }
            let bytes = whole.count + torn + last.count
            try daemon.awaitLine(
                "stopped: received \(count + 1) messages (\(bytes) bytes)",
                "discarded \(torn) bytes of a message that the end of the connection cut off")
        }
    }

    @Test(arguments: Wire.allCases)
    func `a client that closes at any byte has its whole messages sent, and nothing else`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, wire)) { daemon in
            let server = try upstream.accept()
            let other = try daemon.connect()
            var (whole, count, torn): ([UInt8], Int, Int) = ([], 0, 0)
            for length in Self.lengths(wire) {
                let cut = Self.cut(wire, at: length)
                let program = try daemon.connect()
                // What was received and not read makes its end a reset.
                if length.isMultiple(of: 2) { try server.send(wire.frame("unread")) }
                try program.send(cut.bytes)
                program.close()
                try eventually("the client to be gone") { daemon.clientCount() == 1 }
                #expect(try server.receive(cut.whole.count) == cut.whole)
                whole += cut.whole
                count += cut.count
                torn += cut.bytes.count - cut.whole.count
            }
            let last = wire.frame("the last")
            try other.send(last)
            #expect(try server.receive(last.count) == last)
            #expect(try daemon.terminate() == 0)
            #expect(try server.receiveToEnd() == [])
            try daemon.awaitLine(
                "sent \(count + 1) messages (\(whole.count + last.count) bytes)",
                "discarded \(torn) bytes of a message that a client began and never finished")
        }
    }

    @Test
    func `what an upstream sent arrives, although it reset the connection before we saw that it stands`()
        throws
    {
        let upstream = try FakeUpstream()
        let filler = try upstream.fillBacklog()
        try DaemonProcess.run(Self.configuration(upstream, .line)) { daemon in
            let program = try daemon.connect()
            try eventually("an attempt to connect") { upstream.isBeingConnected }
            daemon.signal(SIGSTOP)
            try upstream.accept().close()
            let server = try upstream.accept()
            let stream = Wire.line.frame("go away")
            try server.send(stream)
            try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
            server.reset()
            daemon.signal(SIGCONT)
            #expect(try program.receive(stream.count) == stream)
            try daemon.awaitLine("lost: Connection reset by peer")
        }
        filler.close()
    }

    @Test(arguments: [false, true])
    func `all that an upstream sent before its end arrives, also while clients send`(isReset: Bool) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              max-message: 16K
              reconnect: {min: 10ms, max: 10ms}
            buffer: 64K
            """
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect()
            for round in 0..<10 {
                let server = try upstream.accept()
                // More than the daemon takes in one read.
                let stream = (0..<1000).flatMap { Wire.line.frame($0, of: round, size: 100) }
                daemon.signal(SIGSTOP)
                try server.send(stream)
                try program.send(Wire.line.frame("from a client"))
                try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
                if isReset { server.reset() } else { server.close() }
                daemon.signal(SIGCONT)
                #expect(try program.receive(stream.count) == stream)
            }
        }
    }

    @Test func `a server that takes nothing more is left when all that it has sent is read`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        let configuration = """
            upstream: {address: '\(upstream.address)', max-message: 16K, reconnect: {min: 10ms, max: 10ms}}
            buffer: 64K
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            // Several times what is read at once, and all of it is there before something is to be sent.
            let stream = (0..<150).flatMap { Wire.line.frame($0, size: 1000) }
            daemon.signal(SIGSTOP)
            try server.send(stream)
            shutdown(server.raw, Int32(SHUT_RD))
            try program.send(Wire.line.frame("late"))
            daemon.signal(SIGCONT)
            #expect(try program.receive(stream.count) == stream)
            #expect(try upstream.accept().receive(5) == Wire.line.frame("late"))
        }
    }
}
