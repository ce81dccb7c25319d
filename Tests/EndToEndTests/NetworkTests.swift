import Control
import Glibc
import TestSupport
import Testing

/// The machine's network changes, and the bridge does not wait.
@Suite(
    .waits,
    .timeLimit(.minutes(minutesToHang)),
    .enabled(if: geteuid() == 0, "only root may make a network namespace"))
struct NetworkTests {
    /// Without a change of the network, nothing happens any more after the first failure.
    private static func configuration(_ address: String, _ more: String...) -> String {
        """
        upstream:
          address: '\(address)'
          reconnect: {min: 1h, max: 1h}
          \(more.joined(separator: "\n  "))
        """
    }

    /// Local programs get what the server sends.
    private static func expectFlow(_ server: Stream, _ program: Stream, _ text: String) throws {
        let message = Wire.line.frame(text)
        try server.send(message)
        #expect(try program.receive(message.count) == message)
    }

    @Test(arguments: [
        ("192.0.2.1", "0.0.0.0", "address add 192.0.2.1/32 dev lo"),
        ("192.0.2.1", "0.0.0.0", "route add local 192.0.2.0/24 dev lo"),
        ("2001:db8::1", "::", "address add 2001:db8::1/128 dev lo nodad"),
        ("2001:db8::1", "::", "route add local 2001:db8::/64 dev lo"),
    ])
    func `an address or a route that appears ends the waiting`(host: String, any: String, change: String)
        throws
    {
        let network = try NetworkNamespace()
        let upstream = try network.inside { try FakeUpstream(on: any) }
        let port = upstream.address.split(separator: ":").last ?? ""
        let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        try DaemonProcess.run(Self.configuration(address), launcher: network.launcher) { daemon in
            try daemon.awaitStatus("waiting until", "unreachable")
            let program = try daemon.connect()
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            try network.ip(change)
            let server = try upstream.accept()
            try Self.expectFlow(server, program, "hello")
            let event = try follower.event()
            #expect(event.event == "networkChanged" && event.level == "debug")
            #expect(event.text.hasPrefix("the network has changed, trying at once: an address or a route"))
            // At the default level: that it was away, and that it is connected.
            try daemon.awaitLine("connected to \(address) after")
            #expect(!daemon.log.contains { $0.contains("network has changed") })
            #expect(daemon.log.count { $0.contains(host) } == 2, "\(daemon.log)")
        }
    }

