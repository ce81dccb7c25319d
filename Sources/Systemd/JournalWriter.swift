import Linux

/// Writes entries to the journal's socket, or as lines to a file, a terminal or a pipe; blocks as long as nobody takes
/// them. What cannot be written is counted, and told as soon as something can be written again.
struct JournalWriter: ~Copyable {
    private let destination: JournalDestination
    private let output: FileDescriptor
    private var socket: FileDescriptor?
    private var unwritten = 0
    /// A write failed in the middle of a line.
    private var isInLine = false

    init(_ destination: JournalDestination) {
        self.destination = destination
        output = FileDescriptor(owning: destination.output)
    }

    mutating func write(_ entry: JournalEntry) {
        tellUnwritten()
        if unwritten > 0 || !put(entry) { unwritten += 1 }
    }

    /// Tries to say how much was lost.
    mutating func tellUnwritten() {
        guard unwritten > 0, put(destination.loss(of: unwritten)) else { return }
        unwritten = 0
    }

    /// Lets go of the output, which stays open.
    consuming func end() { _ = output.release() }

    private mutating func put(_ entry: JournalEntry) -> Bool { sendToJournal(entry) || writeLine(entry) }

    private mutating func sendToJournal(_ entry: JournalEntry) -> Bool {
        guard let path = destination.socket else { return false }
        let datagram = entry.datagram(with: destination.fields)
        // Twice, for the socket may have been made anew since the last entry.
        for _ in 0..<2 {
            do throws(SystemError) {
                let connected = try connectedSocket(path)
                try connected.sendAll(datagram.span)
                socket = consume connected
                return true
            } catch {
                continue
            }
        }
        return false
    }

    private mutating func connectedSocket(_ path: String) throws(SystemError) -> FileDescriptor {
        if let socket = socket.take() { return socket }
        return try .datagramSocket(connectedTo: path)
    }

    private mutating func writeLine(_ entry: JournalEntry) -> Bool {
        // sd-daemon(3).
        let level = destination.socket == nil ? "" : "<\(entry.level.rawValue)>"
        let line = Array(((isInLine ? "\n" : "") + level + entry.line + "\n").utf8)
        var written = 0
        do throws(SystemError) {
            while written < line.count {
                switch try output.write(line.span.extracting(written...)) {
                case .moved(let count): written += count
                // Whoever shares a terminal or a pipe may have made it non-blocking.
                case .wouldBlock: try output.wait(for: .writable)
                case .ended: preconditionFailure("a write that ended")
                }
            }
            isInLine = false
            return true
        } catch {
            if written > 0 { isInLine = true }
            return false
        }
    }
}
