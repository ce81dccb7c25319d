import Glibc
public import Linux

/// How much a line of the log matters (syslog(3)).
public enum LogLevel: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
}

/// Writes lines to standard error, from a thread of its own: a reader that has stopped never stops the caller.
///
/// Under systemd each line begins with its level as `<N>` (sd-daemon(3)).
public final class Journal {
    private enum Message: Sendable {
        case line(String)
        case end
    }
    /// How many lines wait at the most.
    private static let limit = 1000

    private let mailbox: Mailbox<Message>
    private let ended: Mailbox<Void>
    private let hasLevels: Bool
    private var dropped = 0

    /// Starts the thread: block signals before.
    ///
    /// - Throws: `SystemError` when there is no descriptor or no thread left.
    public convenience init() throws(SystemError) {
        try self.init(
            writingTo: STDERR_FILENO,
            journalStream: unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) })
    }

    /// - Parameters:
    ///   - raw: An open descriptor, which stays open as long as there are lines to write.
    ///   - journalStream: `$JOURNAL_STREAM`.
    /// - Throws: `SystemError` when there is no descriptor or no thread left.
    init(writingTo raw: Int32, journalStream: String?) throws(SystemError) {
        let mailbox = try Mailbox<Message>()
        let ended = try Mailbox<Void>()
        self.mailbox = mailbox
        self.ended = ended
        hasLevels = journalStream.map { Self.isJournal(raw, stream: $0) } ?? false
        try startThread {
            while true {
                mailbox.wait()
                for message in mailbox.takeAll() {
                    switch message {
                    case .line(let text): Self.write(text, to: raw)
                    case .end:
                        ended.post(())
                        return
                    }
                }
            }
        }
    }

    /// Queues a line; when too many wait, it is counted, and the count is told when there is room again.
    public func log(_ level: LogLevel, _ text: String) {
        tellDropped(limit: Self.limit)
        if !mailbox.post(.line(line(level, text)), limit: Self.limit) { dropped += 1 }
    }

    /// Waits until every line is written, but not for ever.
    public func close(atMost limit: Duration) {
        tellDropped(limit: .max)
        mailbox.post(.end)
        ended.wait(atMost: limit)
    }

    private func tellDropped(limit: Int) {
        guard dropped > 0 else { return }
        let words = dropped == 1 ? "1 line" : "\(dropped) lines"
        if mailbox.post(.line(line(.warning, "\(words) could not be logged")), limit: limit) { dropped = 0 }
    }

    private func line(_ level: LogLevel, _ text: String) -> String {
        // Control characters, of a server's words say, stay harmless.
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            clean.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        return (hasLevels ? "<\(level.rawValue)>" : "") + String(clean) + "\n"
    }

    private static func write(_ text: String, to raw: Int32) {
        let bytes = Array(text.utf8)
        let descriptor = FileDescriptor(owning: raw)
        // There is nobody left to tell of a failure.
        try? descriptor.writeAll(bytes.span)
        _ = descriptor.release()
    }

    /// `$JOURNAL_STREAM` names the device and inode of the stream to the journal (systemd.exec(5)).
    private static func isJournal(_ raw: Int32, stream: String) -> Bool {
        var status = stat()
        guard unsafe fstat(raw, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
