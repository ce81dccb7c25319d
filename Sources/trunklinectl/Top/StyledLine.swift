/// One line of a screen.
struct StyledLine: Equatable {
    typealias Style = Palette.Colour

    struct Part: Equatable {
        let text: String
        let style: Style?
    }
    private(set) var parts: [Part] = []

    init() {}

    init(_ text: String, _ style: Style? = nil) { append(text, style) }

    mutating func append(_ text: String, _ style: Style? = nil) {
        if !text.isEmpty { parts.append(Part(text: text, style: style)) }
    }

    var text: String { parts.map(\.text).joined() }

    /// All of it in one style.
    func drawn(in style: Style) -> StyledLine { StyledLine(text, style) }

    /// At most so many columns of it.
    func cut(to width: Int) -> StyledLine {
        var line = StyledLine()
        var left = width
        for part in parts {
            let text = DisplayText.cut(part.text, left, mark: "")
            line.append(text, part.style)
            left -= DisplayText.columns(text)
            guard text == part.text else { break }
        }
        return line
    }

    /// What a terminal understands; without colours, what is reversed or bold is all the same.
    func escaped(hasColors: Bool) -> String {
        parts.map { part in
            let isColour = [.red, .green, .yellow].contains(part.style)
            return Palette(isOn: hasColors || !isColour).paint(part.text, part.style)
        }.joined()
    }
}
