import Framing
import TestSupport
import Testing

@testable import Configuration

/// Framings that sockets have of their own.
struct TranslationTests {
    private static func text(_ upstream: String, _ socket: String) -> String {
        "upstream: {address: a:1, \(upstream)}\nsockets: {a: {\(socket)}}\n"
    }

    @Test(
        arguments: [
            ("framing: line", "", nil, nil),
            ("framing: line", "framing: netstring", .netstring, .netstring),
            ("framing: netstring", "framing: netstring", nil, nil),
            ("framing: line", "framing: line", .line(), .line()),
            (
                "framing: netstring", "framing: {kind: line, ending: crlf}, unrepresentable: escape",
                .line(ending: .crlf, escapes: true), .line(ending: .crlf, escapes: true)
            ),
            ("framing: netstring, send-framing: cobs", "framing: netstring", nil, .netstring),
            ("framing: slip", "framing: netstring, send: no", .netstring, nil),
        ] as [(String, String, Framing?, Framing?)])
    func `who speaks otherwise than the upstream is translated for, in each direction`(
        upstream: String, socket: String, to: Framing?, from: Framing?
    ) throws {
        let configuration = try read(Self.text(upstream, socket))
        #expect(configuration.upstream.translation(to: configuration.sockets[0]) == to)
        #expect(configuration.upstream.translation(from: configuration.sockets[0]) == from)
    }

    @Test(arguments: [
        (
            "framing: line", "framing: until-close",
            "2:24: sockets.a.framing: found \"until-close\"; allowed is a kind that divides messages by their"
                + " bytes; none gives them as they are"
        ),
        (
            "framing: line", "framing: {kind: length, offset: 2, strip: 4}",
            "2:57: sockets.a.framing.strip: found \"4\"; allowed is what can be put back before a message"
        ),
        (
            "framing: line, max-message: 10", "framing: {kind: fixed, size: 11}",
            "2:44: sockets.a.framing.size: found \"11\"; allowed is at most max-message (10)"
        ),
        (
            "framing: line", "framing: slip, unrepresentable: escape",
            "2:47: sockets.a.unrepresentable: found \"escape\"; allowed is skip or disconnect, for only a socket"
                + " with framing: line has escapes"
        ),
        (
            "framing: line", "unrepresentable: escape",
            "2:32: sockets.a.unrepresentable: found \"escape\"; allowed is skip or disconnect, for only a socket"
                + " with framing: line has escapes"
        ),
        (
            "framing: line", "framing: {kind: length, bytes: 1, adjust: -300}",
            "2:57: sockets.a.framing.adjust: found \"-300\"; allowed is what leaves something to count: with bytes"
                + " and strip as they are, no message could be valid"
        ),
        (
            "framing: {kind: fixed, size: 300}", "framing: {kind: length, bytes: 1}",
            "2:24: sockets.a.framing: found a mapping; allowed is one that can carry what comes in upstream.framing:"
                + " messages of 300 bytes, and these have 0 to 255 bytes"
        ),
        (
            "framing: line, max-message: 2M", "framing: slip",
            "1:54: upstream.max-message: found \"2M\"; allowed is at most 1M, a quarter of buffer (4M), for with"
                + " sockets.a.framing a message may be twice as long"
        ),
    ])
    func `what cannot be translated is refused`(upstream: String, socket: String, message: String) {
        let top = "outbox: 4M\n"
        #expect(errors(in: Self.text(upstream, socket) + top) == ["ais.yaml:\(message)"])
    }
}
