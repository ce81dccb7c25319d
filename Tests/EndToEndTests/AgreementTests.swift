import Control
import Glibc
import Linux
import TestSupport
import Testing

/// The status, the control socket and the kernel say the same, whatever happens.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct AgreementTests {
    /// Connections to the upstream, as the kernel knows those of our end: 01 is established, 08 ended by the upstream
    /// (proc_pid_net(5)).
    enum Connection: String {
        case none
        case established = "01"
        case ended = "08"
    }

    struct View: Equatable {
        var connection: Connection
        var clients: Int
    }

    static func kernel(_ daemon: DaemonProcess, _ upstream: FakeUpstream) -> View {
        let parts = upstream.address.split { ":.".contains($0) }.compactMap { Int($0) }
        func hexadecimal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.count) + text
        }
        let place =
            parts[0..<4].reversed().map { hexadecimal($0, 2) }.joined() + ":" + hexadecimal(parts[4], 4)
        // Those of the daemon's network namespace.
        let states = text(of: "/proc/\(daemon.process.pid)/net/tcp").split(separator: "\n").compactMap {
            line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[2] == place ? Connection(rawValue: String(fields[3])) : nil
        }
        return View(
            connection: states.contains(.established) ? .established : states.first ?? .none,
            clients: daemon.clientCount())
    }

    /// What `STATUS=` says.
    static func status(_ daemon: DaemonProcess) -> View {
        let text = daemon.manager.statuses.last ?? ""
        let connection: Connection =
            ["ready", "beginning TLS with", "connected to"].contains(where: text.hasPrefix)
            ? .established : text.hasPrefix("ended") ? .ended : .none
        let count = text.split(separator: ", ").compactMap { part in
            part.hasSuffix(" client") || part.hasSuffix(" clients") ? Int(part.prefix { $0 != " " }) : nil
        }
        return View(connection: connection, clients: count.first ?? -1)
    }

    static func description(_ description: Description) -> View {
        let connection: Connection =
            switch description.bridge.uplink.state {
            case .ready, .securing, .greeting: .established
            case .ended: .ended
            case .starting, .resolving, .connecting, .waiting, .resting, .stopping: .none
            }
        let counted = description.bridge.sockets.map(\.clients).reduce(0, +)
        return View(
            connection: connection, clients: counted == description.clients.count ? counted : -2)
    }

    static func views(_ daemon: DaemonProcess, _ upstream: FakeUpstream, _ described: Description) -> [View] {
        [kernel(daemon, upstream), status(daemon), description(described)]
    }

    /// Waits until all three say this.
    static func expect(
        _ connection: Connection, clients: Int, _ daemon: DaemonProcess, _ upstream: FakeUpstream
    ) throws -> Description {
        let expected = View(connection: connection, clients: clients)
        let controller = try Controller(daemon)
        var views: [View] = []
        var described = try controller.describe()
        try eventually("\(expected), not \(views)") {
            described = try controller.describe()
            views = Self.views(daemon, upstream, described)
            return views.allSatisfy { $0 == expected }
        }
        return described
    }

    static func run(
        sockets: String = "default: {patience: infinity}", launcher: [String] = [],
        _ body: (DaemonProcess, FakeUpstream) throws -> Void
    ) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 50ms}, max-message: 16K}
            buffer: 64K
            sockets: {\(sockets)}
            """
        try DaemonProcess.run(configuration, launcher: launcher) { try body($0, upstream) }
    }

    @Test func `through connections that are made, refused and lost`() throws {
        try Self.run { daemon, upstream in
            var server = try upstream.accept()
            for round in 1...3 {
                var described = try Self.expect(.established, clients: 0, daemon, upstream)
                #expect(described.bridge.uplink.reason == nil && described.bridge.uplink.connections == round)
                upstream.stopListening()
                server.reset()
                described = try Self.expect(.none, clients: 0, daemon, upstream)
                try eventually("attempts in vain") {
                    described = try Controller(daemon).describe()
                    return described.bridge.uplink.attempts > 0
                }
                #expect(described.bridge.uplink.reason?.contains("Connection refused") == true)
                // In between it says that it is connecting.
                try daemon.awaitStatus("Connection refused")
                try upstream.listen()
                server = try upstream.accept()
            }
        }
    }

    @Test func `through clients that come, stall, half-close and are killed`() throws {
        try Self.run { daemon, upstream in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let tail = try daemon.tail("--socket", "default")
            _ = try Self.expect(.established, clients: 2, daemon, upstream)
            tail.signal(SIGSTOP)
            try server.fill()
            // The buffer is full; both are slow.
            try eventually("the daemon to have read what it can") {
                let described = try Self.expect(.established, clients: 2, daemon, upstream)
                return described.clients.allSatisfy { $0.lag.bytes > 0 }
            }
            program.finishSending()
            tail.signal(SIGKILL)
            _ = try Self.expect(.established, clients: 1, daemon, upstream)
            program.close()
            _ = try Self.expect(.established, clients: 0, daemon, upstream)
        }
    }

    @Test func `through an end that slow clients hide`() throws {
        try Self.run { daemon, upstream in
            let server = try upstream.accept()
            let program = try daemon.connect()
            _ = try Self.expect(.established, clients: 1, daemon, upstream)
            // More than the ring and the program's socket hold, and not more than the daemon's socket holds besides.
            try server.send((0..<320).flatMap { Wire.line.frame($0, size: 1000) })
            try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
            server.finishSending()
            upstream.stopListening()
            _ = try Self.expect(.ended, clients: 1, daemon, upstream)
            program.close()
            _ = try Self.expect(.none, clients: 0, daemon, upstream)
        }
    }

    @Test func `through descriptors that are used up`() throws {
        let launcher = Launcher.allowing(descriptors: 80)
        try Self.run(launcher: launcher) { daemon, upstream in
            let server = try upstream.accept()
            let programs = try (0..<50).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
            var accepted = 0
            try eventually("accepting to pause") {
                let trouble = try Controller(daemon).describe().bridge.sockets[0].trouble
                accepted = daemon.clientCount()
                return trouble != nil
            }
            #expect(accepted > 0 && accepted < 50)
            var described = try Self.expect(.established, clients: accepted, daemon, upstream)
            #expect(described.bridge.sockets[0].trouble?.hasPrefix("new clients have to wait: ") == true)
            for program in programs { program.close() }
            described = try Self.expect(.established, clients: 0, daemon, upstream)
            #expect(described.bridge.sockets[0].trouble == nil)
            #expect(described.bridge.counters.contains { $0.reason == "accepting-paused" && $0.times > 0 })
            #expect(server.staysSilent(for: .milliseconds(1)))
        }
    }
}
