import Configuration
import Daemon
import Foundation
import TestSupport
import Testing

/// What `--check` says of what is no mistake of the file.
struct WarningsTests {
    private static func warnings(_ upstream: String, _ sockets: String = "{}") throws -> [String] {
        let text = "upstream: {address: a:1, \(upstream)}\nsockets: \(sockets)\n"
        let configuration = try Configuration(
            parsing: Array(text.utf8), path: "ais.yaml", runtimeDirectory: "/none/run/")
        return Warnings(configuration, runtimeDirectory: "/none/run/").lines
    }

    private static func write(_ text: String, to path: String) throws -> String {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    @Test func `files that cannot be used are told, all at once`() throws {
        let directory = try TemporaryDirectory()
        let text = try Self.write("no PEM", to: directory("text"))
        let none = directory("none.pem")
        let missing = try Self.warnings("tls: {ca-file: \(none), certificate: \(none)}")
        #expect(
            missing == [
                "upstream.tls: cannot read ca-file \(none): No such file or directory (errno 2), on this machine",
                "upstream.tls: cannot read certificate \(none): No such file or directory (errno 2), on this machine",
            ])
        let wrong = try Self.warnings("tls: {ca-file: \(text), certificate: \(text)}")
        #expect(wrong.count == 2 && wrong.allSatisfy { $0.contains(" \(text): ") }, "\(wrong)")
        let key = try Self.warnings("tls: {certificate: \(text), key: \(none)}")
        #expect(key.count == 1 && key.first?.contains("cannot read key \(none)") == true, "\(key)")
    }

    @Test func `files that can be used, and what only the service has, are not told`() throws {
        let directory = try TemporaryDirectory()
        let authority = CertificateAuthority()
        let identity = authority.issue()
        let file = try Self.write(identity.certificate + identity.key, to: directory("all.pem"))
        #expect(try Self.warnings("tls: {ca-file: \(file), certificate: \(file)}") == [])
        #expect(try Self.warnings("tls: {ca-file: 'credential:a', certificate: 'credential:b'}") == [])
        #expect(try Self.warnings("tls: {certificate: \(file), key: 'credential:b'}") == [])
        #expect(try Self.warnings("tls: yes") == [])
    }

    @Test func `a socket that has no directory, or whose place is taken, is told`() throws {
        let directory = try TemporaryDirectory()
        let taken = try Self.write("", to: directory("taken"))
        let none = directory("none/x.sock")
        let sockets = "{a: {path: \(none)}, b: {path: \(taken)}, c: {path: \(directory("c.sock"))}, d: {}}"
        #expect(
            try Self.warnings("framing: line", sockets) == [
                "sockets.a.path: cannot listen on \(none): there is no directory \(directory("none")), on this machine",
                "sockets.b.path: cannot listen on \(taken): something that is not a socket stands there, on this machine",
            ])
    }

    @Test func `to go back to the only address has no effect`() throws {
        let text = "upstream.fail-back: has no effect, for upstream.address is one only"
        #expect(try Self.warnings("fail-back: 1min") == [text])
        #expect(try Self.warnings("fail-back: infinity") == [])
    }

    @Test func `nothing that a file names can steer the terminal`() throws {
        let lines = try Self.warnings("framing: line", "{a: {path: \"/none/\\e[31m/x\"}}")
        #expect(
            lines.count == 1 && lines.allSatisfy { $0.contains("/none/?[31m") && !$0.contains("\u{1B}") },
            "\(lines)")
    }
}
