import Glibc
import TestSupport
import Testing

/// The dialogue and the heartbeat within TLS.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct SecuredDialogueTests {
    private static let secret = "correct horse battery staple"

    private func run(
        _ more: String, _ body: (DaemonProcess, TLSUpstream) throws -> Void
    ) throws {
        let scene = try TLSUpstream()
        let directory = try TemporaryDirectory()
        mkdir(directory("credentials"), 0o700)
        try directory.write(Self.secret, to: "credentials/pass")
        try DaemonProcess.run(
            scene.configuration(upstream: more), in: directory,
            environment: ["CREDENTIALS_DIRECTORY": directory("credentials")]
        ) { try body($0, scene) }
    }

    @Test func `it follows the handshake, and what comes in one record with its end is a message`() throws {
        let steps = #"on-connect: [{expect: HI}, {send: '${credential:pass}\n'}, {expect: "OK\n"}]"#
        try run(steps) { daemon, scene in
            for _ in 0..<3 {
                let program = try daemon.connect()
                let server = try scene.accept()
                // The greeting stands in the same read as the end of the handshake.
                try server.peer.handshake()
                try server.peer.send(Array("HI".utf8))
                #expect(try server.peer.receive(Self.secret.count + 1) == Array("\(Self.secret)\n".utf8))
                try daemon.awaitStatus("at step 3 of on-connect")
                try server.peer.send(Array("OK\nfirst\nsecond\n".utf8))
                #expect(try program.receive(13) == Array("first\nsecond\n".utf8))
                try server.close()
                program.close()
            }
        }
    }

    @Test(.disabled(if: isSanitized, "the sanitizer's memory is terabytes"))
    func `what the server repeats is in no core dump either`() throws {
        let steps =
            #"on-connect: [{send: '${credential:pass}\n'}, {expect: "OK\n"}, {expect: "OK\n", within: 1K}]"#
        try run(steps) { daemon, scene in
            let server = try scene.acceptReady()
            #expect(try server.peer.receive(Self.secret.count + 1) == Array("\(Self.secret)\n".utf8))
            try server.peer.send(Array("OK\n\(Self.secret) is what you said".utf8))
            try daemon.awaitStatus("at step 3 of on-connect")
            let memory = try ProcessMemory(of: daemon.process.pid).count(of: Self.secret)
            #expect(memory.dumped == 0 && memory.kept > 0)
        }
    }

    @Test func `a handshake that stalls and a login that is refused are told apart`() throws {
        let steps = "connect-timeout: 200ms, on-connect: [{expect: HI}]"
        try run(steps) { daemon, scene in
            let stalled = try scene.accept()
            try daemon.awaitLine("no TLS handshake within connect-timeout")
            stalled.stream.close()
            // One with which the test itself is too late is followed by another.
            try eventually("a refused login") {
                if let stream = try scene.upstream.acceptNow() {
                    let peer = try TLSPeer(scene.server, on: stream.raw)
                    guard (try? peer.handshake()) != nil else { return false }
                    try? peer.send(Array("go away\n".utf8))
                    _ = try? stream.receiveToEnd()
                }
                return daemon.log.contains { $0.contains("step 1 of on-connect") && $0.contains("go away") }
            }
        }
    }

    @Test func `a heartbeat goes between the messages of a flood`() throws {
        try run("heartbeat: {send: 'ping\\n', every: 100ms}, max-message: 16K") { daemon, scene in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            let message = [UInt8](repeating: 0x6D, count: 4000)
            let ping = Array("ping".utf8)
            var rest: [UInt8] = []
            var received: [UInt8] = []
            try eventually("heartbeats among messages") {
                if rest.isEmpty { rest = message + [0x0A] }
                rest.removeFirst(try program.sendSome(rest[...]))
                received += try server.peer.receiveNow() ?? []
                let lines = received.split(separator: 0x0A).dropLast()
                return lines.count { Array($0) == ping } >= 5 && lines.count > 100
            }
            let lines = received.split(separator: 0x0A).dropLast().map(Array.init)
            #expect(lines.allSatisfy { $0 == ping || $0 == message })
        }
    }
}
