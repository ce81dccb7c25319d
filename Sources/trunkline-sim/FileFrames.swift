import Framing
import Linux

/// The lines of a file as messages, over and over: message 0 is the first line.
struct FileFrames: Sendable {
    private let frames: [UInt8]
    private let ends: [Int]
    private let header: Int
    private let trailer: Int

    init(path: String, framing: Framing) throws(StartError) {
        let contents: [UInt8]
        do {
            contents = try FileDescriptor.reading(path).readToEnd()
        } catch {
            throw StartError(description: "cannot read \(path): \(error)")
        }
        var frames: [UInt8] = []
        var ends: [Int] = []
        let lines = contents.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (i, line) in lines.enumerated() {
            // What follows the last line feed is a line only if there is something.
            if i == lines.count - 1 && line.isEmpty { continue }
            do {
                try framing.encode(Array(line.last == 0x0D ? line.dropLast() : line), into: &frames)
            } catch {
                throw StartError(description: "line \(i + 1) of \(path) cannot be a message: \(error)")
            }
            ends.append(frames.count)
        }
        guard !ends.isEmpty else { throw StartError(description: "\(path) is empty") }
        self.frames = frames
        self.ends = ends
        header = framing.headerLength
        trailer = framing.trailerLength
    }

    /// Appends the frame of message `number`.
    func append(_ number: UInt64, to output: inout MessageBuffer) {
        let index = Int(number % UInt64(ends.count))
        let start = output.bytes.count
        output.bytes.append(contentsOf: frames[(index > 0 ? ends[index - 1] : 0)..<ends[index]])
        output.appendMessage(payload: start + header..<output.bytes.count - trailer, isOwn: true)
    }
}
