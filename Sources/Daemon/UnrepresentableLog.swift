import Bridge
import Framing
import Systemd

/// Tells of messages that cannot be translated: each kind once an hour, whatever their number, which is counted.
struct UnrepresentableLog {
    private static let interval = Duration.seconds(3600)

    /// When each was told last. As many as there are sockets, and reasons that their framings can have.
    private var told: [Unrepresentable: ContinuousClock.Instant] = [:]

    mutating func line(for what: Unrepresentable, now: ContinuousClock.Instant) -> LogLine? {
        if let last = told[what], now - last < Self.interval { return nil }
        told[what] = now
        return LogLine(unrepresentable: what)
    }
}

extension LogLine {
    init(unrepresentable what: Unrepresentable) {
        let (operation, consequence): (String, String) =
            switch (what.direction, what.disconnects) {
            case (.toClients, false):
                (
                    "a message from the upstream cannot be sent in the socket's framing",
                    "its clients do not get it"
                )
            case (.toClients, true):
                (
                    "a message from the upstream cannot be sent in the socket's framing",
                    "its clients are disconnected"
                )
            case (.toUpstream, false):
                ("a message of a client cannot be sent in send-framing", "the upstream does not get it")
            case (.toUpstream, true):
                ("a message of a client cannot be sent in send-framing", "the client is disconnected")
            }
        self.init(
            .unrepresentable, .warning,
            "socket \(what.socket): \(operation): \(what.reason); \(consequence). \(what.remedy)",
            [.socket(what.socket), .reason(what.reason.word)])
    }
}

extension Unrepresentable {
    /// What a person can do.
    fileprivate var remedy: String {
        switch (direction, reason) {
        case (.toUpstream, _): "The client has to send what the server's format can hold"
        case (.toClients, .endsInCarriageReturn):
            "With ending: crlf or unrepresentable: escape the socket would carry it"
        case (.toClients, .holdsDelimiter):
            "A framing that counts bytes, such as netstring, would carry it; so would line with unrepresentable: escape"
        case (.toClients, .tooLong): "With more bytes in its length field the socket would carry it"
        case (.toClients, .notOfSize), (.toClients, .tooShort), (.toClients, .wrongLength),
            (.toClients, .unknownHeader), (.toClients, .empty), (.toClients, .notBeast),
            (.toClients, .notJSON):
            "A framing that carries any bytes, such as netstring, would carry it"
        }
    }
}
