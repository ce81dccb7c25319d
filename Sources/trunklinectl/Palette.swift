import Glibc
import Linux

/// Colours for a terminal, or none.
struct Palette: Sendable {
    let isOn: Bool

    static let plain = Palette(isOn: false)

    /// What fits standard output: no colours but for terminals, and none with NO_COLOR (no-color.org).
    static var ofOutput: Palette {
        let isDumb = [nil, "dumb"].contains(Program.environment("TERM"))
        return Palette(
            isOn: isatty(STDOUT_FILENO) == 1 && Program.environment("NO_COLOR") == nil && !isDumb)
    }

    enum Colour: String {
        case bold = "1"
        case dim = "2"
        case reverse = "7"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// The text in a colour; `nil` leaves it as it is.
    func paint(_ text: String, _ colour: Colour?) -> String {
        guard isOn, let colour, !text.isEmpty else { return text }
        return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
    }
}
