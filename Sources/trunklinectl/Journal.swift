import Linux

/// The recent lines of a bridge in the journal, as journalctl(1) prints them.
enum Journal {
    /// A blank line and the last ten; nothing when there is no journal, or none for this user.
    static func lines(of bridge: String) -> String {
        let command = [
            "journalctl", "--unit=trunkline@\(bridge)", "--lines=10", "--no-pager", "--quiet",
        ]
        let text = String(decoding: (try? output(of: command)) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").map { printable(String($0)) + "\n" }
        // "-- No entries --", of an older one.
        guard let first = lines.first, !first.hasPrefix("-- ") || lines.count > 1 else { return "" }
        return "\n" + lines.joined()
    }
}
