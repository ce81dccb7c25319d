import Linux

/// A file that messages are appended to: each payload, and a line feed.
final class RecordFile {
    private let path: String
    private let file: FileDescriptor
    private var waiting: [UInt8] = []

    init(path: String) throws(StartError) {
        self.path = path
        do {
            file = try .appending(to: path)
        } catch {
            throw StartError(description: "cannot append to \(path): \(error)")
        }
    }

    func append(_ payload: ArraySlice<UInt8>) {
        waiting += payload
        waiting.append(0x0A)
    }

    /// Writes what was appended.
    ///
    /// A record with a gap would be a wrong one: a failure ends the program.
    func flush() {
        guard !waiting.isEmpty else { return }
        do {
            try file.writeAll(waiting.span)
        } catch {
            fail("cannot append to \(path): \(error)")
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
