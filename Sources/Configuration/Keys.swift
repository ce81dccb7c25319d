import Framing
import Uplink

/// Every key that a configuration file can hold. A row, and the place that its value goes to, make a new one.
enum Keys {
    static let bridge = Table<Configuration>([
        Key(
            "upstream", \.upstream, .mapping(.blank, upstream), .required,
            "The server, and how to speak to it."),
        Key(
            "sockets", \.sockets, .named(\.name, fallback: "default", .blank, socket), .parts,
            "The Unix sockets that local programs connect to, by name. Without any there is one, default."),
        Key(
            "buffer", \.buffer, .size(1 << 16...1 << 30, rounded: Size.roundedUpToPowerOfTwo), .text("4M"),
            "Holds received messages until every client has read them; rounded up to a power of two."),
        Key(
            "outbox", \.outbox, .size(1 << 16...1 << 30, rounded: Size.roundedUpToPowerOfTwo), .text("1M"),
            "Holds messages from clients until the upstream takes them; rounded up to a power of two."),
        Key(
            "when-down", \.whenDown, .choice, .text("hold"),
            "Whether clients' messages wait while the upstream is away, or are discarded."),
        Key(
            "hold-time", \.holdTime, .timeOrInfinity(), .text("5s"),
            "How long clients' messages wait, from the loss of the connection; then they are discarded."),
        Key(
            "max-clients", \.clientLimits.total, .countOrInfinity, .text("infinity"),
            "The most clients, of all sockets together; one more is disconnected at once."),
        Key(
            "max-clients-per-user", \.clientLimits.perUser, .countOrInfinity, .text("infinity"),
            "The most clients of one user, of all sockets together."),
        Key(
            "ready-when", \.readyWhen, .choice, .text("listening"),
            "When systemd takes the service for started: when it listens, or once its upstream is connected."),
        Key(
            "control", \.control, .mapping(.blank, control, style: .flow), .parts,
            "BRIDGE.control in the runtime directory, the socket that trunklinectl speaks to."),
    ])

    static let control = Table<ControlSettings>([
        Key(
            "mode", \.mode, .mode, .text("0660"),
            "Who may look; only root and the daemon's own user may steer."),
        Key(
            "group", \.group, .optional(.group), .derived("the daemon's own") { _, _ in nil },
            "The group that owns the control socket."),
    ])

    static let upstream = Table<UpstreamSettings>([
        Key(
            "address", \.uplink.endpoints, .list(.address), .required,
            "host:port, [IPv6 address]:port (in quotes) or unix:/path; a list is tried in turn."),
        Key(
            "protocol", \.protocolName, .optional(.preset), .derived("none") { _, _ in nil },
            "What the server speaks: sets keys that the file does not give, as listed below."),
        Key(
            "failover", \.uplink.failover, .choice, .text("in-order"),
            "In which order an attempt goes through several addresses: the list's, or one drawn at random."),
        Key(
            "fail-back", \.uplink.failBack, .timeOrInfinity(atLeast: .seconds(1)), .text("infinity"),
            "Reconnect, beginning with the first address, after so long on another."),
        Key(
            "bind-address", \.bindAddress, .optional(.ipAddress),
            .derived("the kernel's choice") { _, _ in nil },
            "The address of this machine, IPv4 or IPv6, that connections come from."),
        Key(
            "tls", \.tls, .tls, .text("no"),
            "Whether the connection is encrypted; yes verifies the server's certificate."),
        Key(
            "framing", \.framing, .framing, .text("line"),
            "How what the server sends is divided into messages."),
        Key(
            "send-framing", \.sendFraming, .framing,
            .derived("as framing") { upstream, _ in upstream.framing.forSending },
            "How what clients send is divided into messages; with the same keys as framing."),
        Key(
            "max-message", \.maxMessage, .size(1...Int.max), .text("64K"),
            "The most payload of one message; at most half of buffer and of outbox, with slip or escapes a quarter."
        ),
        Key(
            "oversize", \.oversize, .choice, .text("reconnect"),
            "What a longer message from the server leads to: a new connection, or it is passed over."),
        Key(
            "first-message", \.firstMessage, .choice, .text("keep"),
            "Whether clients get the first message of each connection, which may be the rest of one."
        ),
        Key(
            "unrepresentable", \.unrepresentable, .choice, .text("skip"),
            "What a client's message leads to that send-framing cannot carry: it is skipped, or the client disconnected."
        ),
        Key(
            "on-connect", \.onConnect, .listOrEmpty(.step), .derived("nothing") { _, _ in [] },
            "What is sent and expected on each new connection, step by step, before everything else."),
        Key(
            "connect-timeout", \.uplink.connectTimeout, .timeOrInfinity(atLeast: .milliseconds(1)),
            .text("10s"),
            "The most time for one look-up, one connection or one TLS handshake."),
        Key(
            "idle-timeout", \.idleTimeout, .timeOrInfinity(atLeast: .milliseconds(1)), .text("infinity"),
            "Reconnect if nothing is received for so long."),
        Key(
            "write-timeout", \.writeTimeout, .timeOrInfinity(atLeast: .milliseconds(1)), .text("2min"),
            "Reconnect if the server takes nothing of what waits for it for so long."),
        Key(
            "heartbeat", \.heartbeat, .optional(.mapping(.blank, heartbeat, style: .flow)),
            .derived("none") { _, _ in nil },
            "What is sent again and again, so that both sides know that the other is there."),
        Key(
            "keepalive", \.keepalive, .mapping(.blank, keepalive, style: .flow), .parts,
            "When the kernel asks whether the server is still there; only over TCP."),
        Key(
            "reconnect", \.uplink.reconnect, .mapping(.blank, reconnect, style: .flow), .parts,
            "The delays between attempts; they double, and are drawn at random."),
    ])

