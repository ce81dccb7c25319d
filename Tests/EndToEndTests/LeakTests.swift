import Glibc
import TestSupport
import Testing

/// Connections made anew, again and again: so many times as `TRUNKLINE_RECONNECTS` says (`make reconnects`), or 100.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LeakTests {
    private static let wanted = getenv("TRUNKLINE_RECONNECTS").flatMap { Int(String(cString: $0)) }
    private static let count = wanted ?? 100

    private static func configuration(_ address: String) -> String {
        """
        upstream:
          address: '\(address)'
          reconnect: {min: 10ms, max: 10ms}
        """
    }

    /// Each takes ten milliseconds, and less than half a millisecond of a processor.
    private static func expectNoGrowth(
        _ daemon: DaemonProcess, _ what: String, again: () throws -> Void
    ) throws {
        // Each code path has been run before memory is looked at.
        for _ in 0..<20 { try again() }
        let process = daemon.process
        let (before, start) = (Usage(process), process.processorTime)
        for _ in 0..<count { try again() }
        let spent = process.processorTime - start
        try eventually("nothing more than \(before) after \(what), not \(Usage(process))") {
            !Usage(process).hasGrown(since: before)
        }
        let after = Usage(process)
        #expect(after.memory - before.memory < 512 << 10)
        #expect(spent < .milliseconds(2) * count, "\(spent) for \(count)")
        #expect(daemon.log.count < 60, "\(daemon.log.count) lines")
        if wanted != nil {
            print("\(count) \(what): \(before) before, \(after) after, \(spent) of a processor")
        }
        // Not measured here: on a busy machine the kernel itself may take long to close what watches files.
        #expect(try daemon.terminate(within: .seconds(60)) == 0)
    }

    @Test(arguments: [false, true])
    func `a connection that ends costs nothing that stays`(isReset: Bool) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let program = try daemon.connect()
            var number = 0
            try Self.expectNoGrowth(daemon, "connections") {
                let server = try upstream.accept()
                number += 1
                let message = Wire.line.frame(number)
                try server.send(message)
                #expect(try program.receive(message.count) == message)
                if isReset { server.reset() } else { server.close() }
                // Room for what is still to be told.
                _ = daemon.manager.notices
            }
        }
    }

    @Test(arguments: [AttemptInVain.refused, .noSuchSocket])
    func `nor does an attempt in vain`(attempt: AttemptInVain) throws {
        let upstream = try FakeUpstream(isListening: false)
        let address = attempt == .refused ? upstream.address : "unix:/nonexistent/upstream"
        try DaemonProcess.run(Self.configuration(address)) { daemon in
            try Self.expectNoGrowth(daemon, "attempts") { try Self.awaitAttempt(daemon) }
        }
    }

    enum AttemptInVain {
        case refused
        case noSuchSocket
    }

    /// libzmq 1302: each look-up of a name while the network was down left a file open.
    @Test(
        .bug("https://github.com/zeromq/libzmq/issues/1302"),
        .enabled(if: geteuid() == 0, "only root may mount"))
    func `nor does a look-up in vain`() throws {
        let directory = try TemporaryDirectory()
        // Nobody is there any more: whoever asks is told so at once.
        let launcher = try FakeNameServer(at: "127.\(1 + getpid() % 250).53.54", .silence).launcher(directory)
        try DaemonProcess.run(Self.configuration("feed.test:1"), in: directory, launcher: launcher) {
            daemon in
            try daemon.awaitLine("Temporary failure in name resolution")
            try Self.expectNoGrowth(daemon, "look-ups") { try Self.awaitAttempt(daemon) }
        }
    }

    private static func awaitAttempt(_ daemon: DaemonProcess) throws {
        let before = daemon.manager.notices.count
        try eventually("an attempt") {
            daemon.manager.notices.dropFirst(before).contains { $0.hasPrefix("STATUS=waiting") }
        }
    }
}
