import Glibc
import TestSupport
import Testing

/// One way to misuse the daemon.
struct Abuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// A line of the section `upstream`.
    let setting: String
    let wire: Wire
    /// Misuses it, and leaves the scene with a connection that stands.
    let commit: @Sendable (AbuseScene) throws -> Void

    init(
        _ description: String, upstream setting: String = "", wire: Wire = .line,
        _ commit: @escaping @Sendable (AbuseScene) throws -> Void
    ) {
        testDescription = description
        self.setting = setting
        self.wire = wire
        self.commit = commit
    }

    static let all: [Abuse] = [byClients, byServers, byLengths, byControllers, byTheHost].flatMap { $0 }

    func configuration(address: String) -> String {
        """
        upstream:
          address: '\(address)'
          framing: \(wire.yaml)
          max-message: 16K
          connect-timeout: 2s
          reconnect: {min: 10ms, max: 10ms}
          \(setting)
        buffer: 64K
        outbox: 64K
        sockets:
          {witness: {patience: 10s}, default: {patience: 100ms}, quiet: {send: no}, lossy: {when-behind: drop, patience: 100ms}}
        """
    }
}

/// Whatever is done to the daemon, those who behave see all messages, whole and in order, and nothing spins or grows.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct AbuseTests {
    @Test(arguments: Abuse.all)
    func `nobody else is harmed, and nothing is used up by`(abuse: Abuse) throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(abuse.configuration(address: upstream.address)) { daemon in
            let scene = try AbuseScene(daemon, upstream, abuse.wire)
            // Every page of the rings has been touched, and each code path been run, before memory is looked at.
            try scene.flood(messages: 200)
            try scene.converse()
            let process = daemon.process
            let before = (memory: process.memory, descriptors: process.descriptorCount)
            let start = process.processorTime

            try abuse.commit(scene)
            let spent = process.processorTime - start
            // Whoever misbehaved is still there.
            try process.awaitRest()

            try scene.closeAbusers()
            try scene.converse()
            scene.verify()
            try eventually("\(before.descriptors) descriptors, not \(process.descriptorCount)") {
                process.descriptorCount == before.descriptors
            }
            let after = process.memory
            #expect(after - before.memory < 2 << 20, "it has grown")
            #expect(daemon.log.count < 100, "the log is flooded")
            Self.tell(
                abuse, processor: spent, memory: (before.memory, after), descriptors: before.descriptors,
                lines: daemon.log.count)
            #expect(try daemon.terminate() == 0)
        }
    }

    /// Adds a row to the table that `make abuses` prints.
    private static func tell(
        _ abuse: Abuse, processor: Duration, memory: (Int, Int), descriptors: Int, lines: Int
    ) {
        guard let path = getenv("TRUNKLINE_ABUSES") else { return }
        let file = open(String(cString: path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        defer { close(file) }
        let columns = [
            abuse.testDescription, "\(processor.milliseconds) ms", "\(memory.0 >> 10) kB",
            "\(memory.1 >> 10) kB", "\(descriptors)", "\(descriptors)", "\(lines)",
        ]
        let row = Array((columns.joined(separator: "\t") + "\n").utf8)
        _ = write(file, row, row.count)
    }
}
