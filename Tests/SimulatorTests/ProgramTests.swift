import Framing
import Glibc
import Linux
import TestSupport
import Testing

/// Divides bytes into messages with the project's own decoder, and tells what is left over.
private struct Divided: Equatable {
    var payloads: [[UInt8]] = []
    var rest: [UInt8] = []

    init(_ bytes: [UInt8], _ framing: Framing) throws {
        struct Sink: FrameSink {
            var frames: [Frame] = []
            mutating func append(_ frame: Frame) { frames.append(frame) }
            mutating func skip(_ count: Int, _ reason: SkipReason) {}
        }
        var sink = Sink()
        var decoder = Decoder(framing, limit: 1 << 20)
        _ = try decoder.decode(bytes.span, atMost: .max, into: &sink)
        var start = 0
        for frame in sink.frames {
            var payload: [UInt8] = []
            framing.appendPayload(
                of: frame, in: bytes[start..<start + Int(frame.length)].span, to: &payload)
            payloads.append(payload)
            start += Int(frame.length)
        }
        rest = Array(bytes[start...])
    }

    /// As `--record` and `--received` write them.
    var recorded: [UInt8] { payloads.flatMap { $0 + [0x0A] } }
}

private func counter(_ number: Int, size: Int) -> [UInt8] {
    let filler = Array(" abcdefghijklmnopqrstuvwxyz".utf8)
    let digits = Array(String(number).utf8)
    return digits + (digits.count..<size).map { filler[$0 % filler.count] }
}

@Suite struct ProgramTests {
    private let fast = ["--message", "counter", "--rate", "0"]

    @Test(arguments: [
        ("line", Framing.line()), (#"delimiter:end=\r\n\0"#, .delimiter(end: [13, 10, 0])),
        ("length:bytes=2,order=little", .length(LengthField(width: .two, order: .little))),
        ("length:bytes=8", .length(LengthField(width: .eight))), ("fixed:size=40", .fixed(size: 40)),
        ("slip", .slip), ("cobs", .cobs),
    ])
    func `every framing carries the messages, and the record is what was received`(
        _ notation: String, _ framing: Framing
    ) throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator(
            fast + [
                "--framing", notation, "--size", "40", "--count", "5000", "--then", "close", "--connections",
                "1",
                "--record", directory("record"), "127.0.0.1:0",
            ])
        let received = try Divided(try simulator.connect().readAll(), framing)
        #expect(try simulator.waitForEnd() == 0)
        #expect(received.payloads == (0..<5000).map { counter($0, size: 40) })
        #expect(received.rest.isEmpty)
        #expect(try directory.contents("record") == received.recorded)
    }

    @Test func `until the close there is one message on each connection, and it ends it`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator(
            fast + [
                "--framing", "until-close", "--continue", "--size", "9", "--connections", "2", "--record",
                directory("record"), "127.0.0.1:0",
            ])
        for number in 0..<2 { #expect(try simulator.connect().readAll() == counter(number, size: 9)) }
        #expect(try simulator.waitForEnd() == 0)
        #expect(try directory.contents("record") == (0..<2).flatMap { counter($0, size: 9) + [0x0A] })
    }

    @Test func `what the peer's end makes a message is answered`() throws {
        let simulator = try RunningSimulator([
            "--echo", "--silent", "--receive-framing", "until-close", "--connections", "1", "127.0.0.1:0",
        ])
        let client = try simulator.connect()
        try client.sendAll(Array("question".utf8))
        try client.shutDown(.writing)
        #expect(try client.readText() == "question\n")
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `messages with escapes are recorded and echoed as they are`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator([
            "--echo", "--silent", "--framing", "slip", "--connections", "1", "--record", directory("record"),
            "--received", directory("received"), "127.0.0.1:0",
        ])
        let client = try simulator.connect()
        let frame: [UInt8] = [0xC0, 0x61, 0xDB, 0xDC, 0xDB, 0xDD, 0xC0]
        try client.sendAll(frame)
        #expect(try client.read(count: frame.count) == frame)
        try client.shutDown(.writing)
        #expect(try client.readAll().isEmpty)
        #expect(try simulator.waitForEnd() == 0)
        for name in ["record", "received"] {
            #expect(try directory.contents(name) == [0x61, 0xC0, 0xDB, 0x0A])
        }
    }

