import Linux
import TestSupport
import Testing

/// That the bound on memory which `--show` tells holds, whatever the server and the clients do.
@Suite(
    .waits, .disabled(if: isSanitized, "memory is mostly the sanitizer's"),
    .timeLimit(.minutes(minutesToHang)))
struct MemoryBoundTests {
    private static func configuration(_ upstream: FakeUpstream, maxMessage: Int) -> String {
        """
        upstream:
          address: \(upstream.address)
          max-message: \(maxMessage)
          oversize: skip
        buffer: 1M
        outbox: 1M
        sockets: {default: {patience: infinity}}
        max-clients: 21
        """
    }

    /// The bound in bytes, from the line `#   in all   3.6M`.
    private static func bound(of configuration: String) throws -> Int {
        let directory = try TemporaryDirectory()
        let file = try directory.write(configuration, to: "feed.yaml")
        let show = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), "--show", file], environment: [:],
            output: directory("shown"), errors: directory("errors"))
        try #require(try show.exitStatus() == 0)
        // What is shown is a configuration as well.
        let check = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), "--check", directory("shown")], environment: [:],
            output: directory("output"), errors: directory("errors"))
        #expect(try check.exitStatus() == 0)
        let line = text(of: directory("shown")).split(separator: "\n").first { $0.hasPrefix("#   in all") }
        let megabytes = try #require(line?.split(separator: " ").last?.dropLast())
        return Int(try #require(Double(megabytes)) * Double(1 << 20))
    }

    /// Does something again and again until the daemon does nothing any more.
    private func untilIdle(_ daemon: DaemonProcess, _ body: () throws -> Void) throws {
        var last = Duration.zero
        var lookedAt = ContinuousClock.now
        try eventually("the daemon to be idle", within: .seconds(60)) {
            try body()
            guard ContinuousClock.now - lookedAt > .milliseconds(200) else { return false }
            lookedAt = .now
            defer { last = daemon.process.processorTime }
            // Not one that just waits for a processor.
            return daemon.process.processorTime == last && daemon.process.isAsleep
        }
    }

    /// Long messages and short ones in turn fill the index of holes, short ones the index of messages.
    @Test(arguments: [(16, 17), (16, 0), (60_000, 60_001), (60_000, 0)])
    func `the bound holds when rings, indexes and clients' messages are as large as they can be`(
        maxMessage: Int, long: Int
    ) throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = Self.configuration(upstream, maxMessage: maxMessage)
        let bound = try Self.bound(of: configuration)
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let before = daemon.process.memory
            let programs = try daemon.connect(21)
            // Clients fill the outbox with the shortest messages; each begins one as long as there may be.
            let unfinished = [UInt8](repeating: 0x61, count: maxMessage - 1)
            for program in programs.dropLast() { try program.send(unfinished) }
            let short = [UInt8](repeating: 0x0A, count: 1 << 16)
            try untilIdle(daemon) {
                for program in programs.suffix(1) { _ = try program.sendSome(short[...]) }
            }
            // The server floods, and nobody reads.
            let turn: [UInt8] = [UInt8](repeating: 0x62, count: long) + [0x0A, 0x0A]
            let flood = [[UInt8]](repeating: turn, count: 200_000 / turn.count).flatMap { $0 }
            var rest = flood[...]
            try untilIdle(daemon) {
                rest = rest.dropFirst(try server.sendSome(rest))
                if rest.isEmpty { rest = flood[...] }
            }
            // Nobody reads what was asked through the control socket, either.
            let controllers = try (0..<16).map { _ in try Controller(daemon).stream }
            let calls: [UInt8] = (0..<100).flatMap { _ in
                Controller.call("org.trunkline.Bridge.Describe") + [0]
            }
            try untilIdle(daemon) {
                for controller in controllers { _ = try controller.sendSome(calls[...]) }
            }
            let grown = daemon.process.memory - before
            #expect(grown <= bound)
            // It is no idle bound.
            #expect(grown > bound / 2, "\(grown) of \(bound)")
        }
    }
}
