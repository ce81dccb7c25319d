import Glibc
import Linux
import TestSupport

/// A program that Debian has, in a directory of its own; it ends with this object.
///
/// Where servers listen is not theirs to choose: an address of `FakeUpstream`, which nothing else has.
final class RealServer {
    let directory: TemporaryDirectory
    private let process: ChildProcess
    private let errors: String

    /// Starts it with arguments in which `conf` is the file that holds its configuration, `pid` one that is its own to write
    /// and to remove, and `data` the directory.
    init(_ command: [String], configuration: String = "") throws {
        directory = try TemporaryDirectory()
        let names = ["conf": directory("conf"), "pid": directory("pid"), "data": directory.path]
        try directory.write(configuration.replacing("DATA", with: directory.path), to: "conf")
        errors = directory("errors")
        // Some are in /usr/sbin, which is not in everybody's PATH.
        process = try ChildProcess(
            ["/usr/bin/env"] + command.map { names[$0] ?? $0 },
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TZ": "UTC"], output: directory("output"),
            errors: errors)
    }

    /// Waits until it does what it is to do.
    func await(_ what: String, _ condition: () throws -> Bool) throws {
        try eventually("\(what), and it said: \(said)") {
            if process.hasEnded { throw DeadlinePassed(what: "\(what), and it has ended: \(said)") }
            return try condition()
        }
    }

    private var said: String { text(of: directory("output")) + text(of: errors) }

    /// - Returns: Its exit status, once it has done what it was started for.
    func exitStatus() throws -> Int32 { try process.exitStatus() }
}

extension FakeUpstream {
    /// Where a test itself can connect to.
    var target: SocketAddress {
        get throws {
            let address = SocketAddress.numeric(host: host, port: UInt16(port) ?? 0)
            guard let address else { throw SystemError(call: "getaddrinfo", code: EINVAL) }
            return address
        }
    }

    var host: String { String(address.prefix { $0 != ":" }) }
    var port: String { String(address.drop { $0 != ":" }.dropFirst()) }

    /// As /proc/net/tcp spells it.
    private var spelledPlace: String {
        let octets = host.split(separator: ".").compactMap { UInt32($0) }
        // In the order of this machine.
        let number = octets.reversed().reduce(0) { $0 << 8 | $1 }
        func digits(_ number: UInt32, _ count: Int) -> String {
            let digits = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        return "\(digits(number, 8)):\(digits(UInt32(port) ?? 0, 4))"
    }

    /// Whether somebody listens there, as the kernel knows it (state 0A).
    var isServed: Bool {
        let local = spelledPlace
        return text(of: "/proc/net/tcp").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1] == local && fields[3] == "0A"
        }
    }

    /// Whether a connection to it has been asked for and not been answered, as the kernel knows it (state 02, SYN_SENT).
    var isBeingConnected: Bool {
        let remote = spelledPlace
        return text(of: "/proc/net/tcp").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2] == remote && fields[3] == "02"
        }
    }
}