    static let reconnect = Table<Backoff.Settings>([
        Key(
            "min", \.min, .time(atLeast: Backoff.Settings.floor), .text("250ms"),
            "The shortest delay."),
        Key("max", \.max, .time(), .text("30s"), "The longest delay; at least min."),
        Key(
            "lasting", \.lasting, .time(atLeast: Backoff.Settings.floor),
            .derived("5min or max") { own, _ in max(.seconds(300), own.max) },
            "The longest delay while only a person can help, such as after a refused login; at least max."),
    ])

    static let socket = Table<SocketSettings>([
        Key(
            "path", \.path, .path, .derived("BRIDGE.NAME.sock") { $1.defaultPath(of: $0.name) },
            "Where it is. By default in the runtime directory; for the socket default, BRIDGE.sock."),
        Key("mode", \.mode, .mode, .text("0660"), "The socket's permissions."),
        Key(
            "group", \.group, .optional(.group), .derived("the daemon's own") { _, _ in nil },
            "The group that owns the socket."),
        Key(
            "framing", \.framing, .optional(.framing), .derived("as with the upstream") { _, _ in nil },
            "How its clients send and are sent messages; with the same keys as upstream.framing."),
        Key(
            "unrepresentable", \.unrepresentable, .choice, .text("skip"),
            "What a message that framing cannot carry leads to: it is skipped, its clients are disconnected, or in lines it is escaped."
        ),
        Key("send", \.maySend, .yesOrNo, .text("yes"), "Whether clients may send to the upstream."),
        Key(
            "when-behind", \.whenBehind, .choice, .text("disconnect"),
            "What happens to a client whose patience is used up; with drop it misses whole messages."),
        Key(
            "patience", \.patience, .timeOrInfinity(), .text("1s"),
            "How long a client that reads too slowly may hold the others up."),
    ])
}

extension Decoding {
    /// The path of a socket that names none.
    func defaultPath(of socket: String) -> String {
        "\(runtimeDirectory)/\(bridge)\(socket == "default" ? "" : ".\(socket)").sock"
    }

    var controlPath: String { Configuration.controlPath(of: bridge, in: runtimeDirectory) }
}

// MARK: What the tables fill

extension Configuration {
    static let blank = Configuration(
        name: "", upstream: .blank, sockets: [], buffer: 0, outbox: 0, whenDown: .hold, holdTime: nil,
        clientLimits: ClientLimits(total: nil, perUser: nil), readyWhen: .listening, control: .blank)
}

extension ControlSettings {
    static let blank = ControlSettings(mode: 0, group: nil)
}

extension UpstreamSettings {
    static let blank = UpstreamSettings(
        uplink: Uplink.Settings(endpoints: [], connectTimeout: nil, reconnect: .blank), framing: .line(),
        sendFraming: .line(), maxMessage: 0, oversize: .reconnect, idleTimeout: nil, writeTimeout: nil,
        bindAddress: nil, keepalive: .blank)
}

extension Backoff.Settings {
    static let blank = Backoff.Settings(min: floor, max: floor)
}

extension SocketSettings {
    static let blank = SocketSettings(
        name: "", path: "", mode: 0, group: nil, maySend: false, whenBehind: .disconnect, patience: nil)
}
