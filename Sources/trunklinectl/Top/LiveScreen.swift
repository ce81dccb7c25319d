import Linux

/// Shows lines on a terminal, which has its own content back when this is left (XTerm Control Sequences, ECMA-48).
struct LiveScreen: ~Copyable {
    private var terminal: Terminal
    private let hasColors: Bool
    private var isEntered = false
    /// What stands on the terminal's lines; `nil` where that is not known.
    private var shown: [String?] = []
    private var size = (rows: 0, columns: 0)
    private var output: [UInt8] = []

    /// Another screen than the shell's, without a cursor, without a new line after the last column.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leave = "\u{1B}[m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    init(_ terminal: consuming Terminal, hasColors: Bool) {
        self.terminal = terminal
        self.hasColors = hasColors
    }

    deinit { leaveScreen() }

    var input: Poll.Request { Poll.Request(terminal.input, .readable) }
    /// What a terminal that does not take everything at once is waited for.
    var request: Poll.Request { Poll.Request(output.isEmpty ? -1 : terminal.outputRaw, .writable) }

    /// Takes the terminal, also if somebody else has had it in between.
    mutating func show() throws(SystemError) {
        try terminal.readKeys()
        isEntered = true
        shown = []
        output = Array(Self.enter.utf8)
    }

    /// Gives the terminal back.
    mutating func hide() {
        leaveScreen()
        isEntered = false
        output = []
        terminal.stopReadingKeys()
    }

    /// Rows and columns.
    var room: (rows: Int, columns: Int) { Terminal.size ?? (24, 80) }

    /// Draws what has changed, unless the terminal has not taken what was drawn before.
    mutating func draw(_ lines: [StyledLine]) throws(SystemError) {
        guard try flush() else { return }
        let room = room
        if room != size || shown.count != lines.count {
            size = room
            shown = Array(repeating: nil, count: lines.count)
            output += Array("\u{1B}[2J".utf8)
        }
        for (index, line) in lines.enumerated() {
            let text = line.escaped(hasColors: hasColors)
            guard text != shown[index] else { continue }
            shown[index] = text
            // Erased first: after a text that fills the line, its last character would be.
            output += Array("\u{1B}[\(index + 1);1H\u{1B}[K\(text)".utf8)
        }
        _ = try flush()
    }

    /// - Returns: Whether everything has been written.
    mutating func flush() throws(SystemError) -> Bool {
        while !output.isEmpty {
            let count = try terminal.write(output.span)
            guard count > 0 else { return false }
            output.removeFirst(count)
        }
        return true
    }

    /// Keys that were pressed; `nil` when there will be none any more.
    mutating func keys() throws(SystemError) -> [Key]? { try terminal.read().map(Key.keys) }

    private borrowing func leaveScreen() {
        guard isEntered else { return }
        var rest = Array(Self.leave.utf8)[...]
        // A terminal that takes nothing any more is not waited for.
        for _ in 0..<10 where !rest.isEmpty {
            guard let count = try? terminal.write(Array(rest).span) else { return }
            rest = rest.dropFirst(count)
            guard !rest.isEmpty else { return }
            let request = Poll.Request(terminal.outputRaw, .writable)
            _ = try? Poll.wait(for: [request], atMost: .milliseconds(20))
        }
    }
}
