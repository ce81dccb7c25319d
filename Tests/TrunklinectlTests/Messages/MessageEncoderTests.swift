import Configuration
import Testing

@testable import trunklinectl

/// What can be sent to a socket of a bridge.
struct MessageEncoderTests {
    private func frames(_ text: String, _ upstream: String, _ socket: String) throws -> String {
        let text = Array(text.utf8)
        let file =
            "upstream: {address: 'localhost:1', max-message: 100, \(upstream)}\nsockets: {default: \(socket)}"
        let configuration = try Configuration(
            parsing: Array(file.utf8), path: "ais.yaml", runtimeDirectory: "/run/trunkline")
        let encoder = MessageEncoder(to: configuration.sockets[0], of: configuration.upstream)
        var frames: [UInt8] = []
        do {
            try encoder.append(text, to: &frames)
        } catch {
            return error.reason
        }
        return String(decoding: frames, as: UTF8.self)
    }

    @Test(arguments: [
        ("abcd", "framing: {kind: fixed, size: 4}", "{framing: line}", "abcd\n"),
        ("two\nlines", "framing: netstring", "{framing: line, unrepresentable: escape}", "two\\nlines\n"),
        ("ab", "framing: line, send-framing: netstring", "{}", "2:ab,"),
    ])
    func `a message is framed as the socket's clients do it`(
        text: String, upstream: String, socket: String, frames: String
    ) throws {
        #expect(try self.frames(text, upstream, socket) == frames)
    }

    @Test(arguments: [
        (
            "abcde", "framing: {kind: fixed, size: 4}", "{framing: line}",
            "the upstream's send-framing (fixed) cannot carry it: every message has exactly 4 bytes"
        ),
        (
            "two\nlines", "framing: line", "{framing: line, unrepresentable: escape}",
            "the upstream's send-framing (line) cannot carry it: it holds the bytes that end a message"
        ),
        (
            "", "framing: {kind: idle, gap: 1s}", "{framing: line}",
            "the upstream's send-framing (none) cannot carry it: every message has at least one byte"
        ),
        (
            "two\nlines", "framing: netstring", "{framing: line}",
            "it holds the bytes that end a message"
        ),
        ("two\nlines", "framing: line", "{framing: line}", "it holds the bytes that end a message"),
        (
            String(repeating: "x", count: 101), "framing: line", "{framing: netstring}",
            "a message of 101 bytes is longer than max-message (100)"
        ),
    ])
    func `what the socket, or the bridge behind it, cannot carry is refused`(
        text: String, upstream: String, socket: String, reason: String
    ) throws {
        #expect(try frames(text, upstream, socket) == reason)
    }
}
