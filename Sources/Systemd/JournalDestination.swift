import Glibc
import Linux

/// Where entries go, and what they have in common.
struct JournalDestination: Sendable {
    /// An open descriptor, which stays open as long as there is something to write.
    let output: Int32
    /// The journal's socket; `nil` when the output does not lead to the journal.
    let socket: String?
    /// Fields of every entry.
    let fields: [JournalField]
    /// The MESSAGE_ID of an entry that tells of lost ones.
    let lossID: String

    /// Standard error, or the journal if that is where it leads: `$JOURNAL_STREAM` names the device and inode of the
    /// stream to the journal (systemd.exec(5)).
    static func standardError(fields: [JournalField], lossID: String) -> JournalDestination {
        var status = stat()
        let isJournal =
            unsafe fstat(STDERR_FILENO, &status) == 0
            && Program.environment("JOURNAL_STREAM") == "\(status.st_dev):\(status.st_ino)"
        return JournalDestination(
            output: STDERR_FILENO, socket: isJournal ? "/run/systemd/journal/socket" : nil, fields: fields,
            lossID: lossID)
    }

    /// Tells that so many entries are missing.
    func loss(of count: Int) -> JournalEntry {
        let words = count == 1 ? "1 line" : "\(count) lines"
        return JournalEntry(.warning, id: lossID, "\(words) could not be logged", [])
    }
}
