import Control

/// How `monitor` prints an event.
struct EventText {
    let palette: Palette
    let clock: WallClock
    let isJSON: Bool
    /// Of the column of bridges; 0 for none.
    let width: Int

    func line(_ event: EventDescription, of bridge: String) -> String {
        guard !isJSON else { return jsonLine(Line(bridge: bridge, event)) }
        let name = printable(bridge)
        let column = width == 0 ? "" : name + String(repeating: " ", count: max(0, width - name.count)) + "  "
        return
            "\(clock.stamp(event.time))  \(column)\(palette.paint(printable(event.text), colour(event.level)))\n"
    }

    private func colour(_ level: String) -> Palette.Colour? {
        switch level {
        case "error": .red
        case "warning": .yellow
        case "notice": .bold
        case "debug": .dim
        default: nil
        }
    }

    private struct Line: Encodable {
        let bridge: String
        let event: String
        let level: String
        let text: String
        let time: Int
        let fields: [String: String]

        init(bridge: String, _ event: EventDescription) {
            self.bridge = bridge
            self.event = event.event
            level = event.level
            text = event.text
            time = event.time
            fields = event.fields
        }
    }
}
