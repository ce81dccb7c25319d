import Glibc
import Linux
import Testing

/// The orderly end, and what the service manager is told.
@Suite(.timeLimit(.minutes(2)))
struct StoppingTests {
    private static func configuration(_ address: String) -> String {
        "upstream: {address: '\(address)', max-message: 16K}\nbuffer: 64K\noutbox: 4M"
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal ends it with status 0`(signal: Int32) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            #expect(try daemon.terminate(signal) == 0)
            #expect(daemon.manager.notices.contains("STOPPING=1"))
            #expect(try server.receiveToEnd() == [])
            #expect(try program.receiveToEnd() == [])
        }
    }

    @Test func `what the outbox holds is still sent`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let block = (0..<3000).flatMap { Wire.line.frame($0, size: 1000) }
            try program.send(block)
            program.close()
            try eventually("the client to be gone") { try daemon.clientCount() == 0 }
            daemon.signal(SIGTERM)
            #expect(try server.receive(block.count) == block)
            #expect(try daemon.process.exitStatus() == 0)
        }
    }

    @Test func `an upstream that takes nothing does not hold the end up`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let block = (0..<4000).flatMap { Wire.line.frame($0, size: 1000) }
            var sent = 0
            while !program.staysFull(for: .milliseconds(100)) {
                sent += try program.sendSome(block[(sent % block.count)...])
            }
            let start = ContinuousClock.now
            #expect(try daemon.terminate() == 0)
            #expect(ContinuousClock.now - start >= .seconds(2))
            try daemon.awaitLine("discarded", "had not taken when the daemon stopped")
            server.close()
        }
    }

    @Test func `a second signal ends the waiting`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let block = [UInt8](repeating: 0x0A, count: 1 << 20)
            while !program.staysFull(for: .milliseconds(100)) { _ = try program.sendSome(block[...]) }
            daemon.signal(SIGTERM)
            try daemon.awaitLine("SIGTERM: stopping")
            daemon.signal(SIGTERM)
            #expect(try daemon.process.exitStatus() == 0)
            server.close()
        }
    }

    @Test func `clients are given what they have not had yet`() throws {
        let upstream = try FakeUpstream()
        let configuration =
            "upstream: {address: '\(upstream.address)'}\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let block = (0..<2000).flatMap { Wire.line.frame($0, size: 500) }
            try server.send(block)
            server.close()
            try daemon.awaitLine("the upstream closed it")
            daemon.signal(SIGTERM)
            #expect(try program.receiveToEnd() == block)
            #expect(try daemon.process.exitStatus() == 0)
        }
    }

    @Test func `the status follows the connection and the clients`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            try daemon.awaitStatus(
                "waiting until", "cannot connect to \(upstream.address): Connection refused", "0 clients")
            try upstream.listen()
            let server = try upstream.accept()
            try daemon.awaitStatus("ready \(upstream.address) since", "0 clients")
            let programs = try daemon.connect(3)
            try daemon.awaitStatus("ready", ", 3 clients")
            programs[0].close()
            try daemon.awaitStatus("ready", ", 2 clients")
            upstream.stopListening()
            server.reset()
            try daemon.awaitStatus("waiting until")
        }
    }

    @Test func `a manager that never reads does not stop the feed`() throws {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}"
        try DaemonProcess.run(configuration) { daemon in
            // Each connection is told of several times, and the manager's queue is short; nobody reads it here.
            for i in 0..<30 {
                let server = try upstream.accept()
                let program = try daemon.connect()
                let message = Wire.line.frame("message \(i)")
                try server.send(message)
                #expect(try program.receive(message.count) == message)
            }
            try daemon.awaitStatus("client")
        }
    }

    @Test func `SIGHUP changes nothing and says so`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            daemon.signal(SIGHUP)
            try daemon.awaitLine("SIGHUP", "restart")
            let program = try daemon.connect()
            try server.send(Wire.line.frame("on"))
            #expect(try program.receive(3) == Wire.line.frame("on"))
        }
    }
}
