/// Rows of which each column is as wide as its widest cell.
struct Columns {
    struct Cell {
        let text: String
        var colour: Palette.Colour?
        /// To the right of its column, as numbers are.
        var isNumber = false

        init(_ text: String, _ colour: Palette.Colour? = nil) {
            self.text = text
            self.colour = colour
        }

        init(number: String) {
            text = number
            isNumber = true
        }
    }

    private var rows: [[Cell]] = []
    private let dispensable: [Int]

    /// - Parameters:
    ///   - heading: Bold; empty for none.
    ///   - numbers: Which columns of the heading stand over numbers.
    ///   - dispensable: Which columns are left out where there is no room for all, the first one first.
    init(_ heading: [String], numbers: Set<Int> = [], dispensable: [Int] = []) {
        self.dispensable = dispensable
        guard !heading.isEmpty else { return }
        rows.append(
            heading.enumerated().map { index, text in
                var cell = Cell(text, .bold)
                cell.isNumber = numbers.contains(index)
                return cell
            })
    }

    mutating func append(_ row: [Cell]) { rows.append(row) }

    /// The table as text.
    ///
    /// - Parameters:
    ///   - palette: For the cells.
    ///   - width: Lines that would be longer have fewer columns, as far as there are dispensable ones.
    /// - Returns: A line for each row, without blanks at its end.
    func lines(_ palette: Palette, width: Int = .max) -> [String] {
        var widths = self.widths
        var kept = Set(widths.indices)
        func needed() -> Int { kept.reduce(2 * (kept.count - 1)) { $0 + widths[$1] } }
        for index in dispensable where needed() > width { kept.remove(index) }
        widths = widths.indices.filter(kept.contains).map { widths[$0] }
        return rows.map { row in
            let row = row.indices.filter(kept.contains).map { row[$0] }
            let last = row.lastIndex { !$0.text.isEmpty } ?? -1
            return row.prefix(last + 1).enumerated().map { index, cell in
                let blanks = String(repeating: " ", count: widths[index] - cell.text.count)
                let text = palette.paint(cell.text, cell.colour)
                if cell.isNumber { return blanks + text }
                return index == last ? text : text + blanks
            }.joined(separator: "  ")
        }
    }

    private var widths: [Int] {
        (0..<(rows.map(\.count).max() ?? 0)).map { index in
            rows.map { $0.indices.contains(index) ? $0[index].text.count : 0 }.max() ?? 0
        }
    }
}
