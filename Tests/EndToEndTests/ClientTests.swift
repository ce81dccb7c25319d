import Glibc
import Linux
import Testing

/// What clients may do, and what becomes of what they send.
@Suite(.timeLimit(.minutes(2)))
struct ClientTests {
    private static func run(_ more: String = "", _ body: (DaemonProcess, Stream, FakeUpstream) throws -> Void)
        throws
    {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)', max-message: 16K}\n\(more)"
        try DaemonProcess.run(configuration) { daemon in try body(daemon, try upstream.accept(), upstream) }
    }

    private static func line(_ text: String) -> [UInt8] { Wire.line.frame(text) }

    @Test func `a client that ends its sending goes on receiving, and the upstream is not told`() throws {
        try Self.run { daemon, server, _ in
            let program = try daemon.connect()
            try program.send(Self.line("last words"))
            program.finishSending()
            #expect(try server.receive(11) == Self.line("last words"))
            for i in 0..<10 {
                try server.send(Self.line("answer \(i)"))
                #expect(try program.receive(9) == Self.line("answer \(i)"))
            }
            #expect(server.staysSilent(for: .milliseconds(50)))
        }
    }

    @Test func `what a client sent before it left goes up, what it had not finished does not`() throws {
        try Self.run { daemon, server, _ in
            let program = try daemon.connect()
            try program.send(Array("one\ntwo\nunfin".utf8))
            program.close()
            #expect(try server.receive(8) == Array("one\ntwo\n".utf8))
            let other = try daemon.connect()
            try other.send(Self.line("three"))
            #expect(try server.receive(6) == Self.line("three"))
            try daemon.awaitLine("discarded 5 bytes", "never finished")
        }
    }

    @Test func `a client that sends garbage is disconnected alone`() throws {
        try Self.run { daemon, server, _ in
            let (good, bad) = (try daemon.connect(), try daemon.connect())
            try bad.send(Self.line("fine"))
            #expect(try server.receive(5) == Self.line("fine"))
            try? bad.send([UInt8](repeating: 0x78, count: 20_000))
            _ = try bad.receiveToEnd()
            try daemon.awaitLine("sent garbage", "longer than max-message")
            try good.send(Self.line("still here"))
            #expect(try server.receive(11) == Self.line("still here"))
        }
    }

    @Test func `a client of a socket with send no cannot send, and goes on receiving`() throws {
        try Self.run("sockets: {default: {}, watch: {send: no}}") { daemon, server, _ in
            let watcher = try daemon.connect(to: "watch")
            #expect(throws: SystemError(call: "send", code: EPIPE)) {
                try watcher.sendSome(Self.line("let me")[...])
            }
            try server.send(Self.line("news"))
            #expect(try watcher.receive(5) == Self.line("news"))
            #expect(server.staysSilent(for: .milliseconds(50)))
            watcher.close()
            try eventually("the watcher to be gone") { try daemon.clientCount(of: "watch") == 0 }
        }
    }

    @Test func `messages wait while the upstream is away`() throws {
        try Self.run("hold-time: infinity") { daemon, server, upstream in
            let program = try daemon.connect()
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting")
            try program.send(Self.line("later"))
            try upstream.listen()
            #expect(try upstream.accept().receive(6) == Self.line("later"))
        }
    }

    @Test(arguments: ["hold-time: 100ms", "when-down: discard"])
    func `messages do not wait for ever`(setting: String) throws {
        try Self.run(setting) { daemon, server, upstream in
            let program = try daemon.connect()
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting")
            try program.send(Self.line("too late"))
            try daemon.awaitLine("discarded 1 message (9 bytes)", "the upstream is away")
            try upstream.listen()
            let next = try upstream.accept()
            try daemon.awaitStatus("ready")
            try program.send(Self.line("now"))
            #expect(try next.receive(4) == Self.line("now"))
        }
    }

    @Test func `a full outbox makes clients wait, and loses nothing`() throws {
        try Self.run("outbox: 64K") { daemon, server, _ in
            let program = try daemon.connect()
            let block = (0..<500).flatMap { Wire.line.frame($0, size: 1000) }
            var sent = 0
            while !program.staysFull(for: .milliseconds(100)) {
                sent += try program.sendSome(block[(sent % block.count)...])
            }
            var expected: [UInt8] = []
            while expected.count < sent { expected += block }
            let whole = sent - sent % 1001
            #expect(try server.receive(whole) == Array(expected[..<whole]))
        }
    }

    @Test func `clients beyond the limit of open files wait for others to leave`() throws {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}"
        try DaemonProcess.run(configuration, maximumDescriptors: 80) { daemon in
            let server = try upstream.accept()
            let first = try daemon.connect(16)
            let path = daemon.path()
            let waiting = try (0..<10).map { _ in try Stream.connecting(to: .unix(path: path)) }
            try daemon.awaitLine("new clients have to wait")
            let before = daemon.process.processorTime
            // The uplink has its reserve.
            server.close()
            let next = try upstream.accept()
            try next.send(Self.line("news"))
            for program in first { #expect(try program.receive(5) == Self.line("news")) }
            #expect(waiting[0].staysSilent(for: .milliseconds(300)))
            #expect(daemon.process.processorTime - before < .milliseconds(100))
            for program in first { program.close() }
            try daemon.awaitLine("accepted again")
            try eventually("those who waited to be accepted") { try daemon.clientCount() == 10 }
            try next.send(Self.line("more"))
            for program in waiting { #expect(try program.receive(5) == Self.line("more")) }
        }
    }

    @Test func `clients that leave while the outbox is full are let go`() throws {
        try Self.run("outbox: 64K\nhold-time: infinity") { daemon, server, upstream in
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting")
            let program = try daemon.connect()
            try program.send([UInt8](repeating: 0x0A, count: 1 << 16))
            for program in try daemon.connect(20) { program.close() }
            try eventually("them to be gone") { try daemon.clientCount() == 1 }
        }
    }
}
