import Control
import Glibc
import TestSupport
import Testing

/// `${credential:NAME}`: what systemd hands over, and nobody else is to see.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct CredentialTests {
    private static let steps =
        #"[{send: 'user ${credential:user} pass ${credential:pass}\n'}, {expect: OK}, {expect: '!', within: 1K}]"#
    private static let secret = "correct horse battery staple"

    /// A daemon whose credentials are in `credentials` of its directory.
    private func run(
        _ address: String, credentials: [String: String], _ body: (DaemonProcess) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        mkdir(directory("credentials"), 0o700)
        for (name, value) in credentials { try directory.write(value, to: "credentials/\(name)") }
        try DaemonProcess.run(
            DialogueTests.configuration(address, Self.steps), in: directory,
            environment: ["CREDENTIALS_DIRECTORY": directory("credentials")], body)
    }

    private func receiveLine(_ server: Stream) throws -> String {
        String(decoding: try server.receive(through: [0x0A]), as: UTF8.self)
    }

    @Test func `they are sent without the end of a line, and read again for each attempt`() throws {
        let upstream = try FakeUpstream()
        try run(upstream.address, credentials: ["user": "joe\n", "pass": Self.secret]) { daemon in
            var server = try upstream.accept()
            #expect(try receiveLine(server) == "user joe pass \(Self.secret)\n")
            try daemon.directory.write("new\n\n", to: "credentials/pass")
            server.close()
            server = try upstream.accept()
            let expected = Array("user joe pass new\n\n".utf8)
            #expect(try server.receive(expected.count) == expected)
            try server.send(Array("OK!".utf8))
            try daemon.awaitStatus("ready")
        }
    }

    @Test(arguments: [
        (nil, "No such file or directory (errno 2); the unit needs LoadCredential=pass:PATH"),
        ("", "it is empty"), ("\n", "it is empty"),
        (String(repeating: "x", count: 4097), "it has more than 4096 bytes"),
    ])
    func `one that is not to be had is told, and not tried again for long`(value: String?, told: String)
        throws
    {
        let upstream = try FakeUpstream()
        let credentials = ["user": "joe", "pass": value].compactMapValues(\.self)
        try run(upstream.address, credentials: credentials) { daemon in
            for _ in 1...2 { #expect(try upstream.accept().receiveToEnd() == []) }
            try daemon.awaitStatus("waiting", "step 1 of on-connect: cannot use credential pass: \(told)")
            let controller = try Controller(daemon)
            try eventually("the long delay") {
                let uplink = try controller.describe().bridge.uplink
                return uplink.attempts == 2
                    && uplink.nextAttempt.map { $0 - uplink.since > 1_790_000_000 } ?? false
            }
            try daemon.directory.write("y", to: "credentials/pass")
            daemon.signal(SIGUSR1)
            #expect(try receiveLine(try upstream.accept()) == "user joe pass y\n")
        }
    }

    @Test func `a pipe is no credential, and holds nobody up`() throws {
        let upstream = try FakeUpstream()
        try run(upstream.address, credentials: ["user": "joe"]) { daemon in
            #expect(mkfifo(daemon.directory("credentials/pass"), 0o600) == 0)
            try daemon.awaitStatus("waiting", "credential pass: not a regular file")
            #expect(try daemon.terminate(within: .seconds(1)) == 0)
        }
    }

    @Test func `without systemd's directory that is told`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(DialogueTests.configuration(upstream.address, Self.steps)) { daemon in
            try daemon.awaitStatus(
                "credential user: $CREDENTIALS_DIRECTORY is not set", "LoadCredential=user:PATH")
        }
    }

    @Test func `one that the server repeats is not shown`() throws {
        let upstream = try FakeUpstream()
        try run(upstream.address, credentials: ["user": "joe", "pass": Self.secret]) { daemon in
            let server = try upstream.accept()
            _ = try receiveLine(server)
            try server.send(Array("joe with \(Self.secret)? No.\n".utf8))
            try daemon.awaitStatus(#"the upstream said "*** with ***? No." where"#)
            try daemon.awaitLine(#"the upstream said "*** with ***? No." where"#)
            #expect(!daemon.log.contains { $0.contains("horse") })
            #expect(!daemon.manager.statuses.contains { $0.contains("horse") })
        }
    }

    @Test(.disabled(if: isSanitized, "the sanitizer's memory is terabytes"))
    func `no core dump would hold one`() throws {
        let upstream = try FakeUpstream()
        try run(upstream.address, credentials: ["user": "joe", "pass": Self.secret]) { daemon in
            let server = try upstream.accept()
            _ = try receiveLine(server)
            // The server repeats it, and lets the daemon wait for more.
            try server.send(Array("OK\(Self.secret)".utf8))
            try daemon.awaitStatus("at step 3 of on-connect")
            let waiting = try ProcessMemory(of: daemon.process.pid).count(of: Self.secret)
            #expect(waiting.dumped == 0)
            #expect(waiting.kept == 2)
        }
    }

    @Test(.disabled(if: isSanitized, "the sanitizer's memory is terabytes"))
    func `after the dialogue nothing holds one`() throws {
        let upstream = try FakeUpstream()
        try run(upstream.address, credentials: ["user": "joe", "pass": Self.secret]) { daemon in
            let server = try upstream.accept()
            _ = try receiveLine(server)
            try server.send(Array("OK!".utf8))
            try daemon.awaitStatus("ready")
            let ready = try ProcessMemory(of: daemon.process.pid).count(of: Self.secret)
            #expect(ready.dumped == 0 && ready.kept == 0)
        }
    }
}
