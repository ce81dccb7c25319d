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

    /// The names by which links lead to a document's headings, as they are made of these where it is shown.
    private static func anchors(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("#") && $0.contains("# ") }.map { heading in
            let title = heading.drop { $0 == "#" }.dropFirst().lowercased()
            return String(title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }).replacing(
                " ", with: "-")
        }
    }

    @Test(arguments: [
        "README.md", "CONTRIBUTING.md", "Benchmarks/README.md", "docs/DESIGN.md", "docs/LOG.md",
        "docs/PROTOCOLS.md",
    ])
    func `every link within the documents leads somewhere`(document: String) throws {
        let file = Self.root.appending(path: document)
        let text = try String(contentsOf: file, encoding: .utf8)
        let links = text.matches(of: /\]\(([^()\s]+)\)/).map { String($0.output.1) }.filter {
            !$0.contains("://")
        }
        for link in links {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let target = parts[0].isEmpty ? file : file.deletingLastPathComponent().appending(path: parts[0])
            #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
            guard parts.count == 2 else { continue }
            let anchors = Self.anchors(try String(contentsOf: target, encoding: .utf8))
            #expect(anchors.contains(String(parts[1])), "\(link): there are \(anchors)")
        }
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
