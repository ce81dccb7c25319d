import Glibc
import Linux

/// The messages that files hold, one in a line, as frames for a bridge.
final class MessageInput {
    private let format: MessageFormat
    private let encoder: MessageEncoder
    /// Not opened yet; `-` is standard input.
    private var files: ArraySlice<String>
    private var file: FileDescriptor?
    private var name = ""
    private var reader: LineReader
    /// Messages that are still wanted.
    private var remaining: Int
    /// Lines that have become frames.
    private var sent = 0
    /// A person types it, and can type again what was no message.
    private let isTyped: Bool
    /// Nothing more will be read.
    private(set) var hasEnded = false
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)

    /// - Parameters:
    ///   - files: Their paths; `-` is standard input.
    ///   - format: What a line tells of a message.
    ///   - encoder: Makes frames of messages.
    ///   - count: After so many messages nothing more is read.
    ///   - isTyped: A line that is no message is told on standard error, and is no fault.
    init(
        _ files: [String], _ format: MessageFormat, by encoder: MessageEncoder, count: Int = .max,
        isTyped: Bool = false
    ) {
        self.isTyped = isTyped
        self.files = files[...]
        self.format = format
        self.encoder = encoder
        reader = LineReader(limit: format.longestLine(for: encoder.limit))
        remaining = count
    }

    /// What to wait for before `read`: nothing, if that reads what it has or opens the next file.
    var request: Poll.Request? {
        switch file {
        case .some(let file): Poll.Request(file.raw, .readable)
        case nil: nil
        }
    }

    /// Reads once, which blocks until something is there.
    ///
    /// - Returns: Whole frames, those of messages before the fault as well.
    func read() -> (frames: [UInt8], fault: Failure?) {
        var frames: [UInt8] = []
        do throws(Failure) {
            try readChunk()
            while remaining > 0, try takeLine(isLast: false, to: &frames) {}
            if file == nil, remaining > 0 { _ = try takeLine(isLast: true, to: &frames) }
        } catch {
            hasEnded = true
            return (frames, error)
        }
        if remaining == 0 || file == nil && files.isEmpty { hasEnded = true }
        return (frames, nil)
    }

    private func readChunk() throws(Failure) {
        do throws(SystemError) {
            if file == nil {
                guard let next = files.popFirst() else { return }
                name = next
                reader = LineReader(limit: format.longestLine(for: encoder.limit))
                file = next == "-" ? FileDescriptor(owning: dup(STDIN_FILENO)) : try .reading(next)
                return
            }
            var free = chunk.mutableSpan
            switch try file?.read(into: &free) {
            case .moved(let count): reader.append(chunk[..<count])
            case .ended, nil: file = nil
            case .wouldBlock: break
            }
        } catch {
            throw Failure("cannot read \(shownName): \(describe(errno: error.code))")
        }
    }

    /// - Returns: Whether there was a line.
    private func takeLine(isLast: Bool, to frames: inout [UInt8]) throws(Failure) -> Bool {
        do throws(MalformedLine) {
            guard let line = try line(isLast: isLast) else { return false }
            try encoder.append(try format.payload(line), to: &frames)
            remaining -= 1
            sent += 1
        } catch {
            guard isTyped else { throw failure(error.reason) }
            Program.report("cannot send that line: \(error.reason)")
        }
        return true
    }

    private func line(isLast: Bool) throws(MalformedLine) -> [UInt8]? {
        do throws(LineReader.TooLong) {
            return isLast ? try reader.last() : try reader.next()
        } catch {
            throw MalformedLine("it is longer than any message of max-message (\(encoder.limit)) bytes")
        }
    }

    private func failure(_ reason: String) -> Failure {
        let before =
            switch sent {
            case 0: "nothing was sent"
            case 1: "the line before it was sent"
            default: "the \(sent) lines before it were sent"
            }
        return Failure("cannot send line \(reader.number) of \(shownName): \(reason); \(before)")
    }

    private var shownName: String { name == "-" ? "standard input" : printable(name) }
}
