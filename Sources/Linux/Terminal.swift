import CLinux
import Glibc

/// The terminal that standard input and output lead to. Its settings are as they were when this has gone.
public struct Terminal: ~Copyable {
    private let output: FileDescriptor
    /// What was there before keys were read singly; `nil` while it is still there.
    private var saved: termios?

    public static func isTerminal(_ raw: Int32) -> Bool { isatty(raw) == 1 }

    /// - Throws: ENOTTY if either is no terminal.
    public init() throws(SystemError) {
        for raw in [STDIN_FILENO, STDOUT_FILENO] where !Self.isTerminal(raw) {
            throw SystemError(call: "isatty", code: ENOTTY)
        }
        // Opened anew, for O_NONBLOCK would be felt by everyone who shares the old one. After su(1) that may not be
        // allowed; then a terminal that takes nothing holds the program up.
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let raw = unsafe open("/proc/self/fd/\(STDOUT_FILENO)", flags)
        output = FileDescriptor(owning: raw >= 0 ? raw : dup(STDOUT_FILENO))
    }

    deinit { restore() }

    public var input: Int32 { STDIN_FILENO }
    public var outputRaw: Int32 { output.raw }

    /// Each key is read at once, and not shown. Those that make signals go on doing so.
    public mutating func readKeys() throws(SystemError) {
        var settings = termios()
        _ = try retrying("tcgetattr") { unsafe Int(tcgetattr(STDIN_FILENO, &settings)) }
        if saved == nil { saved = settings }
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // ^S would hold output up, that which gives the terminal back as well; if it does, it ends here.
        settings.c_iflag &= ~tcflag_t(IXON)
        // One byte at least, without a time limit.
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            unsafe keys[Int(VMIN)] = 1
            unsafe keys[Int(VTIME)] = 0
        }
        _ = try retrying("tcsetattr") { unsafe Int(tcsetattr(STDIN_FILENO, TCSANOW, &settings)) }
    }

    /// Undoes `readKeys`.
    public mutating func stopReadingKeys() {
        restore()
        saved = nil
    }

    private borrowing func restore() {
        // In the background it is the shell's, which sets it as it likes; to touch it would stop the process (SIGTTOU).
        guard var settings = saved, isInForeground else { return }
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Whether the terminal is this process's to use (credentials(7)).
    public var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Rows and columns of the terminal that standard output leads to; `nil` if it is none, or does not know.
    public static var size: (rows: Int, columns: Int)? {
        var (rows, columns): (Int32, Int32) = (0, 0)
        guard unsafe tl_window_size(STDOUT_FILENO, &rows, &columns) == 0, rows > 0, columns > 0 else {
            return nil
        }
        return (Int(rows), Int(columns))
    }

    /// Writes what the terminal takes now.
    ///
    /// - Returns: How many bytes.
    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
        guard case .moved(let count) = try output.write(bytes) else { return 0 }
        return count
    }

    /// Reads what was typed; empty when nothing was, `nil` when nothing will be.
    public borrowing func read() throws(SystemError) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1024)
        let count = try retrying("read") { unsafe Glibc.read(STDIN_FILENO, &chunk, chunk.count) }
        return count > 0 ? Array(chunk[..<count]) : nil
    }
}
