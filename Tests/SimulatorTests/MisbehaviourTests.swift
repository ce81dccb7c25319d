import Glibc
import Linux
import TestSupport
import Testing

/// What a server can do wrong, one by one.
@Suite struct MisbehaviourTests {
    private let fast = ["--message", "counter", "--rate", "0", "--size", "9"]

    @Test func `it closes at once`() throws {
        let simulator = try RunningSimulator(["--drop-after", "0", "--connections", "1", "127.0.0.1:0"])
        #expect(try simulator.connect().readAll().isEmpty)
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `it resets at once`() throws {
        let simulator = try RunningSimulator([
            "--drop-after", "0", "--reset", "--connections", "1", "127.0.0.1:0",
        ])
        // The reset may come before connect(2) has returned.
        let error = #expect(throws: SystemError.self) { try simulator.connect().readAll() }
        #expect(error?.code == ECONNRESET)
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `it greets and closes`() throws {
        let simulator = try RunningSimulator([
            "--greeting", #"hello\n"#, "--drop-after", "0", "--connections", "1", "127.0.0.1:0",
        ])
        #expect(try simulator.connect().readText() == "hello\n")
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `it accepts, and neither reads nor writes`() throws {
        let simulator = try RunningSimulator(["--silent", "--no-read", "127.0.0.1:0"])
        let first = try simulator.connect()
        let second = try simulator.connect()
        try first.sendAll([UInt8](repeating: 0x0A, count: 1000))
        // It goes on to live: the second connection was accepted after all that.
        var byte: UInt8 = 0
        #expect(recv(second.raw, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
        #expect(recv(first.raw, &byte, 1, Int32(MSG_DONTWAIT)) == -1 && errno == EAGAIN)
        simulator.signal(SIGTERM)
        _ = try? first.readAll()
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test(arguments: [1, 7, 1000])
    func `it sends in small pieces, and nothing is lost`(chunk: Int) throws {
        let simulator = try RunningSimulator(
            fast + [
                "--chunk", "\(chunk)", "--count", "300", "--then", "close", "--connections", "1",
                "127.0.0.1:0",
            ])
        let lines = try simulator.connect().readText().split(separator: "\n")
        #expect(lines.count == 300 && lines[299].hasPrefix("299"))
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `it trickles: one byte, then a pause`() throws {
        let simulator = try RunningSimulator(
            fast + ["--chunk", "1", "--pause", "5", "--count", "2", "--then", "close", "127.0.0.1:0"])
        let start = ContinuousClock.now
        let client = try simulator.connect()
        #expect(try client.readText() == "0abcdefgh\n1abcdefgh\n")
        #expect(ContinuousClock.now - start >= .milliseconds(19 * 5))
    }

    @Test func `a trickle outlasts a rate that would be faster, and an echo keeps to it`() throws {
        let simulator = try RunningSimulator([
            "--echo", "--silent", "--chunk", "1", "--pause", "5", "--connections", "1", "127.0.0.1:0",
        ])
        let client = try simulator.connect()
        let start = ContinuousClock.now
        try client.sendAll(Array("0123456789\nabc\n".utf8))
        try client.shutDown(.writing)
        #expect(try client.readText() == "0123456789\nabc\n")
        #expect(ContinuousClock.now - start >= .milliseconds(14 * 5))
        #expect(try simulator.waitForEnd() == 0)
    }

    @Test func `it floods`() throws {
        let simulator = try RunningSimulator(fast + ["127.0.0.1:0"])
        #expect(try simulator.connect().read(count: 5_000_000).count == 5_000_000)
    }

    @Test func `garbage is random, and the same for the same seed`() throws {
        func garbage(_ seed: Int) throws -> [UInt8] {
            let simulator = try RunningSimulator([
                "--message", "garbage", "--seed", "\(seed)", "--size", "1000", "--rate", "0", "--count", "50",
                "--then", "close", "127.0.0.1:0",
            ])
            return try simulator.connect().readAll()
        }
        let first = try garbage(1)
        #expect(first.count == 50_000)
        #expect(Set(first).count == 256)
        #expect(first[..<1000] != first[1000..<2000])
        #expect(try garbage(1) == first)
        #expect(try garbage(2) != first)
    }

    @Test(arguments: [
        ("bytes=8", "18446744073709551615", [UInt8](repeating: 0xFF, count: 8)),
        ("bytes=8", "9223372036854775808", [0x80, 0, 0, 0, 0, 0, 0, 0]),
        ("bytes=4", "2147483648", [0x80, 0, 0, 0]),
        ("bytes=4,order=little", "2147483648", [0, 0, 0, 0x80]), ("bytes=2", "65535", [0xFF, 0xFF]),
        ("bytes=1", "0", [0]),
    ])
    func `it claims a length, and sends nothing more`(framing: String, claim: String, bytes: [UInt8]) throws {
        let simulator = try RunningSimulator([
            "--framing", "length:\(framing)", "--claim", claim, "--echo", "--rate", "0", "127.0.0.1:0",
        ])
        let client = try simulator.connect()
        #expect(try client.read(count: bytes.count) == bytes)
        try client.sendAll([0])
        simulator.signal(SIGTERM)
        #expect(try client.readAll().isEmpty)
    }

    @Test(arguments: [("line", "1"), ("length:bytes=1", "256"), ("length:bytes=4", "4294967296")])
    func `a length that the framing cannot claim is refused`(framing: String, claim: String) throws {
        let simulator = try RunningSimulator(
            ["--framing", framing, "--claim", claim, "127.0.0.1:0"], listens: false)
        #expect(try simulator.waitForEnd() == 64)
        #expect(try simulator.errors.readText().contains("--claim needs a framing length"))
    }

    @Test func `it ends its own direction, and reads on`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try RunningSimulator(
            fast + [
                "--count", "2", "--then", "half-close", "--received", directory("received"), "--connections",
                "1",
                "127.0.0.1:0",
            ])
        let client = try simulator.connect()
        #expect(try client.readText() == "0abcdefgh\n1abcdefgh\n")
        try client.sendAll(Array("still heard\n".utf8))
        try client.shutDown(.writing)
        #expect(try simulator.waitForEnd() == 0)
        #expect(try directory.contents("received") == Array("still heard\n".utf8))
    }

    @Test func `a Java server answers two bytes with a length and a text`() throws {
        let simulator = try RunningSimulator(["--service", "java", "--connections", "1", "127.0.0.1:0"])
        let client = try simulator.connect()
        try client.sendAll([7])
        try client.sendAll([42, 0, 255, 1])
        for text in ["action 7, argument 42: ✓", "action 0, argument 255: ✓"] {
            let expected = [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
            #expect(try client.read(count: expected.count) == expected)
        }
        try client.shutDown(.writing)
        #expect(try client.readAll().isEmpty)
        #expect(try simulator.waitForEnd() == 0)
    }
}
