import Foundation
import Glibc
import TestSupport
import Testing

/// What the README tells its reader to do, done.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README's blocks of code in one language, in order.
    private static func blocks(_ language: String) throws -> [String] {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        return readme.components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    /// Runs an example against a bridge whose upstream sends `news`, and returns what it printed and what the upstream
    /// received.
    private static func run(
        _ program: String, _ flag: String, _ example: String, sends: String?
    ) throws -> (printed: String, received: String) {
        #expect(example.contains("/run/trunkline/ais.sock"))
        let upstream = try FakeUpstream()
        return try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let server = try upstream.accept()
            let text = example.replacing("/run/trunkline/ais.sock", with: daemon.path())
            let process = try ChildProcess(
                ["/usr/bin/env", program, flag, text], environment: ["PATH": "/usr/bin:/bin"],
                output: daemon.directory("printed"), errors: daemon.directory("complaints"))
            var received: [UInt8] = []
            if let sends {
                received = try server.receive(sends.utf8.count)
            } else {
                try eventually("the example to be connected") { daemon.clientCount() == 1 }
            }
            try server.send(Array("news\n".utf8))
            if sends == nil || program == "python3" {
                server.finishSending()
                try daemon.awaitLine("lost: the upstream closed it")
            }
            // It ends when the bridge does, at the latest.
            _ = try daemon.terminate()
            _ = try process.exitStatus()
            #expect(text.isEmpty || contents(of: daemon.directory("complaints")).isEmpty)
            return (
                String(decoding: contents(of: daemon.directory("printed")), as: UTF8.self),
                String(decoding: received, as: UTF8.self)
            )
        }
    }

    @Test(arguments: [0, 1])
    func `a shell receives`(number: Int) throws {
        let (printed, _) = try Self.run("sh", "-c", try Self.blocks("sh")[number], sends: nil)
        #expect(printed == "news\n")
    }

    @Test func `a shell sends`() throws {
        let (_, received) = try Self.run("sh", "-c", try Self.blocks("sh")[2], sends: "hello\n")
        #expect(received == "hello\n")
    }

    @Test func `Python sends and receives`() throws {
        let (printed, received) = try Self.run(
            "python3", "-c", try Self.blocks("python")[0], sends: "hello\n")
        #expect(received == "hello\n")
        #expect(printed == "news\n")
    }

    @Test func `every configuration is accepted`() throws {
        let blocks = try Self.blocks("yaml")
        #expect(blocks.count >= 2)
        let directory = try TemporaryDirectory()
        for block in blocks {
            try directory.write(block, to: "device.yaml")
            let check = try ChildProcess(
                [ChildProcess.path(of: "trunklined"), "--check", directory("device.yaml")], environment: [:],
                output: directory("output"), errors: directory("errors"))
            #expect(try check.exitStatus() == 0, "\(text(of: directory("errors")))")
        }
    }
}
