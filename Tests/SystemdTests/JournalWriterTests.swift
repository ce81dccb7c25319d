import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Where entries go, and what becomes of them when nothing can be written.
struct JournalWriterTests {
    private static func entry(_ text: String) -> JournalEntry {
        JournalEntry(.info, id: "id", text, [JournalField("REASON", "r")])
    }

    private static func sent(_ text: String) -> String {
        "MESSAGE=\(text)\nPRIORITY=6\nMESSAGE_ID=id\nBRIDGE=ais\nREASON=r\n"
    }

    // MARK: Lines

    /// A descriptor of a full disk; another takes its place with dup2(2).
    private static func full() throws -> Int32 {
        let raw = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(raw >= 0)
        return raw
    }

    @Test func `what a full disk took is counted, and told when there is room`() throws {
        let raw = try Self.full()
        var writer = JournalWriter(JournalDestination(raw))
        for _ in 0..<37 { writer.write(Self.entry("lost")) }
        let pipe = try Pipe()
        dup2(pipe.writeEnd, raw)
        writer.write(Self.entry("written"))
        writer.write(Self.entry("too"))
        writer.end()
        pipe.closeWriteEnd()
        close(raw)
        #expect(pipe.lines() == ["37 lines could not be logged", "written", "too"])
    }

    @Test func `what was lost is told at the end at the latest`() throws {
        let raw = try Self.full()
        var writer = JournalWriter(JournalDestination(raw))
        writer.write(Self.entry("lost"))
        let pipe = try Pipe()
        dup2(pipe.writeEnd, raw)
        writer.tellUnwritten()
        writer.tellUnwritten()
        writer.end()
        pipe.closeWriteEnd()
        close(raw)
        #expect(pipe.lines() == ["1 line could not be logged"])
    }

    @Test func `a line that was written in part does not run into the next one`() async throws {
        // A process of its own: the limit is one of the process.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let raw = open(directory("log"), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            signal(SIGXFSZ, SIG_IGN)
            // The file may not grow beyond so much: the next write is cut, the one after it fails (setrlimit(2)).
            var limit = rlimit(rlim_cur: 8, rlim_max: rlim_t.max)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            var writer = JournalWriter(JournalDestination(raw))
            writer.write(JournalEntry(.info, id: "", "0123456789", []))
            limit.rlim_cur = rlim_t.max
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            writer.write(JournalEntry(.info, id: "", "next", []))
            writer.end()
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = pread(raw, &bytes, bytes.count, 0)
            try #require(
                String(decoding: bytes[..<count], as: UTF8.self)
                    == "01234567\n1 line could not be logged\nnext\n")
        }
    }

    @Test func `nobody at the other end of a pipe costs lines and nothing else`() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_IGN)
            let (reading, writing) = try privatePipe()
            close(reading)
            var writer = JournalWriter(JournalDestination(writing))
            for _ in 0..<5 { writer.write(JournalEntry(.info, id: "", "lost", [])) }
            let pipe = try Pipe()
            dup2(pipe.writeEnd, writing)
            writer.write(JournalEntry(.info, id: "", "written", []))
            writer.end()
            pipe.closeWriteEnd()
            close(writing)
            try #require(pipe.lines() == ["5 lines could not be logged", "written"])
        }
    }

    // MARK: The journal's socket

    @Test func `entries go to the journal's socket, and nothing to standard error`() throws {
        let journald = try Manager()
        let pipe = try Pipe()
        var writer = JournalWriter(JournalDestination(pipe.writeEnd, socket: journald.address))
        for text in ["one", "two"] { writer.write(Self.entry(text)) }
        writer.end()
        pipe.closeWriteEnd()
        #expect(journald.receiveAll() == [Self.sent("one"), Self.sent("two")])
        #expect(pipe.lines() == [])
    }

    @Test func `where the journal has no socket, entries are lines, until it has one again`() throws {
        let directory = try TemporaryDirectory()
        let pipe = try Pipe()
        var writer = JournalWriter(JournalDestination(pipe.writeEnd, socket: directory("socket")))
        writer.write(Self.entry("before"))
        let first = try Manager(name: directory("socket"))
        writer.write(Self.entry("first"))
        first.vanish()
        writer.write(Self.entry("refused"))
        try #require(unlink(directory("socket")) == 0)
        let second = try Manager(name: directory("socket"))
        writer.write(Self.entry("second"))
        writer.end()
        pipe.closeWriteEnd()
        #expect(pipe.lines() == ["<6>before", "<6>refused"])
        #expect(second.receiveAll() == [Self.sent("second")])
    }

    @Test func `a journal that was started anew on the same path loses nothing`() throws {
        let directory = try TemporaryDirectory()
        let pipe = try Pipe()
        var writer = JournalWriter(JournalDestination(pipe.writeEnd, socket: directory("socket")))
        let first = try Manager(name: directory("socket"))
        writer.write(Self.entry("first"))
        #expect(first.receiveAll() == [Self.sent("first")])
        first.vanish()
        try #require(unlink(directory("socket")) == 0)
        let second = try Manager(name: directory("socket"))
        writer.write(Self.entry("second"))
        writer.end()
        pipe.closeWriteEnd()
        #expect(second.receiveAll() == [Self.sent("second")])
        #expect(pipe.lines() == [])
    }

    @Test func `a journal that reads nothing blocks nobody, and everything comes when it does`() throws {
        let journald = try Manager()
        let pipe = try Pipe()
        let journal = try Journal(JournalDestination(pipe.writeEnd, socket: journald.address))
        for number in 0..<500 { journal.log(Self.entry("\(number)")) }
        journal.close(atMost: .milliseconds(30))
        let heard = try Background {
            var heard: [String] = []
            while heard.count < 500 {
                var wanted = pollfd(fd: journald.raw, events: Int16(POLLIN), revents: 0)
                guard poll(&wanted, 1, 20_000) > 0 else { break }
                heard += journald.receiveAll()
            }
            return heard
        }
        #expect(try heard.result() == (0..<500).map { Self.sent("\($0)") })
    }

    @Test func `a journal that is ended while its queue is full costs what it held`() throws {
        let journald = try Manager()
        let pipe = try Pipe()
        let journal = try Journal(JournalDestination(pipe.writeEnd, socket: journald.address))
        for number in 0..<500 { journal.log(Self.entry("\(number)")) }
        // The queue is full, and the writer waits.
        journal.close(atMost: .milliseconds(30))
        journald.vanish()
        // Until the writer's end: a descriptor that it still wrote to would soon be another test's.
        let reader = try Background { pipe.lines() }
        journal.close(atMost: .seconds(20))
        pipe.closeWriteEnd()
        #expect(try reader.result().first?.hasPrefix("<6>") == true)
    }
}
