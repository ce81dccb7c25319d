import Control

/// Clients of bridges, a line each.
struct ClientTable {
    private let glyphs: Glyphs
    private let columns: FittedColumns

    private static let table: [FittedColumns.Column] = [
        .init(title: "BRIDGE", widths: 8...20, importance: 6),
        .init(title: "NR", widths: 5...10, alignment: .right, importance: 7),
        .fixed("LAG", 5, .right, importance: 10),
        .fixed("MESSAGES", 8, .right, importance: 8),
        .fixed("MISSED", 6, .right, importance: 5),
        .fixed("RECEIVED", 8, .right, importance: 2),
        .fixed("PID", 7, .right, importance: 4),
        .init(title: "UID", widths: 5...10, alignment: .right, importance: 3),
        .init(title: "COMMAND", widths: 8...40, importance: 9),
    ]

    init(glyphs: Glyphs, room: Int) {
        self.glyphs = glyphs
        columns = FittedColumns(Self.table, room: room)
    }

    func lines(_ clients: [(bridge: String, client: ClientDescription)]) -> [StyledLine] {
        [StyledLine(columns.titles(mark: glyphs.mark), .reverse)]
            + clients.map { line(bridge: $0.bridge, $0.client) }
    }

    private func line(bridge: String, _ client: ClientDescription) -> StyledLine {
        let cells = [
            glyphs.printable(bridge), "\(client.number)", ShortNumber.text(client.lag.bytes),
            ShortNumber.text(client.lag.messages), ShortNumber.text(client.missed.messages),
            ShortNumber.text(client.received.bytes), "\(client.pid)", "\(client.uid)",
            client.command.map(glyphs.printable) ?? "?",
        ]
        return StyledLine(columns.row(cells, mark: glyphs.mark), client.skipping ? .yellow : nil)
    }
}
