import Control

/// The bridges of `trunklinectl top`, a line each.
struct BridgeTable {
    private let model: TopModel
    private let now: TopModel.Instant
    private let glyphs: Glyphs
    private let room: Int
    private let columns: FittedColumns

    /// The place of a column that other parts need to know.
    private enum Place {
        static let name = 1
        static let bars = 8
    }

    private static let table: [FittedColumns.Column] = [
        .fixed("", 1, .left, importance: 10),
        .init(title: "BRIDGE", widths: 8...20, importance: 9),
        .init(title: "STATE", widths: 8...10, importance: 8),
        .init(title: "UPSTREAM", widths: 21...42, importance: 3),
        .fixed("IN", 5, .right, importance: 7),
        .fixed("OUT", 5, .right, importance: 6),
        .fixed("CLIENTS", 7, .right, importance: 5),
        .fixed("BUFFER", 6, .right, importance: 4),
        .init(title: "RATE IN", widths: 8...60, importance: 2),
    ]

    init(model: TopModel, now: TopModel.Instant, glyphs: Glyphs, room: Int) {
        self.model = model
        self.now = now
        self.glyphs = glyphs
        self.room = room
        columns = FittedColumns(Self.table, room: room)
    }

    /// The titles, and so many bridges, the selected one among them.
    func lines(atMost count: Int) -> [StyledLine] {
        let titles = StyledLine(columns.titles(mark: glyphs.mark), .reverse)
        guard !model.bridges.isEmpty else {
            return [
                titles, StyledLine("no bridge is running; start one with 'systemctl start trunkline@NAME'"),
            ]
        }
        let selected = model.bridges.firstIndex { $0.name == model.selected } ?? 0
        let first = max(0, selected - max(1, count) + 1)
        return [titles] + model.bridges[first...].prefix(count).map(line)
    }

    private func line(_ bridge: TopModel.Bridge) -> StyledLine {
        let (dot, style, cells) = shown(bridge)
        let row =
            switch cells {
            case .row(let cells): columns.row([dot] + cells, mark: glyphs.mark)
            case .message(let message): self.row(dot, bridge, message)
            }
        var line = StyledLine(String(row.prefix(1)), style)
        // The dot is one character of one column.
        line.append(String(row.dropFirst()))
        let isSelected = model.bridges.count > 1 && bridge.name == model.selected
        return isSelected ? line.drawn(in: .reverse) : line
    }

    private enum Cells {
        case row([String])
        /// In place of all columns after the name.
        case message(String)
    }

    private func row(_ dot: String, _ bridge: TopModel.Bridge, _ message: String) -> String {
        let start = columns.width(through: Place.name)
        var cells = Self.table.map { _ in "" }
        cells[0] = dot
        cells[Place.name] = glyphs.printable(bridge.name)
        let head = columns.row(cells, mark: glyphs.mark).prefix(start)
        return DisplayText.fit(
            head + DisplayText.cut(glyphs.printable(message), room - start, mark: glyphs.mark), room)
    }

    private func shown(_ bridge: TopModel.Bridge) -> (dot: String, StyledLine.Style?, Cells) {
        if let silence = bridge.silence(now: now) {
            let seconds = Int(silence / .seconds(1))
            return (glyphs.cross, .red, .message("no answer for \(seconds) s"))
        }
        switch bridge.contact {
        case .notRunning:
            let hint = "not running; start it with 'systemctl start trunkline@\(bridge.name)'"
            return (glyphs.hollowDot, nil, .message(hint))
        case .failed(let reason): return (glyphs.cross, .red, .message(reason))
        case .answered, .asked:
            guard let description = bridge.description else {
                return (glyphs.hollowDot, nil, .message("asked"))
            }
            let style = description.bridge.uplink.state.colour
            return (glyphs.dot, style, .row(cells(bridge, description)))
        }
    }

    private func cells(_ bridge: TopModel.Bridge, _ description: Description) -> [String] {
        let told = description.bridge
        return [
            glyphs.printable(bridge.name), told.uplink.state.rawValue, glyphs.printable(told.uplink.upstream),
            ShortNumber.text(told.receiveRates.second.bytes), ShortNumber.text(told.sendRates.second.bytes),
            "\(description.clients.count)", percentage(told.buffer),
            glyphs.bars(bridge.history, width: columns.width(of: Place.bars) ?? 0),
        ]
    }

    /// Rounded up: what is not empty is not shown as such.
    private func percentage(_ fill: FillDescription) -> String {
        guard fill.size > 0, fill.used > 0 else { return "0%" }
        let percent = (Double(fill.used) / Double(fill.size) * 100).rounded(.up)
        return "\(Int(saturating: min(percent, 100)))%"
    }
}
