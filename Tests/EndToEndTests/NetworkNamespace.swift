import Glibc
import Linux
import TestSupport
import Testing

/// A network of the test's own, with nothing but a loopback interface: for root only.
final class NetworkNamespace {
    private let directory: TemporaryDirectory
    /// Is in it, and does nothing.
    private let holder: ChildProcess

    private static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    init() throws {
        directory = try TemporaryDirectory()
        let script = "set -e; ip link set lo up; : >'\(directory("up"))'; exec sleep infinity"
        holder = try ChildProcess(
            ["/usr/bin/env", "unshare", "--net"] + Launcher.shell(script), environment: Self.environment,
            output: "/dev/null", errors: directory("errors"))
        try eventually("a network namespace") {
            if holder.hasEnded { throw Failed(errors: text(of: directory("errors"))) }
            return access(directory("up"), F_OK) == 0
        }
    }

    private var path: String { "/proc/\(holder.pid)/ns/net" }

    /// Executes the command after it there.
    var launcher: [String] {
        ["/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "nsenter", "--net=\(path)"]
    }

    /// Carries out lines of ip(8).
    func ip(_ lines: String...) throws { try ip(lines) }

    func ip(_ lines: [String]) throws {
        let file = try directory.write(lines.map { $0 + "\n" }.joined(), to: "batch")
        let errors = directory("errors")
        let process = try ChildProcess(
            launcher + ["ip", "-batch", file], environment: Self.environment, output: "/dev/null",
            errors: errors)
        guard try process.exitStatus() == 0 else { throw Failed(errors: text(of: errors)) }
    }

    /// What makes a socket makes it there.
    func inside<R>(_ body: () throws -> R) throws -> R {
        let own = FileDescriptor(owning: open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC))
        let other = FileDescriptor(owning: open(path, O_RDONLY | O_CLOEXEC))
        try enter(other)
        // The thread belongs to a pool.
        defer { try? enter(own) }
        return try body()
    }

    private func enter(_ namespace: borrowing FileDescriptor) throws {
        typealias SetNamespace = @convention(c) (Int32, Int32) -> Int32
        let setns = unsafeBitCast(try #require(dlsym(nil, "setns")), to: SetNamespace.self)
        try #require(setns(namespace.raw, 0x4000_0000) == 0, "CLONE_NEWNET")
    }

    struct Failed: Error {
        let errors: String
    }
}
