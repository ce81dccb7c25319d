import Foundation
import Glibc
import TestSupport
import Testing

/// What the service manager sees of the daemon: readiness, status, and an orderly end.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LifecycleTests {
    private static func configuration(_ upstream: FakeUpstream, _ more: String = "") -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
        \(more)
        """
    }

    // MARK: Ending

    @Test(arguments: [SIGTERM, SIGINT])
    func `an idle bridge ends at once, and tells both sides`(signal: Int32) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try daemon.awaitStatus("ready")
            let status = try daemon.terminate(signal, within: .milliseconds(1500))
            #expect(status == 0)
            #expect(try server.receiveNext() == .end)
            #expect(try program.receiveNext() == .end)
            #expect(daemon.manager.notices.contains("STOPPING=1"))
            #expect(daemon.manager.statuses.last?.hasPrefix("stopping") == true)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a bridge that waits for its upstream ends at once`(signal: Int32) throws {
        let upstream = try FakeUpstream(isListening: false)
        let configuration = "upstream: {address: '\(upstream.address)', reconnect: {min: 1h, max: 1h}}"
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitStatus("waiting")
            let status = try daemon.terminate(signal, within: .milliseconds(1500))
            #expect(status == 0)
        }
    }

    @Test func `an upstream that does not read delays the end by two seconds, and the loss is told`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream, "outbox: 16M")) { daemon in
            let server = try upstream.accept()
            _ = try Self.fillOutbox(of: daemon)
            let start = ContinuousClock.now
            let status = try daemon.terminate(within: .milliseconds(3000))
            #expect(status == 0)
            #expect(ContinuousClock.now - start > .milliseconds(1900))
            try daemon.awaitLine("discarded", "that the upstream had not taken when the daemon stopped")
            let (_, rest) = Wire.line.split(try server.receiveToEnd())
            // The end may have cut the last one.
            #expect(rest.count < 16_000)
        }
    }

    @Test func `what the outbox holds still reaches an upstream that reads`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream, "outbox: 16M")) { daemon in
            let server = try upstream.accept()
            let sent = try Self.fillOutbox(of: daemon)
            daemon.signal(SIGTERM)
            #expect(try server.receiveToEnd() == sent)
            #expect(try daemon.process.exitStatus() == 0)
        }
    }

    /// Has a client send more than the kernel takes on the way to the upstream; all of it, as the upstream will see it.
    private static func fillOutbox(of daemon: DaemonProcess) throws -> [UInt8] {
        let program = try daemon.connect()
        let stream = (0..<512).flatMap { Wire.line.frame($0, size: 16_000) }
        try program.send(stream)
        try eventually("the daemon to have read everything") { program.unacknowledged == 0 }
        return stream
    }

    @Test func `a client that does not read delays the end by two seconds at the most`() throws {
        let upstream = try FakeUpstream()
        let more = "buffer: 1M\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            let stream = (0..<512).flatMap { Wire.line.frame($0, size: 4000) }
            _ = try server.sendSome(stream[...])
            try eventually("the client's buffers to be full") { program.waiting > 1 << 16 }
            let status = try daemon.terminate(within: .milliseconds(3500))
            #expect(status == 0)
            let received = try program.receiveToEnd()
            #expect(received == Array(stream.prefix(received.count)))
            #expect(!received.isEmpty)
        }
    }

    @Test func `clients are given what they have not had yet`() throws {
        let upstream = try FakeUpstream()
        let more = "sockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream, more)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let stream = (0..<2000).flatMap { Wire.line.frame($0, size: 500) }
            try server.send(stream)
            server.close()
            try daemon.awaitLine("the upstream closed it")
            daemon.signal(SIGTERM)
            #expect(try program.receiveToEnd() == stream)
            #expect(try daemon.process.exitStatus() == 0)
        }
    }

    @Test func `a second signal ends the waiting`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Self.configuration(upstream, "outbox: 16M")) { daemon in
            let server = try upstream.accept()
            _ = try Self.fillOutbox(of: daemon)
            daemon.signal(SIGTERM)
            try daemon.awaitLine("SIGTERM: stopping")
            // Less than it waits for the upstream.
            let status = try daemon.terminate(within: .milliseconds(1000))
            #expect(status == 0)
            server.close()
        }
    }

    @Test func `SIGHUP changes nothing and says so`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            let server = try upstream.accept()
            daemon.signal(SIGHUP)
            try daemon.awaitLine("SIGHUP", "restart")
            let program = try daemon.connect()
            try server.send(Wire.line.frame("on"))
            #expect(try program.receive(3) == Wire.line.frame("on"))
        }
    }

    // MARK: Telling

    @Test func `the status follows the uplink and the clients`() throws {
        let upstream = try FakeUpstream(isListening: false)
        try DaemonProcess.run(Self.configuration(upstream)) { daemon in
            try daemon.awaitStatus(
                "waiting until", "cannot connect to \(upstream.address): Connection refused")
            try upstream.listen()
            let server = try upstream.accept()
            try daemon.awaitStatus("ready \(upstream.address) since ", ", 0 clients")
            let (one, two) = (try daemon.connect(), try daemon.connect())
            try daemon.awaitStatus("ready", ", 2 clients")
            one.close()
            try daemon.awaitStatus("ready", ", 1 client")
            upstream.stopListening()
            server.close()
            try daemon.awaitStatus("waiting until", "Connection refused", ", 1 client")
            two.close()
            try daemon.awaitStatus("Connection refused", ", 0 clients")
            // Everything in between was told as well.
            #expect(
                daemon.manager.statuses.contains {
                    $0.hasPrefix("connecting to \(upstream.address), 0 clients")
                })
            #expect(daemon.manager.notices.count { $0 == "READY=1" } == 1)
            #expect(!daemon.manager.notices.contains("STOPPING=1"))
        }
    }

    @Test func `a manager that reads nothing stops neither the feed nor the end, and gets the newest status`()
        throws
    {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream), awaitsReady: false) { daemon in
            try daemon.awaitLine("listening on")
            let program = try daemon.connect()
            // Each is more than one notification; the kernel's queue holds about ten.
            for round in 0..<30 {
                let server = try upstream.accept()
                let message = Wire.line.frame(round)
                try server.send(message)
                #expect(try program.receive(message.count) == message)
                server.close()
            }
            let server = try upstream.accept()
            let message = Wire.line.frame("after all")
            try server.send(message)
            #expect(try program.receive(message.count) == message)
            try daemon.awaitStatus("ready", "1 client")
            #expect(daemon.manager.notices.contains("READY=1"))
        }
    }

    @Test func `a manager that reads nothing is not waited for at the end`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream), awaitsReady: false) { daemon in
            for _ in 0..<20 { try upstream.accept().close() }
            let status = try daemon.terminate(within: .milliseconds(1500))
            #expect(status == 0)
        }
    }

    @Test func `a manager that is gone does not keep the daemon from working`() throws {
        let upstream = try FakeUpstream()
        let environment = ["NOTIFY_SOCKET": "/nonexistent/notify"]
        try DaemonProcess.run(
            Self.configuration(upstream), environment: environment, awaitsReady: false
        ) { daemon in
            try daemon.awaitLine("cannot tell the service manager anything", "/nonexistent/notify")
            try daemon.awaitLine("listening on")
            let server = try upstream.accept()
            let program = try daemon.connect()
            try server.send([0x0A])
            #expect(try program.receive(1) == [0x0A])
        }
    }

    @Test func `standard descriptors that are closed are not taken by anything else`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("upstream: {address: 'unix:/nonexistent/upstream'}", to: "feed.yaml")
        let process = try ChildProcess(
            [
                "/bin/sh", "-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", ChildProcess.path(of: "trunklined"),
                directory("feed.yaml"),
            ], environment: ["RUNTIME_DIRECTORY": directory.path], output: directory("output"),
            errors: directory("errors"))
        try eventually("its socket") { access(directory("feed.sock"), F_OK) == 0 }
        for number in 0...2 {
            let target = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process.pid)/fd/\(number)")
            #expect(target == "/dev/null")
        }
        process.signal(SIGTERM)
        #expect(try process.exitStatus() == 0)
    }
}
