import Control
import Glibc
import Linux
import TestSupport
import Testing

/// Looking at the daemon, and steering it, through its control socket.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ControlTests {
    /// The daemon, connected to an upstream, with its end of that connection.
    static func run(
        _ settings: String = "", sockets: String = "default: {}",
        _ body: (DaemonProcess, FakeUpstream, Stream) throws -> Void
    ) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}
            sockets: {\(sockets)}
            \(settings)
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            try daemon.awaitStatus("ready \(upstream.address)")
            try body(daemon, upstream, server)
        }
    }

    @Test func `the service tells what it is, and which methods it has`() throws {
        try Self.run { daemon, _, _ in
            let controller = try Controller(daemon)
            try controller.send("org.varlink.service.GetInfo")
            let info = try Answer<[String: Ignored]>(try controller.reply()).parameters
            #expect(Set(info.keys) == ["vendor", "product", "version", "url", "interfaces"])
            for interface in ["org.varlink.service", "org.trunkline.Bridge"] {
                try controller.send(
                    "org.varlink.service.GetInterfaceDescription", #"{"interface":"\#(interface)"}"#)
                let text = try Answer<[String: String]>(try controller.reply()).parameters["description"]
                #expect(text == Interface.definition(of: interface))
            }
            let error = try controller.error(
                of: "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.example"}"#)
            #expect(error == "org.varlink.service.InterfaceNotFound")
        }
    }

    /// Any JSON.
    struct Ignored: Decodable, Sendable { init(from decoder: any Decoder) {} }

    @Test func `what is described is what has happened`() throws {
        try Self.run(sockets: "default: {}, other: {send: no}") { daemon, upstream, server in
            let (program, other) = (try daemon.connect(), try daemon.connect(to: "other"))
            try server.send(Wire.line.frame("one") + Wire.line.frame("two") + Array("thr".utf8))
            for stream in [program, other] { _ = try stream.receive(8) }
            try program.send(Wire.line.frame("up"))
            _ = try server.receive(3)

            let described = try Controller(daemon).describe()
            let bridge = described.bridge
            #expect(bridge.name == DaemonProcess.bridge && bridge.pid == daemon.process.pid)
            #expect(bridge.logLevel == "info" && bridge.configuration.hasPrefix("upstream:\n"))
            #expect(bridge.uplink.state == .ready && bridge.uplink.upstream == upstream.address)
            #expect(
                bridge.uplink.addresses.map(\.address) == [upstream.address] && bridge.uplink.connections == 1
            )
            #expect(bridge.uplink.reason == nil && bridge.uplink.nextAttempt == nil)
            #expect(bridge.received == AmountDescription(messages: 2, bytes: 11))
            #expect(bridge.sent == AmountDescription(messages: 1, bytes: 3))
            #expect(bridge.buffer == FillDescription(used: 3, size: 4 << 20))
            #expect(bridge.outbox == FillDescription(used: 0, size: 1 << 20))
            #expect(bridge.counters.allSatisfy { $0.times == 0 })
            #expect(bridge.sockets.map(\.name) == ["default", "other"])
            #expect(
                bridge.sockets.map(\.clients) == [1, 1] && bridge.sockets.allSatisfy { $0.trouble == nil })
            let now = wallMicroseconds() / 1_000_000
            for since in [bridge.since, bridge.uplink.since] {
                #expect((now - 60...now).contains(since / 1_000_000))
            }
            let clients = described.clients.sorted { $0.number < $1.number }
            #expect(clients.map(\.socket) == ["default", "other"])
            let command = text(of: "/proc/self/comm").split(separator: "\n").first.map(String.init)
            for client in clients {
                #expect(client.pid == getpid() && client.uid == getuid() && client.command == command)
                #expect(client.sent == AmountDescription(messages: 2, bytes: 8))
                #expect(client.lag == AmountDescription(messages: 0, bytes: 0) && !client.skipping)
            }
            #expect(clients.map(\.received.messages) == [1, 0] && clients.map(\.received.bytes) == [3, 0])
        }
    }

    @Test func `who is slow can be seen, and by how much`() throws {
        try Self.run(sockets: "default: {patience: infinity}") { daemon, _, server in
            let (slow, quick) = (try daemon.connect(), try daemon.connect())
            let frame = Wire.line.frame(String(repeating: "x", count: 999))
            for _ in 0..<3000 {
                try server.send(frame)
                _ = try quick.receive(frame.count)
            }
            let controller = try Controller(daemon)
            var clients = try controller.describe().clients.sorted { $0.lag.bytes < $1.lag.bytes }
            #expect(clients[0].lag == AmountDescription(messages: 0, bytes: 0))
            #expect(clients[0].sent == AmountDescription(messages: 3000, bytes: 3_000_000))
            #expect(clients[1].lag.bytes > 2_000_000)
            // A message of which the kernel has taken a part is not sent yet.
            #expect(clients[1].sent.bytes + clients[1].lag.bytes == 3_000_000)
            #expect(clients[1].sent.messages + clients[1].lag.messages == 3000)
            #expect(clients[1].lag.messages == (clients[1].lag.bytes + 999) / 1000)
            #expect(try controller.describe().bridge.buffer.used >= clients[1].lag.bytes)

            _ = try slow.receive(3_000_000)
            clients = try controller.describe().clients
            #expect(clients.allSatisfy { $0.sent.messages == 3000 && $0.lag.messages == 0 })
        }
    }

    @Test func `what clients miss is theirs for ever, message by message`() throws {
        let settings = "buffer: 128K"
        try Self.run(settings, sockets: "default: {when-behind: drop, patience: 1ms}, sure: {}") {
            daemon, _, server in
            let (slow, quick) = (try daemon.connect(), try daemon.connect(to: "sure"))
            let frame = Wire.line.frame(String(repeating: "x", count: 999))
            for _ in 0..<3000 {
                try server.send(frame)
                _ = try quick.receive(frame.count)
            }
            let controller = try Controller(daemon)
            let isSlow = { (client: ClientDescription) in client.socket == "default" }
            var client = try #require(try controller.describe().clients.first(where: isSlow))
            #expect(client.skipping && client.missed.messages > 0)
            // It reads all that it gets, and what it got and what it missed is everything.
            var received = 0
            try eventually("the slow program to catch up") {
                if case .bytes(let bytes) = slow.receiveNow() { received += bytes.count }
                client = try #require(try controller.describe().clients.first(where: isSlow))
                return !client.skipping && client.sent.bytes == received
            }
            #expect(received % 1000 == 0 && client.sent.messages == received / 1000)
            #expect(client.sent.messages + client.missed.messages == 3000)
            let behind = try controller.describe().bridge.counters.first { $0.reason == "behind" }
            #expect(behind?.messages == client.missed.messages && behind?.bytes == client.missed.bytes)
        }
    }

    @Test func `events are told as they happen`() throws {
        try Self.run { daemon, upstream, server in
            let follower = try Controller(daemon)
            let first = try follower.monitor()
            #expect(first.event == "monitoring" && first.text.hasPrefix("ready \(upstream.address) since"))
            let program = try daemon.connect()
            let came = try follower.event()
            #expect(came.event == "clientConnected" && came.level == "info")
            #expect(came.fields["CLIENT_PID"] == "\(getpid())" && came.fields["SOCKET"] == "default")
            program.close()
            #expect(try follower.event().event == "clientLeft")
            server.close()
            let away = try follower.event()
            #expect(away.event == "upstreamAway" && away.fields["REASON"] == "closed")
            #expect(away.fields["UPSTREAM"] == upstream.address)
            var told: [String] = []
            while told.last != "connected" { told.append(try follower.event().event) }
            #expect(told == ["attempt", "attempt", "connected"])
        }
    }

    @Test func `an operator connects anew, and disconnects a client`() throws {
        try Self.run { daemon, upstream, server in
            let controller = try Controller(daemon)
            #expect(try controller.error(of: "org.trunkline.Bridge.Reconnect") == nil)
            #expect(try server.receiveToEnd() == [])
            let second = try upstream.accept()
            try daemon.awaitLine("asked for by pid \(getpid()), uid \(getuid()): connecting anew")

            let (program, other) = (try daemon.connect(), try daemon.connect())
            let number = try controller.describe().clients.map(\.number).min() ?? 0
            let disconnect = "org.trunkline.Bridge.Disconnect"
            #expect(try controller.error(of: disconnect, #"{"client":\#(number)}"#) == nil)
            #expect(try program.receiveToEnd() == [])
            #expect(other.staysSilent(for: .milliseconds(1)))
            for wrong in [number, 0, -1, 1 << 40] {
                let error = try controller.error(of: disconnect, #"{"client":\#(wrong)}"#)
                #expect(error == "org.trunkline.Bridge.NoSuchClient")
            }
            let counters = try controller.describe().bridge.counters.filter { $0.times > 0 }
            #expect(counters.map(\.reason) == ["client-disconnected"])
            #expect(second.staysSilent(for: .milliseconds(1)))
        }
    }

    @Test func `an operator chooses what is logged`() throws {
        try Self.run { daemon, upstream, server in
            let controller = try Controller(daemon)
            let set = "org.trunkline.Bridge.SetLogLevel"
            #expect(try controller.error(of: set, #"{"level":"error"}"#) == nil)
            // This line is written whatever the level, by a thread of its own.
            try daemon.awaitLine("logging what is error or worse")
            let lines = daemon.log.count
            server.close()
            let second = try upstream.accept()
            #expect(try controller.describe().bridge.logLevel == "error")
            #expect(daemon.log.count == lines)
            #expect(try controller.error(of: set, #"{"level":"debug"}"#) == nil)
            second.close()
            _ = try upstream.accept()
            try daemon.awaitLine("connecting to \(upstream.address)")
            let error = try controller.error(of: set, #"{"level":"loud"}"#)
            #expect(error == "org.varlink.service.InvalidParameter")
        }
    }

    @Test func `others may look, and not steer`() throws {
        try Self.run("control: {mode: 0666}") { daemon, _, _ in
            chmod(daemon.directory.path, 0o755)
            let calls = ["Describe", "Reconnect", "Disconnect", "SetLogLevel"].map { method in
                #"{"method":"org.trunkline.Bridge.\#(method)","parameters":{"client":1,"level":"debug"}}"#
            }
            let input = try daemon.directory.write(calls.joined(separator: "\0") + "\0", to: "calls")
            let output = daemon.directory("answers")
            let path = Controller.path(of: daemon)
            let program = try ChildProcess(
                [
                    "/usr/bin/env", "setpriv", "--reuid", "65534", "--clear-groups", "nc", "-NU", "-w",
                    "120", path,
                ], environment: ["PATH": "/usr/bin:/bin"], input: input, output: output, errors: "/dev/null")
            #expect(try program.exitStatus() == 0)
            let answers = text(of: output).split(separator: "\0").map(String.init)
            #expect(answers.count == 4 && answers.first?.contains(#""bridge":"#) == true)
            for answer in answers.dropFirst() {
                #expect(answer.contains(#""error":"org.varlink.service.PermissionDenied""#))
            }
            #expect(!daemon.log.contains { $0.contains("asked for by") })
        }
    }

    @Test func `calls are answered in their order, however they are cut`() throws {
        try Self.run { daemon, _, _ in
            let controller = try Controller(daemon)
            let names = [
                "org.trunkline.Bridge.Describe", "org.varlink.service.GetInfo", "org.example.Nothing",
            ]
            let calls: [UInt8] = names.flatMap { Controller.call($0) + [0] }
            for byte in calls { try controller.stream.send([byte]) }
            try controller.stream.send(calls + Controller.call("org.varlink.service.GetInfo"))
            for _ in 0..<2 {
                #expect(try Answer<Description>(try controller.reply()).parameters.clients.isEmpty)
                #expect(String(decoding: try controller.reply(), as: UTF8.self).contains("trunklined"))
                let error = String(decoding: try controller.reply(), as: UTF8.self)
                #expect(error.contains("InterfaceNotFound") && error.contains("org.example"))
            }
            // The last one is not whole.
            #expect(controller.stream.staysSilent(for: .milliseconds(50)))
            try controller.stream.send([0])
            #expect(String(decoding: try controller.reply(), as: UTF8.self).contains("trunklined"))
            // Nobody waits for the answers to these, refused ones among them.
            for method in ["Reconnect", "Disconnect", "Monitor", "Explode"] {
                let oneway = #"{"method":"org.trunkline.Bridge.\#(method)","oneway":true}"#
                try controller.stream.send(Array(oneway.utf8) + [0])
            }
            #expect(try controller.describe().clients.isEmpty)
        }
    }

    @Test func `without a place for its control socket the bridge works, and says so`() throws {
        let upstream = try FakeUpstream()
        let elsewhere = try TemporaryDirectory()
        let configuration = """
            upstream: {address: '\(upstream.address)'}
            sockets: {default: {path: '\(elsewhere("feed.sock"))'}}
            """
        try DaemonProcess.run(configuration, environment: ["RUNTIME_DIRECTORY": elsewhere("none")]) {
            daemon in
            let server = try upstream.accept()
            let line = try daemon.awaitLine("cannot listen on \(elsewhere("none"))/feed.control")
            #expect(line.hasSuffix("the bridge can neither be looked at nor steered"))
            let program = try Stream.connecting(to: .unix(path: elsewhere("feed.sock")))
            try program.send(Wire.line.frame("hello"))
            #expect(try server.receive(6) == Wire.line.frame("hello"))
        }
    }

    @Test func `the control socket is its owner's and its group's, and goes with the daemon`() throws {
        try Self.run("control: {mode: 0640, group: daemon}") { daemon, _, _ in
            var status = stat()
            #expect(stat(Controller.path(of: daemon), &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o640 && status.st_gid == getgrnam("daemon").pointee.gr_gid)
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            #expect(try daemon.terminate() == 0)
            #expect(String(decoding: try follower.stream.receiveToEnd(), as: UTF8.self).contains("stopped:"))
            #expect(access(Controller.path(of: daemon), F_OK) != 0)
        }
    }

    @Test func `who has finished asking is answered all the same`() throws {
        try Self.run { daemon, _, _ in
            let stream = try Controller(daemon).stream
            let call = Controller.call("org.varlink.service.GetInfo") + [0]
            var calls = 0
            // Until the kernel holds no more: then answers wait in the daemon when it sees the end.
            var waiting = -1
            while waiting < stream.waiting {
                waiting = stream.waiting
                for _ in 0..<20 { try stream.send(call) }
                calls += 20
                _ = try? eventually("more answers", within: .milliseconds(500)) { stream.waiting > waiting }
            }
            stream.finishSending()
            try eventually("the daemon to have seen it") { daemon.process.isAsleep }
            let answers = try stream.receiveToEnd()
            #expect(answers.count { $0 == 0 } == calls && answers.last == 0)
            #expect(answers.count > waiting)
        }
    }

    @Test func `when somebody removes the control socket, that is said, and the bridge works on`() throws {
        try Self.run { daemon, _, server in
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            unlink(Controller.path(of: daemon))
            try daemon.awaitLine("feed.control was removed: the bridge can neither be looked at nor steered")
            let program = try daemon.connect()
            try server.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
            #expect(try follower.event().event == "socketGone")
            #expect(try follower.event().event == "clientConnected")
            #expect(try daemon.terminate() == 0)
        }
    }

    @Test func `one user's connections do not keep another user out`() throws {
        try Self.run("control: {mode: 0666}") { daemon, _, _ in
            chmod(daemon.directory.path, 0o755)
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            let path = Controller.path(of: daemon)
            let crowd = try (0..<30).map { number in
                try ChildProcess(
                    ["/usr/bin/env", "setpriv", "--reuid", "65534", "--clear-groups", "nc", "-dU", path],
                    environment: ["PATH": "/usr/bin:/bin"], output: "/dev/null", errors: "/dev/null")
            }
            // Of thirty, all but those whose places are taken have lost them again.
            try eventually("the crowd to have come") { crowd.count(where: \.hasEnded) >= 30 - 15 }
            #expect(try Controller(daemon).describe().clients.isEmpty)
            _ = try daemon.connect()
            #expect(try follower.event().event == "clientConnected")
            for program in crowd { program.signal(SIGTERM) }
        }
    }
}
