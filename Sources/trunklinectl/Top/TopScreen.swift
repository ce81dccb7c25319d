import Control

/// The screen of `trunklinectl top`, as lines of text.
struct TopScreen {
    let model: TopModel
    let now: TopModel.Instant
    /// The time of day.
    let time: String
    let delay: Duration
    let glyphs: Glyphs

    /// At most `rows` lines of at most `columns` columns.
    func lines(rows: Int, columns: Int) -> [StyledLine] {
        let (rows, columns) = (max(rows, 1), max(columns, 1))
        var lines = [heading(columns, pace: "  \(pace)")]
        if model.mode == .help {
            lines += help
        } else {
            // Without the heading, the footer and the titles of the bridges.
            lines += body(rows: rows - 3, columns: columns)
        }
        lines = Array(lines.prefix(max(1, rows - 1)))
        if rows > 1 {
            lines += Array(repeating: StyledLine(), count: rows - 1 - lines.count) + [footer(columns)]
        }
        return lines.map { $0.cut(to: columns) }
    }

    /// What `--once` prints: everything, without a footer.
    func page(columns: Int) -> [StyledLine] {
        let needed = model.bridges.count + model.clients(now: now).count + Self.leastForClients
        let lines = [heading(columns, pace: "")] + body(rows: needed, columns: columns)
        return lines.map { $0.cut(to: columns) }
    }

    // MARK: First and last line

    private func heading(_ columns: Int, pace: String) -> StyledLine {
        let answers = model.bridges.filter { $0.silence(now: now) == nil }.compactMap(\.description)
        let clients = answers.reduce(0) { $0 + $1.clients.count }
        let received = answers.reduce(0) { $0 + $1.bridge.receiveRates.second.bytes }
        let sent = answers.reduce(0) { $0 + $1.bridge.sendRates.second.bytes }
        let totals = [
            Figures.counted(model.bridges.count, "bridge"), Figures.counted(clients, "client"),
            "\(bytes(received))/s in", "\(bytes(sent))/s out",
        ].joined(separator: ", ")
        let end = "\(pace)  \(time)"
        let room = columns - DisplayText.columns(end)
        guard room > 0 else { return StyledLine(DisplayText.cut(totals, columns, mark: glyphs.mark), .bold) }
        return StyledLine(DisplayText.fit(totals, room, mark: glyphs.mark) + end, .bold)
    }

    /// Whatever the bridges say together.
    private func bytes(_ count: Double) -> String { Figures.bytes(Int(saturating: count)) }

    private var pace: String {
        model.isPaused ? "paused" : "every \(ShortNumber.text(delay / .seconds(1))) s"
    }

    private func footer(_ columns: Int) -> StyledLine {
        let text =
            switch model.mode {
            case .help: "any key: back, q: quit"
            case .confirming(let name): "Reconnect \(glyphs.printable(name)) to its upstream? y/n"
            case .usual: model.notice.map(glyphs.printable) ?? usualFooter
            }
        let style: StyledLine.Style =
            if case .confirming = model.mode { .bold } else { model.notice == nil ? .dim : .bold }
        return StyledLine(DisplayText.cut(text, columns, mark: glyphs.mark), style)
    }

    private var usualFooter: String {
        "q quit  \(glyphs.arrows) select  s sort  p pause  r reconnect  h help"
    }

    private var help: [StyledLine] {
        [
            "", "q             quit", "up, k         select the bridge above",
            "down, j       select the bridge below", "Escape        select none: the clients of all bridges",
            "s             sort the clients in another way", "p             pause, or go on",
            "r             reconnect the selected bridge to its upstream", "h, ?          this help", "",
            "IN and OUT are bytes each second from and to the upstream, BUFFER is how",
            "much of it the slowest client holds. LAG is what a client has not been sent",
            "yet (bytes, then MESSAGES), MISSED the messages it never was, RECEIVED the",
            "bytes that came from it. Numbers are in powers of 1000.",
        ].map { StyledLine($0) }
    }

    // MARK: Tables

    private func body(rows: Int, columns: Int) -> [StyledLine] {
        let clients = model.clients(now: now)
        let count = bridgeCount(rows: rows, clients: clients.count)
        let table = BridgeTable(model: model, now: now, glyphs: glyphs, room: columns)
        var lines = table.lines(atMost: count)
        let left = rows - count
        guard left >= Self.leastForClients, !model.bridges.isEmpty else { return lines }
        if left > Self.leastForClients { lines.append(StyledLine()) }
        let subject = model.selected.map { "Clients of \(glyphs.printable($0))" } ?? "Clients"
        guard !clients.isEmpty else {
            lines.append(StyledLine("\(subject): none", .dim))
            return lines
        }
        lines.append(StyledLine("\(subject), \(model.order.words)", .bold))
        return lines + ClientTable(glyphs: glyphs, room: columns).lines(clients)
    }

    /// A heading, the titles and one client.
    private static let leastForClients = 3

    /// How many bridges have room: clients get half of the screen, and what bridges leave, or nothing at all.
    private func bridgeCount(rows: Int, clients: Int) -> Int {
        let wanted = clients == 0 ? 0 : clients + Self.leastForClients
        let count = min(model.bridges.count, max(rows / 2, rows - wanted))
        return rows - count < Self.leastForClients ? min(model.bridges.count, max(1, rows)) : count
    }
}