    @Test func `after the count the connection stays open`() throws {
        let simulator = try RunningSimulator(fast + ["--count", "3", "--size", "9", "--echo", "127.0.0.1:0"])
        let client = try simulator.connect()
        #expect(try Divided(try client.read(count: 30), .line()).payloads.count == 3)
        try client.sendAll(Array("still there?\n".utf8))
        #expect(try client.readLine() == "still there?")
        simulator.signal(SIGTERM)
        #expect(try client.readAll().isEmpty)
        try client.shutDown(.writing)
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `a cut message is a beginning of the next, and never all of it`() throws {
        for (cut, expected) in [(3, "2ab"), (1000, "2abcdefgh")] {
            let simulator = try RunningSimulator(
                fast + [
                    "--drop-after", "2", "--cut", "\(cut)", "--size", "9", "--connections", "1",
                    "127.0.0.1:0",
                ])
            let received = try Divided(try simulator.connect().readAll(), .line())
            #expect(received.payloads == [counter(0, size: 9), counter(1, size: 9)])
            #expect(String(decoding: received.rest, as: UTF8.self) == expected)
            #expect(try simulator.waitForEnd() == 0)
        }
    }

    @Test func `a reset comes after everything that was sent`() throws {
        for isLast in [false, false, false, true] {
            let simulator = try RunningSimulator(
                fast + [
                    "--drop-after", "1000", "--reset", "--size", "99", "--connections", "1", "127.0.0.1:0",
                ])
            let start = ContinuousClock.now
            let client = try simulator.connect()
            let bytes: [UInt8]
            do {
                bytes = try client.read(count: 100_000)
            } catch let error as SystemError {
                // It waits no longer than a second for what its peer does not take, which may have stood still.
                guard !isLast, ContinuousClock.now - start >= .seconds(1) else { throw error }
                continue
            }
            #expect(bytes.count == 100_000)
            #expect(throws: SystemError(call: "recv", code: ECONNRESET)) { try client.readSome() }
            #expect(try simulator.waitForEnd() == 0)
            break
        }
    }

    @Test func `echo sends every message back in the other framing, and both records hold it`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator([
            "--echo", "--silent", "--framing", "length:bytes=1", "--receive-framing", "line", "--record",
            directory("record"), "--received", directory("received"), "unix:\(directory("socket"))",
        ])
        let client = try simulator.connect()
        try client.sendAll(Array("one\ntw".utf8))
        #expect(try client.read(count: 4) == [3] + Array("one".utf8))
        try client.sendAll(Array("o\r\n\nunfinished".utf8))
        #expect(try client.read(count: 5) == [3] + Array("two".utf8) + [0])
        try client.shutDown(.writing)
        #expect(try client.readAll().isEmpty)
        simulator.signal(SIGINT)
        #expect(try simulator.waitForEnd() == 0)
        #expect(try directory.contents("record") == Array("one\ntwo\n\n".utf8))
        #expect(try directory.contents("received") == Array("one\ntwo\n\n".utf8))
        #expect(access(directory("socket"), F_OK) != 0)
    }

    @Test func `more than the sockets hold comes back from an echo`() throws {
        let simulator = try RunningSimulator(["--echo", "--silent", "--connections", "1", "127.0.0.1:0"])
        let client = try simulator.connect()
        let messages: [UInt8] = Array((0..<200).map { counter($0, size: 9999) + [0x0A] }.joined())
        var received: [UInt8] = []
        for start in stride(from: 0, to: messages.count, by: 100_000) {
            try client.sendAll(Array(messages[start..<start + 100_000]))
            received += try client.readSome()
        }
        try client.shutDown(.writing)
        received += try client.readAll()
        #expect(received == messages)
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `a record holds no message of which a byte was not taken`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator(
            fast + ["--size", "3000", "--record", directory("record"), "unix:\(directory("socket"))"])
        let client = try simulator.connect()
        var received = try client.read(count: 1_000_000)
        simulator.signal(SIGTERM)
        received += try client.readAll()
        try client.shutDown(.writing)
        #expect(try simulator.waitForEnd() == 0)
        let divided = try Divided(received, .line())
        #expect(divided.payloads == divided.payloads.indices.map { counter($0, size: 3000) })
        #expect(try directory.contents("record") == divided.recorded)
    }

    @Test func `numbering goes on across connections with the first message not wholly sent`() throws {
        let simulator = try RunningSimulator(
            fast + [
                "--continue", "--start-at", "98", "--drop-after", "2", "--cut", "4", "--size", "9",
                "--connections",
                "3", "127.0.0.1:0",
            ])
        for first in [98, 100, 102] {
            let received = try Divided(try simulator.connect().readAll(), .line())
            #expect(received.payloads == [counter(first, size: 9), counter(first + 1, size: 9)])
            #expect(received.rest == Array(counter(first + 2, size: 9)[..<4]))
        }
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `what a lost connection did not take is sent by the next, and nothing twice`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator(
            fast + ["--continue", "--verbose", "--size", "3000", "unix:\(directory("socket"))"])
        var lost: FileDescriptor? = try simulator.connect()
        _ = try lost?.read(count: 1_000_000)
        lost = nil
        var line = ""
        while !line.contains("messages sent") { line = try simulator.errors.readLine() }
        let sent = try #require(line.split(separator: " ").compactMap { Int($0) }.first)
        let next = try simulator.connect().readLine()
        #expect(sent >= 333 && Array(next.utf8) == counter(sent, size: 3000))
    }

