import Glibc
import Linux
import TestSupport
import Testing

private let duration = getenv("TRUNKLINE_SOAK").flatMap { Int(String(cString: $0)) }.map(Duration.seconds)

/// Random abuse for as long as `TRUNKLINE_SOAK` says, in seconds (`make soak`).
@Suite(.enabled(if: duration != nil, "takes as long as one likes: make soak"))
struct SoakTests {
    private static let seed =
        getenv("TRUNKLINE_SOAK_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 0 ... .max)

    /// What the process uses.
    private struct Sample {
        let memory: Int
        let descriptors: Int
        let lines: Int

        init(_ daemon: DaemonProcess) {
            memory = daemon.process.memory
            descriptors = daemon.process.descriptorCount
            lines = daemon.log.count
        }
    }

    /// `3 messages (120 bytes)` or `20 bytes`, between two texts of the daemon's last line.
    private static func amount(in line: String, after before: String, _ after: String) throws -> (
        messages: Int, bytes: Int
    ) {
        let pattern = before + #" (?:(\d+) messages? \()?(\d+) bytes?\)?"# + after
        let regex = try Regex(pattern, as: (Substring, Substring?, Substring).self)
        guard let match = try regex.firstMatch(in: line) else { return (0, 0) }
        return (Int(match.1 ?? "") ?? 0, Int(match.2) ?? 0)
    }

    @Test func `whatever everybody does, each message is accounted for, and nothing grows`() throws {
        let duration = try #require(duration)
        print("soak: seed \(Self.seed), \(duration)")
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(Soak.configuration(upstream)) { daemon in
            let soak = try Soak(daemon, upstream, seed: Self.seed)
            // Every page of the rings has been touched, and each code path been run, before memory is looked at.
            try soak.run(for: duration / 10) {}
            try soak.calm()
            let before = Sample(daemon)
            var samples: [Sample] = []
            try soak.run(for: duration) { samples.append(Sample(daemon)) }
            try soak.calm()
            #expect(soak.mistakes == [])
            let after = Sample(daemon)
            #expect(after.descriptors == before.descriptors)
            #expect(after.memory - before.memory < 1 << 20)
            let most = samples.max { $0.memory < $1.memory } ?? after
            #expect(most.memory - before.memory < 4 << 20)
            #expect(try daemon.terminate() == 0)
            try checkTotals(soak)
            Self.tell(soak, before, after, most)
        }
    }

    /// The daemon's account of the messages is that of the test.
    private func checkTotals(_ soak: Soak) throws {
        let line = try soak.daemon.awaitLine("stopped: ")
        let received = try Self.amount(in: line, after: "received", "")
        let tooLong = try Self.amount(in: line, after: "discarded", " from the upstream, longer")
        let cutOff = try Self.amount(in: line, after: "discarded", " of a message that the end")
        let sent = try Self.amount(in: line, after: "sent", "")
        let away = try Self.amount(in: line, after: "discarded", " from clients, for the upstream is away")
        for witnessed in soak.witnessed {
            #expect(witnessed.messages == received.messages, "\(line)")
            #expect(witnessed.bytes + tooLong.bytes + cutOff.bytes == received.bytes, "\(line)")
        }
        #expect(sent.messages + away.messages == soak.sentUp, "\(line)")
        // A reset loses what was under way.
        #expect(soak.heardUp <= sent.messages, "\(line)")
    }

    private static func tell(_ soak: Soak, _ before: Sample, _ after: Sample, _ most: Sample) {
        print(
            """
            soak: \(soak.abuses.values.reduce(0, +)) abuses, \
            \(soak.witnessed[0].messages) messages to each witness, \(soak.heardUp) of \(soak.sentUp) to the upstream
            soak: memory \(before.memory >> 10) kB before, \(after.memory >> 10) kB after, at most \(most.memory >> 10) kB; \
            \(before.descriptors) and \(after.descriptors) descriptors; \(after.lines) lines logged
            soak: \(soak.daemon.log.last ?? "")
            """)
    }
}
