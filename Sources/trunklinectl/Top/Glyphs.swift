/// The characters that a screen is drawn with.
struct Glyphs {
    let isASCII: Bool

    static let unicode = Glyphs(isASCII: false)
    static let ascii = Glyphs(isASCII: true)

    /// - Parameter environment: A variable's value. The first of locale(7)'s that is set decides.
    init(environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first ?? ""
        let charset = locale.split(separator: ".").dropFirst().first?.prefix { $0 != "@" } ?? ""
        isASCII = !["utf8", "utf-8"].contains(charset.lowercased())
    }

    private init(isASCII: Bool) { self.isASCII = isASCII }

    /// Text that others have chosen, as the terminal can show it.
    func printable(_ text: String) -> String {
        let text = trunklinectl.printable(text)
        return isASCII ? DisplayText.ascii(text) : text
    }

    /// What stands where text was cut.
    var mark: String { isASCII ? ">" : "…" }
    var dot: String { isASCII ? "*" : "●" }
    var hollowDot: String { isASCII ? "o" : "○" }
    var cross: String { isASCII ? "x" : "×" }
    var arrows: String { isASCII ? "up/down" : "↑↓" }

    private var bars: [Character] { Array(isASCII ? "_.:-=+*#" : "▁▂▃▄▅▆▇█") }

    /// A history as bars, the newest last and the highest full: nothing where there is no value, the lowest for 0.
    func bars(_ history: some BidirectionalCollection<Double?>, width: Int) -> String {
        let values = Array(history.suffix(max(0, width)))
        let top = values.compactMap(\.self).max() ?? 0
        let drawn = values.map { value -> Character in
            guard let value else { return " " }
            guard top > 0, value > 0 else { return bars[0] }
            // A little is to be told from nothing.
            let height = Int(saturating: (value / top * Double(bars.count - 1)).rounded())
            return bars[min(max(1, height), bars.count - 1)]
        }
        return String(repeating: " ", count: max(0, width - drawn.count)) + String(drawn)
    }
}
