/// The columns of a table, as many and as wide as there is room for.
struct FittedColumns {
    struct Column {
        let title: String
        /// The least width that is of use, and the one beyond which more is of none.
        let widths: ClosedRange<Int>
        var alignment = DisplayText.Alignment.left
        /// The column of the lowest is the first to be left out.
        let importance: Int

        static func fixed(
            _ title: String, _ width: Int, _ alignment: DisplayText.Alignment, importance: Int
        ) -> Column {
            Column(title: title, widths: width...width, alignment: alignment, importance: importance)
        }
    }
    /// Those that there is room for: each its place in the table and its width.
    let shown: [(index: Int, width: Int)]
    private let columns: [Column]

    /// - Parameters:
    ///   - columns: In their order; a space stands between two.
    ///   - room: The width of the table.
    init(_ columns: [Column], room: Int) {
        self.columns = columns
        var kept = Array(columns.indices)
        func least() -> Int { kept.reduce(0) { $0 + columns[$1].widths.lowerBound } + kept.count - 1 }
        while kept.count > 1, least() > room,
            let last = kept.min(by: { columns[$0].importance < columns[$1].importance })
        {
            kept.removeAll { $0 == last }
        }
        var left = room - least()
        var widths = kept.map { columns[$0].widths.lowerBound }
        // What is left goes to those who can use it, a column each in turn, the first first.
        while left > 0 {
            let before = left
            for (place, index) in kept.enumerated()
            where left > 0 && widths[place] < columns[index].widths.upperBound {
                widths[place] += 1
                left -= 1
            }
            if left == before { break }
        }
        shown = Array(zip(kept, widths.map { min($0, max(0, room)) }))
    }

    /// The width of a column; `nil` when it is left out.
    func width(of index: Int) -> Int? { shown.first { $0.index == index }?.width }

    func titles(mark: String) -> String { row(columns.map(\.title), mark: mark) }

    /// A line of printable texts, one for each column of the table.
    func row(_ cells: [String], mark: String) -> String {
        shown.map { DisplayText.fit(cells[$0.index], $0.width, columns[$0.index].alignment, mark: mark) }
            .joined(separator: " ")
    }

    /// How many columns stand before the one after `index`.
    func width(through index: Int) -> Int {
        shown.filter { $0.index <= index }.reduce(0) { $0 + $1.width + 1 }
    }
}
