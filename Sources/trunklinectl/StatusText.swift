import Configuration
import Control

/// What `status` prints of a bridge.
struct StatusText {
    let palette: Palette
    let clock: WallClock
    /// The name of a user.
    let user: (UInt32) -> String
    /// The path of a bridge's configuration, if none is there.
    var missingFile: (String) -> String? = { _ in nil }
    /// The most clients that are shown.
    var clientLimit = 10
    /// Of a line, where tables have columns that can be left out.
    var width = Int.max

    /// - Returns: `nil` for a bridge of which nothing is known.
    func text(_ bridge: String, _ inquiry: Inquiry) -> String? {
        let name = printable(bridge)
        switch inquiry {
        case .running(let description): return text(description)
        case .notRunning:
            let lacks = missingFile(bridge).map { " (but there is no \(printable($0)))" } ?? ""
            return "○ \(name) - not running\n"
                + field("Start", ["systemctl start trunkline@\(name)\(lacks)"])
        case .failed: return nil
        }
    }

    private func text(_ description: Description) -> String {
        let bridge = description.bridge
        let pins = configuration(of: bridge)?.upstream.tls?.pins ?? []
        let state = bridge.uplink.state
        return """
            \(palette.paint("●", state.colour)) \(printable(bridge.name)) - \(palette.paint(state.rawValue, state.colour)) \
            \(printable(bridge.uplink.upstream))

            """ + field("Uplink", story(of: bridge.uplink))
                + field("TLS", tls(bridge.uplink.tls, isPinned: !pins.isEmpty))
                + field("Protocol", protocolName(of: bridge)) + field("Daemon", daemon(bridge))
                + field("Traffic", traffic(bridge)) + field("Buffer", [Figures.fill(bridge.buffer)])
                + field("Outbox", [Figures.fill(bridge.outbox)])
                + field("Troubles", troubles(bridge.counters))
                + field("Sockets", sockets(bridge)) + clients(description.clients)
    }

    /// Before the lines of a field, and before those of clients.
    private static let (margin, clientMargin) = (14, 4)

    /// Lines behind a name; nothing for none.
    private func field(_ name: String, _ lines: [String]) -> String {
        let head = String(repeating: " ", count: Self.margin - 2 - name.count) + "\(name): "
        let margin = String(repeating: " ", count: Self.margin)
        return lines.enumerated().map { ($0.offset == 0 ? head : margin) + $0.element + "\n" }.joined()
    }

    // MARK: Fields

    private func story(of uplink: UplinkDescription) -> [String] {
        var lines = [
            "\(palette.paint(uplink.state.rawValue, uplink.state.colour)) since \(since(uplink.since))"
        ]
        if let start = uplink.outageSince, start != uplink.since {
            lines.append("no connection since \(since(start))")
        }
        if let reason = uplink.reason { lines.append(palette.paint(printable(reason), .bold)) }
        if let next = uplink.nextAttempt {
            lines.append("next attempt \(clock.ahead(next)), \(clock.date(next))")
        }
        var counts = "\(Figures.counted(uplink.connections, "connection")) since the start"
        if uplink.attempts > 0 {
            counts += ", \(Figures.counted(uplink.attempts, "attempt")) in vain"
            if uplink.connections > 0 { counts += " since the last" }
        }
        lines.append(counts)
        if uplink.addresses.map(\.address) != [uplink.upstream] {
            lines += uplink.addresses.map {
                "tried: \(printable($0.address))\($0.reason.map { " – \(printable($0))" } ?? "")"
            }
        }
        return lines
    }

    private func daemon(_ bridge: BridgeDescription) -> [String] {
        [
            "trunklined \(printable(bridge.version)), pid \(bridge.pid), since \(since(bridge.since))",
            "logs \(printable(bridge.logLevel)) and what is worse",
        ]
    }

    /// Nothing where the configuration names no protocol.
    private func protocolName(of bridge: BridgeDescription) -> [String] {
        [configuration(of: bridge)?.upstream.protocolName].compactMap(\.self)
    }

    /// `nil` for what another version has made of it.
    private func configuration(of bridge: BridgeDescription) -> Configuration? {
        try? Configuration(
            parsing: Array(bridge.configuration.utf8), path: bridge.name, runtimeDirectory: "/")
    }