    @Test func `the lines of a file are sent over and over, after the greeting`() throws {
        let directory = try TemporaryDirectory()
        let lines = Array("one\r\n\nthree".utf8)
        try FileDescriptor.appending(to: directory("messages")).writeAll(lines.span)
        let simulator = try RunningSimulator([
            "--file", directory("messages"), "--rate", "500", "--count", "5", "--then", "close",
            "--greeting",
            #"# hello\r\n"#, "127.0.0.1:0",
        ])
        #expect(try simulator.connect().readText() == "# hello\r\none\n\nthree\none\n\n")
    }

    @Test func `paced messages come no earlier than their time`() throws {
        let simulator = try RunningSimulator([
            "--rate", "100", "--count", "21", "--then", "close", "127.0.0.1:0",
        ])
        let start = ContinuousClock.now
        let lines = try simulator.connect().readText().split(separator: "\n")
        #expect(lines.count == 21 && lines.allSatisfy { $0.hasPrefix("!AIVDM,1,1,,A,") })
        // There is no upper bound on a busy machine.
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test func `a program that never reads takes no more than the sockets hold`() throws {
        let simulator = try RunningSimulator(["--no-read", "--silent", "127.0.0.1:0"])
        let client = try simulator.connect()
        let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
        var taken = 0
        // Autotuning ends: tcp_rmem and tcp_wmem are a few MiB.
        while taken < 1 << 30, case .moved(let count) = try client.send(chunk.span) { taken += count }
        #expect(taken < 1 << 30)
    }

    @Test(arguments: [
        ([], "one ADDRESS is needed"), (["--nonsense", "127.0.0.1:0"], "there is no option '--nonsense'"),
        (["--re", "127.0.0.1:0"], "'--re' could be"), (["-Z", "127.0.0.1:0"], "there is no option '-Z'"),
        (["127.0.0.1:0", "--rate"], "option '--rate' needs a value: N"),
        (["-r"], "option '-r' needs a value"),
        (["--echo=1", "127.0.0.1:0"], "option '--echo' takes no value"),
        (["--rate", "-1", "127.0.0.1:0"], "--rate is 0, or a number"), (["192.0.2.1:1"], "an address is"),
        (["--count", "1x", "127.0.0.1:0"], "--count is a number, 0 or more"),
        (["127.0.0.1:65536"], "an address is"),
        (["--reset", "unix:/nonexistent/socket"], "only a TCP connection can be reset"),
        (["--framing", "fixed", "127.0.0.1:0"], "size is missing"),
        (["--then", "x", "127.0.0.1:0"], "--then is"),
        (["--framing", "until-close", "--count", "2", "127.0.0.1:0"], "a connection has one message"),
    ])
    func `a wrong command line is explained, with status 64`(_ arguments: [String], _ words: String) throws {
        let simulator = try RunningSimulator(arguments, listens: false)
        #expect(try simulator.waitForEnd() == 64)
        #expect(try simulator.errors.readText().contains(words))
    }

    @Test func `what cannot be done is explained, with status 1`() throws {
        let directory = try TemporaryDirectory()
        for (arguments, words) in [
            (["unix:\(directory("missing/socket"))"], "missing/socket: bind: No such file or directory"),
            (["--file", directory("missing"), "127.0.0.1:0"], "cannot read \(directory("missing"))"),
            (
                ["--record", directory("missing/file"), "127.0.0.1:0"],
                "cannot append to \(directory("missing/file"))"
            ),
            (["--framing", "fixed:size=9", "127.0.0.1:0"], "the framing cannot carry an AIS sentence"),
        ] {
            let simulator = try RunningSimulator(arguments, listens: false)
            #expect(try simulator.waitForEnd() == 1)
            #expect(try simulator.errors.readText().contains(words))
        }
    }

    @Test func `help and version are told on standard output`() throws {
        let help = try RunningSimulator(["--help"], listens: false)
        let text = try help.output.readText()
        #expect(try help.waitForEnd() == 0)
        #expect(text.contains("--receive-framing FRAMING"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let version = try RunningSimulator(["--version"], listens: false)
        #expect(try version.output.readText().hasPrefix("trunkline-sim "))
    }

    @Test func `a socket left by a killed program is taken over, a live one is not`() throws {
        let directory = try TemporaryDirectory()
        let address = "unix:\(directory("socket"))"
        let killed = try RunningSimulator([address])
        killed.signal(SIGKILL)
        #expect(try killed.waitForEnd() == 128 + SIGKILL)
        let live = try RunningSimulator(["--echo", "--silent", address])
        let refused = try RunningSimulator([address], listens: false)
        #expect(try refused.waitForEnd() == 1)
        let client = try live.connect()
        try client.sendAll([0x0A])
        #expect(try client.readSome() == [0x0A])
    }
}
