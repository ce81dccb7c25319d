import Glibc
import TestSupport
import Testing

/// `keepalive`: the kernel asks whether the server is still there.
@Suite(
    .waits,
    .timeLimit(.minutes(minutesToHang)),
    .enabled(if: geteuid() == 0, "only root may make a network namespace"))
struct KeepaliveTests {
    private func run(
        _ settings: String, _ body: (DaemonProcess, NetworkNamespace, FakeUpstream) throws -> Void
    ) throws {
        let network = try NetworkNamespace()
        try network.ip("address add 192.0.2.1/32 dev lo", "address add 192.0.2.2/32 dev lo")
        let upstream = try network.inside { try FakeUpstream(on: "192.0.2.1") }
        let configuration = """
            upstream:
              address: \(upstream.address)
              bind-address: 192.0.2.2
              reconnect: {min: 10ms, max: 10ms}
              \(settings)
            """
        try DaemonProcess.run(configuration, launcher: network.launcher) { daemon in
            let server = try upstream.accept()
            try daemon.awaitStatus("ready")
            // What the server's kernel sends is lost from now on.
            try network.ip(
                "rule add pref 100 lookup local", "rule del pref 0",
                "rule add pref 10 from 192.0.2.1 blackhole")
            try body(daemon, network, upstream)
            withExtendedLifetime(server) {}
        }
    }

    @Test(arguments: ["infinity", "2s"])
    func `a server that does not answer is given up, which is told`(limit: String) throws {
        try run("keepalive: {idle: 1s, interval: 1s, count: 2}\n  write-timeout: \(limit)") {
            daemon, _, upstream in
            try daemon.awaitLine("connection to \(upstream.address) lost: no answer to keepalive")
        }
    }

    @Test func `a message that is not acknowledged is told as such`() throws {
        try run("write-timeout: 1s") { daemon, _, upstream in
            let program = try daemon.connect()
            try program.send(Wire.line.frame("lost"))
            try daemon.awaitLine(
                "connection to \(upstream.address) lost: the upstream took nothing for write-timeout")
        }
    }
}