    /// A server at one address, and the daemon's connection to it from another.
    private static func withConnection(
        _ more: String...,
        body: (DaemonProcess, NetworkNamespace, FakeUpstream, Stream, Stream) throws -> Void
    ) throws {
        let network = try NetworkNamespace()
        try network.ip("address add 192.0.2.1/32 dev lo", "address add 192.0.2.2/32 dev lo")
        let upstream = try network.inside { try FakeUpstream(on: "192.0.2.1") }
        let settings = ["bind-address: 192.0.2.2"] + more
        try DaemonProcess.run(
            configuration(upstream.address, settings.joined(separator: "\n  ")), launcher: network.launcher
        ) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try expectFlow(server, program, "before")
            try daemon.awaitStatus("ready")
            try body(daemon, network, upstream, server, program)
        }
    }

    @Test(arguments: ["write-timeout: 2min", "write-timeout: infinity", "write-timeout: 1s"])
    func `a connection from an address that has gone is found dead within seconds, though nothing is sent`(
        limit: String
    ) throws {
        try Self.withConnection(limit) { daemon, network, upstream, _, program in
            try network.ip("address del 192.0.2.2/32 dev lo")
            try daemon.awaitLine(
                "connection to \(upstream.address) lost: the address that it came from has gone")
            // It comes back with its address.
            try daemon.awaitStatus("waiting until", "bind-address")
            try network.ip("address add 192.0.2.2/32 dev lo")
            let server = try upstream.accept()
            try Self.expectFlow(server, program, "after")
        }
    }

    @Test func `also while messages to the server are under way`() throws {
        try Self.withConnection { daemon, network, upstream, _, program in
            try network.ip("address del 192.0.2.2/32 dev lo")
            try program.send(Wire.line.frame("not to be lost"))
            try daemon.awaitLine("connection to \(upstream.address) lost: ")
        }
    }

    @Test func `a connection whose address comes back in time stays, and so does one from another address`()
        throws
    {
        try Self.withConnection { daemon, network, upstream, server, program in
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            try network.ip("address add 192.0.2.3/32 dev lo", "address del 192.0.2.3/32 dev lo")
            try network.ip("address del 192.0.2.2/32 dev lo")
            #expect(try follower.event().event == "probing")
            try network.ip("address add 192.0.2.2/32 dev lo")
            // Longer than the question takes.
            #expect(server.staysSilent(for: .milliseconds(4500)))
            try Self.expectFlow(server, program, "after")
            #expect(try upstream.acceptNow() == nil)
            #expect(!daemon.log.contains { $0.contains("lost") }, "\(daemon.log)")
        }
    }

    @Test func `a thousand routes make no storm, whether it waits or is connected`() throws {
        let network = try NetworkNamespace()
        let upstream = try network.inside { try FakeUpstream(isListening: false) }
        let routes = (0..<1000).map { "10.\($0 / 250).\($0 % 250).1/32" }
        try DaemonProcess.run(Self.configuration(upstream.address), launcher: network.launcher) { daemon in
            try daemon.awaitStatus("waiting until", "Connection refused")
            let controller = try Controller(daemon)
            let start = ContinuousClock.now
            let before = daemon.process.processorTime
            // For some seconds: a few at a time.
            for group in 0..<100 {
                try network.ip(routes[group * 10..<(group + 1) * 10].map { "route add \($0) dev lo" })
            }
            let attempts = try controller.describe().bridge.uplink.attempts
            let most = 1 + 5 + Int((ContinuousClock.now - start) / .seconds(2)) + 1
            #expect(6...most ~= attempts, "of \(most)")
            #expect(daemon.process.processorTime - before < .milliseconds(300))
            #expect(daemon.log.count <= 3, "\(daemon.log)")

            // The last of them has its effect within two seconds.
            try network.inside { try upstream.listen() }
            try network.ip("route del \(routes[0])", "route add \(routes[0]) dev lo")
            let server = try upstream.accept()
            let program = try daemon.connect()
            try network.ip(routes.map { "route del \($0)" } + routes.map { "route add \($0) dev lo" })
            try Self.expectFlow(server, program, "hello")
            #expect(try upstream.acceptNow() == nil)
            #expect(daemon.log.count <= 5, "\(daemon.log)")
        }
    }

    @Test func `routes do not wake a bridge that is connected, and end the waiting after that`() throws {
        let network = try NetworkNamespace()
        let upstream = try network.inside { try FakeUpstream() }
        try DaemonProcess.run(Self.configuration(upstream.address), launcher: network.launcher) { daemon in
            let server = try upstream.accept()
            try daemon.awaitStatus("ready")
            try eventually("sleep") { daemon.process.isAsleep }
            let before = daemon.process.sleeps
            for number in 0..<20 { try network.ip("route add 10.0.0.\(number)/32 dev lo") }
            #expect(daemon.process.sleeps == before)
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting until")
            try network.inside { try upstream.listen() }
            try network.ip("route add 10.0.1.0/24 dev lo")
            _ = try upstream.accept()
        }
    }

    @Test func `changes that are more than the kernel keeps end the waiting, too`() throws {
        let network = try NetworkNamespace()
        let upstream = try network.inside { try FakeUpstream(isListening: false) }
        try DaemonProcess.run(Self.configuration(upstream.address), launcher: network.launcher) { daemon in
            try daemon.awaitStatus("waiting until", "Connection refused")
            let follower = try Controller(daemon)
            _ = try follower.monitor()
            daemon.signal(SIGSTOP)
            let routes = (0..<2000).map { "10.\($0 / 250).\($0 % 250).1/32" }
            try network.ip(routes.map { "route add \($0) dev lo" })
            try network.inside { try upstream.listen() }
            daemon.signal(SIGCONT)
            let event = try follower.event()
            #expect(event.text.hasSuffix("there were more changes than could be told"), "\(event.text)")
            _ = try upstream.accept()
        }
    }

    @Test(arguments: ["resolv.conf", "hosts"])
    func `a change of what names are resolved by ends the waiting`(name: String) throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(isListening: false)
        // Some systems have a link in place of the file.
        let launcher = Launcher.mounting(
            """
            mkdir '\(directory("etc"))' '\(directory("run"))'; cp -a /etc/. '\(directory("etc"))'
            ln -sf '\(directory("run/resolv.conf"))' '\(directory("etc/resolv.conf"))'
            mount --bind '\(directory("etc"))' /etc
            """)
        try DaemonProcess.run(Self.configuration(upstream.address), in: directory, launcher: launcher) {
            daemon in
            try daemon.awaitStatus("waiting until", "Connection refused")
            let program = try daemon.connect()
            try upstream.listen()
            let path = directory(name == "hosts" ? "etc/hosts" : "run/resolv.conf")
            try #require(rename(try directory.write("# new\n", to: "new"), path) == 0)
            try Self.expectFlow(try upstream.accept(), program, "hello")
        }
    }
}