    private func since(_ time: Int) -> String { "\(clock.date(time)); \(clock.ago(time))" }

    private func traffic(_ bridge: BridgeDescription) -> [String] {
        var columns = Columns(["", "1 s", "10 s", "1 min", "total"], dispensable: [3, 1])
        for (name, rates, total) in [
            ("in", bridge.receiveRates, bridge.received), ("out", bridge.sendRates, bridge.sent),
        ] {
            let cells =
                [rates.second, rates.tenSeconds, rates.minute].map(Figures.rate) + [Figures.amount(total)]
            columns.append(([name] + cells).map { Columns.Cell($0) })
        }
        return columns.lines(palette, width: width - Self.margin)
    }

    private func troubles(_ counters: [CounterDescription]) -> [String] {
        var columns = Columns([])
        for counter in counters where counter.times > 0 || counter.messages > 0 || counter.bytes > 0 {
            let amount = AmountDescription(messages: counter.messages, bytes: counter.bytes)
            columns.append([
                Columns.Cell(number: counter.times == 1 ? "1 time " : "\(counter.times) times"),
                Columns.Cell(TroubleText.words(counter.reason)),
                Columns.Cell(amount == .init(messages: 0, bytes: 0) ? "" : Figures.amount(amount)),
            ])
        }
        return columns.lines(palette, width: width - Self.margin)
    }

    private func sockets(_ bridge: BridgeDescription) -> [String] {
        let settings = configuration(of: bridge)?.sockets ?? []
        var columns = Columns([])
        for socket in bridge.sockets {
            let framing = settings.first { $0.name == socket.name }?.framing
            columns.append([
                Columns.Cell(printable(socket.name)), Columns.Cell(printable(socket.path)),
                Columns.Cell(Figures.counted(socket.clients, "client")),
                // Only where one is of its own.
                Columns.Cell(framing.map { "framing \($0.kind)" } ?? ""),
                Columns.Cell(socket.trouble.map(printable) ?? "", .red),
            ])
        }
        return columns.lines(palette, width: width - Self.margin)
    }

    // MARK: Clients

    private func clients(_ clients: [ClientDescription]) -> String {
        guard !clients.isEmpty else { return field("Clients", ["none"]) }
        let sorted = clients.sorted { ($1.lag.bytes, $0.number) < ($0.lag.bytes, $1.number) }
        // Who misses nothing has no column for it.
        let misses = clients.contains { $0.skipping || $0.missed.messages > 0 }
        let heading = ["NR", "LAG", "SENT", "RECEIVED"] + (misses ? ["MISSED"] : [])
        var columns = Columns(
            heading + ["SINCE", "SOCKET", "USER", "PID", "COMMAND"],
            numbers: Set(heading.indices).union([heading.count + 3]),
            // The time, the socket, then what was received and sent.
            dispensable: [heading.count, heading.count + 1, 3, 2])
        for client in sorted.prefix(clientLimit) { columns.append(row(client, misses: misses)) }
        var lines = columns.lines(palette, width: width - Self.clientMargin)
        if sorted.count > clientLimit {
            lines.append("… and \(sorted.count - clientLimit) more: --all shows them")
        }
        return field("Clients", ["\(clients.count)"])
            + lines.map { String(repeating: " ", count: Self.clientMargin) + "\($0)\n" }.joined()
    }

    private func row(_ client: ClientDescription, misses: Bool) -> [Columns.Cell] {
        func size(_ amount: AmountDescription) -> Columns.Cell {
            Columns.Cell(number: amount.bytes == 0 ? "0" : Figures.bytes(amount.bytes))
        }
        // It goes on.
        var missed = Columns.Cell(number: "\(client.missed.messages)\(client.skipping ? "+" : "")")
        if client.skipping { missed.colour = .yellow }
        return [
            Columns.Cell(number: "\(client.number)"), size(client.lag), size(client.sent),
            size(client.received),
        ]
            + (misses ? [missed] : []) + [
                Columns.Cell(clock.age(client.since)),
                Columns.Cell(printable(client.socket)),
                Columns.Cell(printable(user(client.uid))), Columns.Cell(number: "\(client.pid)"),
                Columns.Cell(client.command.map(printable) ?? "?"),
            ]
    }
}
