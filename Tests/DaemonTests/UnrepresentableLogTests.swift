import Framing
import Systemd
import Testing

@testable import Bridge
@testable import Daemon

/// How often it is told that messages cannot be translated.
struct UnrepresentableLogTests {
    private static func loss(
        _ reason: UnrepresentableError, on socket: String = "lines",
        _ direction: Unrepresentable.Direction = .toClients, disconnects: Bool = false
    ) -> Unrepresentable {
        Unrepresentable(socket: socket, direction: direction, reason: reason, disconnects: disconnects)
    }

    @Test func `each kind is told once an hour, by itself`() {
        var log = UnrepresentableLog()
        let start = ContinuousClock.now
        let kinds = [
            Self.loss(.holdsDelimiter), Self.loss(.endsInCarriageReturn),
            Self.loss(.holdsDelimiter, on: "others"),
            Self.loss(.holdsDelimiter, .toUpstream),
        ]
        for kind in kinds { #expect(log.line(for: kind, now: start) != nil) }
        for kind in kinds { #expect(log.line(for: kind, now: start + .seconds(3599)) == nil) }
        #expect(log.line(for: kinds[0], now: start + .seconds(3600)) != nil)
        #expect(log.line(for: kinds[0], now: start + .seconds(7199)) == nil)
    }

    @Test func `a line names the socket, the reason, what comes of it, and what would carry it`() {
        let line = LogLine(unrepresentable: Self.loss(.holdsDelimiter))
        #expect(line.level == .warning)
        #expect(
            line.text
                == "socket lines: a message from the upstream cannot be sent in the socket's framing: it holds the bytes that"
                + " end a message; its clients do not get it. A framing that counts bytes, such as netstring, would carry"
                + " it; so would line with unrepresentable: escape")
        #expect(line.assignments == ["SOCKET=lines", "REASON=holds-delimiter"])
        let sent = LogLine(unrepresentable: Self.loss(.notJSON, .toUpstream, disconnects: true))
        #expect(
            sent.text
                == "socket lines: a message of a client cannot be sent in send-framing: it is not one JSON value without white"
                + " space around it; the client is disconnected. The client has to send what the server's format can hold"
        )
    }
}
