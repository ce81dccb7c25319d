import Glibc
import Linux
import TestSupport
import Testing

/// How long a test waits for anything before it fails.
let patience = Duration.seconds(20) * slowdown

struct TimedOut: Error, CustomStringConvertible {
    let description: String
}

/// The real program, running; killed with this object.
final class RunningSimulator {
    let output: FileDescriptor
    let errors: FileDescriptor
    /// What it listens on, as it says itself.
    private(set) var address = ""
    private var pid: pid_t
    private var status: Int32?

    /// Starts the program and, unless it is to end at once, waits until it listens.
    init(_ arguments: [String], listens: Bool = true) throws {
        let (out, outOfChild) = try Self.channel()
        let (err, errOfChild) = try Self.channel()
        output = FileDescriptor(owning: out)
        errors = FileDescriptor(owning: err)
        defer {
            close(outOfChild)
            close(errOfChild)
        }
        pid = try Self.spawn(arguments, output: outOfChild, errors: errOfChild)
        guard listens else { return }
        let line = try output.readLine()
        let prefix = "listening on "
        guard line.hasPrefix(prefix) else {
            throw TimedOut(description: "instead of an address: '\(line)', \(try errors.readText())")
        }
        address = String(line.dropFirst(prefix.count))
    }

    deinit {
        guard status == nil else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    func signal(_ number: Int32) { kill(pid, number) }

    /// Waits until the program has ended: its exit status, or 128 and the signal that killed it.
    func waitForEnd() throws -> Int32 {
        // Its output ends with it.
        _ = try output.readAll()
        var raw: Int32 = 0
        waitpid(pid, &raw, 0)
        let result = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        status = result
        return result
    }

    func connect() throws -> FileDescriptor {
        let target =
            address.hasPrefix("unix:")
            ? try SocketAddress.unix(path: String(address.dropFirst(5)))
            : SocketAddress.loopback(port: try #require(UInt16(address.split(separator: ":").last ?? "")))
        let socket = try FileDescriptor.connecting(to: target).take()
        try socket.waitFor(POLLOUT, until: .now + patience)
        let code = socket.takeError()
        if code != 0 { throw SystemError(call: "connect", code: code) }
        return socket
    }

    /// Socket pairs, not pipes: close-on-exec from the start, so that no program started meanwhile inherits them.
    private static func channel() throws -> (Int32, Int32) {
        var pair: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else {
            throw SystemError(call: "socketpair", code: errno)
        }
        return (pair[0], pair[1])
    }

    /// Beside the program that runs these tests.
    private static func programPath() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let beside = own.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let path = "\(beside)/trunkline-sim"
        if access(path, X_OK) == 0 { return path }
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        return "\(root)/.build/debug/trunkline-sim"
    }

    private static func spawn(_ arguments: [String], output: Int32, errors: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        let path = programPath()
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for argument in argv { free(argument) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, nil, &argv, environ)
        guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
        return pid
    }
}

extension TemporaryDirectory {
    func contents(_ name: String) throws -> [UInt8] { try FileDescriptor.reading(self(name)).readToEnd() }
}

extension FileDescriptor {
    borrowing func waitFor(_ events: Int32, until deadline: ContinuousClock.Instant) throws {
        var entry = pollfd(fd: raw, events: Int16(events), revents: 0)
        while true {
            let rest = deadline - .now
            guard rest > .zero else { throw TimedOut(description: "nothing happened for \(patience)") }
            let count = poll(&entry, 1, Int32(rest / .milliseconds(1)) + 1)
            if count > 0 { return }
            if count < 0 && errno != EINTR { throw SystemError(call: "poll", code: errno) }
        }
    }

    /// Some bytes; none at the end of the stream.
    borrowing func readSome(atMost limit: Int = 1 << 16) throws -> [UInt8] {
        let deadline = ContinuousClock.now + patience
        var buffer = [UInt8](repeating: 0, count: limit)
        while true {
            try waitFor(POLLIN, until: deadline)
            var space = buffer.mutableSpan
            switch try receive(into: &space) {
            case .moved(let count): return Array(buffer[..<count])
            case .ended: return []
            case .wouldBlock: continue
            }
        }
    }

    /// Exactly so many bytes, or fewer at the end of the stream.
    borrowing func read(count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let some = try readSome(atMost: count - bytes.count)
            if some.isEmpty { break }
            bytes += some
        }
        return bytes
    }

    borrowing func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let some = try readSome()
            if some.isEmpty { return bytes }
            bytes += some
        }
    }

    borrowing func readText() throws -> String { String(decoding: try readAll(), as: UTF8.self) }

    borrowing func readLine() throws -> String {
        var line: [UInt8] = []
        while let byte = try readSome(atMost: 1).first, byte != 0x0A { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    borrowing func sendAll(_ bytes: [UInt8]) throws {
        let deadline = ContinuousClock.now + patience
        var sent = 0
        while sent < bytes.count {
            try waitFor(POLLOUT, until: deadline)
            if case .moved(let count) = try send(bytes.span.extracting(sent...)) { sent += count }
        }
    }
}
