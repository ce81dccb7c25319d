import Glibc
import TestSupport
import Testing

@testable import Linux
@testable import Systemd

extension JournalDestination {
    /// Lines to a descriptor, or entries to a socket and, where there is none, lines with their levels.
    init(_ output: Int32, socket: String? = nil) {
        self.init(
            output: output, socket: socket, fields: [JournalField("BRIDGE", "ais")], lossID: "lost")
    }
}

extension Journal {
    convenience init(writingTo raw: Int32, leadsToJournal: Bool = false) throws {
        try self.init(JournalDestination(raw, socket: leadsToJournal ? "/nonexistent/socket" : nil))
    }

    func log(_ level: LogLevel, _ text: String) { log(JournalEntry(level, id: "id", text, [])) }
}

/// A service manager's socket, or the journal's, which is read only when the test wants it.
///
/// Sendable, for one thread at a time uses it.
final class Manager: @unchecked Sendable {
    /// For `$NOTIFY_SOCKET`.
    let address: String
    let raw: Int32
    private var socket: FileDescriptor?

    /// At a path, or at a name that is in no file system.
    convenience init(isAbstract: Bool = false) throws {
        let name = "/tmp/trunkline-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try self.init(name: name, isAbstract: isAbstract)
    }

    init(name: String, isAbstract: Bool = false) throws {
        address = isAbstract ? "@" + name : name
        raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(raw >= 0)
        let descriptor = FileDescriptor(owning: raw)
        try descriptor.bind(to: isAbstract ? .abstract(name: name) : .unix(path: name))
        socket = consume descriptor
    }

    deinit {
        if !address.hasPrefix("@") { unlink(address) }
    }

    /// The next message; `nil` when none is waiting.
    func receiveBytes() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(raw, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(bytes[..<count])
    }

    func receive() -> String? { receiveBytes().map { String(decoding: $0, as: UTF8.self) } }

    func receiveAll() -> [String] {
        var all: [String] = []
        while let message = receive() { all.append(message) }
        return all
    }

    /// Returns once nobody has the socket any more: a process that another test is just starting has it, too, until
    /// it is a program of its own.
    func vanish() {
        socket = nil
        while isThere { sched_yield() }
    }

    private var isThere: Bool {
        do {
            _ = try FileDescriptor.datagramSocket(connectedTo: address)
            return true
        } catch {
            return false
        }
    }
}

/// Notes that it was called.
final class Bell: TimerHandler, TurnTaker {
    private(set) var hasRung = false

    func timerFired(_ timer: TimerID) { hasRung = true }

    func takeTurn() -> Bool {
        hasRung = true
        return false
    }
}

extension EventLoop {
    /// Turns until there is something.
    func turn<R>(until body: () throws -> R?, sourceLocation: SourceLocation = #_sourceLocation) throws -> R {
        let deadline = Bell()
        let timer = arm(at: .now + .seconds(20) * slowdown, handler: deadline)
        defer { disarm(timer) }
        while true {
            if let result = try body() { return result }
            try #require(!deadline.hasRung, "waited in vain", sourceLocation: sourceLocation)
            try turn()
        }
    }

    /// One turn without waiting.
    func turnAtOnce() throws {
        requestTurn(Bell())
        try turn()
    }
}

/// A pipe for lines of the log, which is read only when the test wants it.
///
/// Sendable, for one thread at a time reads, and only the test's own closes.
final class Pipe: @unchecked Sendable {
    let writeEnd: Int32
    private let readEnd: Int32
    private var isWriteEndOpen = true
    private var rest: [UInt8] = []

    init() throws {
        (readEnd, writeEnd) = try privatePipe()
    }

    deinit {
        close(readEnd)
        closeWriteEnd()
    }

    func closeWriteEnd() {
        if isWriteEndOpen { close(writeEnd) }
        isWriteEndOpen = false
    }

    /// What `$JOURNAL_STREAM` would say.
    var name: String {
        var status = stat()
        return fstat(writeEnd, &status) == 0 ? "\(status.st_dev):\(status.st_ino)" : ""
    }

    /// The next line without its end; `nil` at the end, or when none comes for long.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var wanted = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, 20_000) > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(readEnd, &bytes, bytes.count)
            guard count > 0 else { return nil }
            rest += bytes[..<count]
        }
    }

    /// Every line up to the end, which the write end's close makes.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }
}

/// Runs `body` on a thread of its own, which the tests' own threads cannot starve, and waits for it.
final class Background<Result: Sendable>: Sendable {
    private let results: Mailbox<Result>

    init(_ body: @escaping @Sendable () -> Result) throws {
        let results = try Mailbox<Result>()
        self.results = results
        try startThread { results.post(body()) }
    }

    func result() throws -> Result {
        try #require(results.wait(atMost: .seconds(60)))
        return try #require(results.takeAll().first)
    }
}
