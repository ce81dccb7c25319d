import Glibc
import Linux
import TestSupport
import Testing

/// The real daemon, on a configuration and in a directory of its own, with the test for its service manager.
final class DaemonProcess {
    static let bridge = "feed"

    let directory: TemporaryDirectory
    let process: ChildProcess
    let manager: FakeManager
    private let logPath: String
    private var clients: [String: [Client]] = [:]

    /// Starts it, lends it to `body`, and ends it, however `body` leaves.
    ///
    /// The configuration is what its file holds, the directory where that file and its sockets are, the name tells
    /// several daemons in one directory apart. The launcher is a command that executes the command after it. Unless told
    /// otherwise it waits for READY=1 first.
    static func run<R>(
        _ configuration: String, in directory: TemporaryDirectory? = nil, name: String = "daemon",
        launcher: [String] = [], environment: [String: String] = [:], awaitsReady: Bool = true,
        _ body: (DaemonProcess) throws -> R
    ) throws -> R {
        let directory = try directory ?? TemporaryDirectory()
        let file = try directory.write(configuration, to: "\(bridge).yaml")
        let command = launcher + [ChildProcess.path(of: "trunklined"), file]
        let daemon = try DaemonProcess(command, directory, name, environment)
        defer { daemon.end() }
        do {
            if awaitsReady { try daemon.awaitReady() }
            return try body(daemon)
        } catch {
            Issue.record("the daemon's log:\n\(daemon.log.joined(separator: "\n"))")
            throw error
        }
    }

    private init(
        _ command: [String], _ directory: TemporaryDirectory, _ name: String, _ environment: [String: String]
    ) throws {
        self.directory = directory
        logPath = directory("\(name).log")
        manager = try FakeManager(at: directory("\(name).notify"))
        let usual = ["RUNTIME_DIRECTORY": directory.path, "NOTIFY_SOCKET": directory("\(name).notify")]
        process = try ChildProcess(
            command, environment: usual.merging(environment) { $1 }, output: directory("\(name).output"),
            errors: logPath)
    }

    private func awaitReady() throws {
        try eventually("READY=1") {
            if process.hasEnded { throw EndedEarly(log: log) }
            return manager.notices.contains("READY=1")
        }
    }

    // MARK: What it tells

    /// The lines that it has logged by now.
    var log: [String] { text(of: logPath).split(separator: "\n").map(String.init) }

    /// Waits for a line that contains all of `words`, and returns it.
    @discardableResult
    func awaitLine(_ words: String..., within limit: Duration = .seconds(15)) throws -> String {
        var line: String?
        try eventually("a line of the log with \(words)", within: limit) {
            line = log.first { line in words.allSatisfy(line.contains) }
            return line != nil
        }
        return line ?? ""
    }

    /// Waits until the newest `STATUS=` contains all of `words`.
    func awaitStatus(_ words: String..., within limit: Duration = .seconds(15)) throws {
        try eventually("a status with \(words), not \(manager.statuses.last ?? "none")", within: limit) {
            let status = manager.statuses.last ?? ""
            return words.allSatisfy(status.contains)
        }
    }

    // MARK: Its sockets

    /// The path of one of its sockets.
    func path(of socket: String = "default") -> String {
        directory("\(Self.bridge)\(socket == "default" ? "" : ".\(socket)").sock")
    }

    /// Connects a local program, and waits until the daemon has taken it.
    func connect(to socket: String = "default") throws -> Stream { try connect(1, to: socket)[0] }

    /// Connects local programs, and waits until the daemon holds them.
    func connect(_ count: Int, to socket: String = "default") throws -> [Stream] {
        // One that has closed would be counted in place of a new one.
        try awaitClients(of: socket)
        let path = path(of: socket)
        let streams = try (0..<count).map { _ in try Stream.connecting(to: .unix(path: path)) }
        clients[socket, default: []] += streams.map(Client.init)
        try awaitClients(of: socket)
        return streams
    }

    /// Waits until the daemon holds those that have not closed, and no others.
    private func awaitClients(of socket: String) throws {
        let open = clients[socket, default: []].count { $0.stream.map { $0.raw >= 0 } ?? false }
        try eventually("\(open) clients of \(socket)") { clientCount(of: socket) == open }
    }

    /// Starts `trunklinectl tail` on it, a program that is a client.
    func tail(
        _ arguments: String..., launcher: [String] = [], output: String = "/dev/null",
        errors: String = "/dev/null"
    ) throws -> ChildProcess {
        let configuration = directory("\(Self.bridge).yaml")
        let command = [ChildProcess.path(of: "trunklinectl"), "tail", Self.bridge, "--config", configuration]
        return try ChildProcess(
            launcher + command + arguments, environment: ["RUNTIME_DIRECTORY": directory.path],
            output: output, errors: errors)
    }

    private struct Client {
        weak var stream: Stream?
    }

    /// How many programs the daemon holds connections with, as the kernel knows it: connected sockets (state 03) that
    /// somebody has accepted, and so have an inode.
    func clientCount(of socket: String = "default") -> Int {
        let path = path(of: socket)
        return text(of: "/proc/net/unix").split(separator: "\n").count { line in
            guard line.hasSuffix(path) else { return false }
            let fields = line.split(separator: " ")
            return fields.count == 8 && fields[5] == "03" && fields[6] != "0" && fields[7] == path
        }
    }

    // MARK: Its end

    func signal(_ number: Int32) { process.signal(number) }

    /// - Returns: Its exit status.
    func terminate(_ number: Int32 = SIGTERM, within limit: Duration = .seconds(15)) throws -> Int32 {
        signal(number)
        return try process.exitStatus(within: limit)
    }

    private func end() {
        process.signal(SIGKILL)
        _ = try? process.exitStatus()
    }
}

/// The daemon has ended instead of getting ready.
struct EndedEarly: Error, CustomStringConvertible {
    let log: [String]
    var description: String { "the daemon has ended: \(log)" }
}
