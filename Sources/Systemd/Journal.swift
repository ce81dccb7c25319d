public import Linux

/// The log, written from a thread of its own: a reader that has stopped never stops the caller.
///
/// Under systemd entries go to the journal with all their fields. Elsewhere, and when the journal does not take them, they
/// are lines on standard error; those begin with their level as `<N>` if standard error leads to the journal (sd-daemon(3)).
public final class Journal {
    private enum Message: Sendable {
        case entry(JournalEntry)
        case end
    }
    /// How many entries wait at the most.
    private static let limit = 1000

    private let destination: JournalDestination
    private let mailbox: Mailbox<Message>
    private let ended: Mailbox<Void>
    private var dropped = 0

    /// Starts the thread: block signals before.
    ///
    /// - Parameters:
    ///   - fields: Go with every entry.
    ///   - lossID: The MESSAGE_ID of an entry that tells how many were lost.
    /// - Throws: `SystemError` when there is no descriptor or no thread left.
    public convenience init(fields: [JournalField], lossID: String) throws(SystemError) {
        try self.init(.standardError(fields: fields, lossID: lossID))
    }

    /// - Throws: `SystemError` when there is no descriptor or no thread left.
    init(_ destination: JournalDestination) throws(SystemError) {
        let mailbox = try Mailbox<Message>()
        let ended = try Mailbox<Void>()
        self.destination = destination
        self.mailbox = mailbox
        self.ended = ended
        try startThread {
            Self.write(mailbox, to: destination)
            ended.post(())
        }
    }

    private static func write(_ mailbox: Mailbox<Message>, to destination: JournalDestination) {
        var writer = JournalWriter(destination)
        while true {
            mailbox.wait()
            for message in mailbox.takeAll() {
                switch message {
                case .entry(let entry): writer.write(entry)
                case .end:
                    writer.tellUnwritten()
                    return writer.end()
                }
            }
        }
    }

    /// Queues an entry; when too many wait, it is counted, and the count is told when there is room again.
    public func log(_ entry: JournalEntry) {
        tellDropped(limit: Self.limit)
        if !mailbox.post(.entry(entry), limit: Self.limit) { dropped += 1 }
    }

    /// Waits until everything is written, but not for ever.
    public func close(atMost limit: Duration) {
        tellDropped(limit: .max)
        mailbox.post(.end)
        ended.wait(atMost: limit)
    }

    private func tellDropped(limit: Int) {
        guard dropped > 0 else { return }
        if mailbox.post(.entry(destination.loss(of: dropped)), limit: limit) { dropped = 0 }
    }
}
