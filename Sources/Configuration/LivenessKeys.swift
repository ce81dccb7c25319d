import Uplink

extension Keys {
    static let heartbeat = Table<HeartbeatSettings>([
        Key(
            "send", \.bytes, .bytes(1...4096), .required,
            "What is sent, between two messages of clients: whole messages of send-framing."),
        Key("every", \.every, .time(atLeast: .milliseconds(100)), .text("30s"), "How often it is sent."),
        Key(
            "expect", \.answer, .optional(.bytes(1...256)), .derived("no answer") { _, _ in nil },
            "The beginning of the message that answers; reconnect if none comes before the next is due."),
        Key(
            "hide", \.hidesAnswers, .yesOrNo, .text("no"),
            "Whether messages that answer are kept from clients."),
    ])

    static let keepalive = Table<KeepaliveSettings>([
        Key(
            "idle", \.idle, .timeOrInfinity(atLeast: .seconds(1), atMost: longestKeepalive), .text("1min"),
            "How long nothing may be received before the kernel asks; infinity never asks."),
        Key(
            "interval", \.interval, .time(atLeast: .seconds(1), atMost: longestKeepalive), .text("15s"),
            "How long it waits for an answer before it asks again."),
        Key(
            "count", \.count, .number(1...127), .text("4"),
            "How many questions may stay without an answer; then reconnect. Within write-timeout."),
    ])

    /// Less than the kernel's own limit of 32767 s.
    private static let longestKeepalive = Duration.seconds(9 * 3600)
}

extension HeartbeatSettings {
    static let blank = HeartbeatSettings(bytes: [], every: .zero)
}

extension KeepaliveSettings {
    static let blank = KeepaliveSettings(idle: nil, interval: .zero, count: 0)
}
