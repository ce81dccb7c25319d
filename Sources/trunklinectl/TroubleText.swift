/// What the counters of a bridge count, in words.
enum TroubleText {
    /// What goes behind how many times it came about; for a reason that is not known here, the reason itself.
    static func words(_ reason: String) -> String { known[reason] ?? printable(reason) }

    static let known = [
        "cut-off": "messages cut off by the end of a connection",
        "malformed": "bytes that could not be divided into messages",
        "oversize": "messages longer than max-message",
        "damaged": "messages that were damaged",
        "between": "bytes between messages",
        "first": "first messages of connections (first-message: discard)",
        "unfinished": "messages that clients have not finished",
        "client-damaged": "messages of clients that were damaged",
        "client-between": "bytes of clients between messages",
        "upstream-away": "messages thrown away while the server was away",
        "not-allowed": "messages of clients that may only listen",
        "behind": "messages missed by clients that had fallen behind",
        "unrepresentable": "messages that the framing of their receivers cannot carry",
        "unacknowledged": "connections lost before the server had acknowledged all that was sent",
        "stopped": "messages thrown away when the bridge stopped",
        "unresolved": "attempts in vain: the name was not resolved",
        "unconnected": "attempts in vain: no connection was made",
        "tls": "connections without TLS: it was not begun, or broken off",
        "greeting": "attempts in vain: the dialogue before everything else failed",
        "closed": "connections ended by the server",
        "truncated": "connections cut off without TLS saying so",
        "failed": "connections that failed",
        "idle-timeout": "connections silent for too long (idle-timeout)",
        "write-timeout": "connections that took nothing for too long (write-timeout)",
        "heartbeat": "connections whose heartbeat was not answered",
        "framing": "connections whose bytes were no messages",
        "client-patience": "clients disconnected: they read too slowly",
        "client-framing": "clients disconnected: what they sent was no message",
        "client-unrepresentable": "clients disconnected: a message could not be translated",
        "client-failed": "clients disconnected: their connection failed",
        "client-disconnected": "clients disconnected by an operator",
        "max-clients": "programs refused (max-clients)",
        "max-clients-per-user": "programs refused (max-clients-per-user)",
        "accepting-paused": "new clients had to wait",
        "socket-gone": "sockets removed by somebody",
        "shortage": "transfers put off: the kernel was short of memory",
    ]
}
