import Framing
import Linux

/// The lines of a file as messages, over and over: message 0 is the first line.
struct FileFrames: Sendable {
    private let bytes: [UInt8]
    private let frames: [(start: Int, frame: Frame)]
    private let framing: Framing

    init(path: String, framing: Framing) throws(StartError) {
        let contents: [UInt8]
        do {
            contents = try FileDescriptor.reading(path).readToEnd()
        } catch {
            throw StartError(description: "cannot read \(path): \(error)")
        }
        var bytes: [UInt8] = []
        var frames: [(start: Int, frame: Frame)] = []
        let lines = contents.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (i, line) in lines.enumerated() {
            // What follows the last line feed is a line only if there is something.
            if i == lines.count - 1 && line.isEmpty { continue }
            do {
                let start = bytes.count
                let frame = try framing.encode(
                    Array(line.last == 0x0D ? line.dropLast() : line), into: &bytes)
                frames.append((start, frame))
            } catch {
                throw StartError(description: "line \(i + 1) of \(path) cannot be a message: \(error)")
            }
        }
        guard !frames.isEmpty else { throw StartError(description: "\(path) is empty") }
        self.bytes = bytes
        self.frames = frames
        self.framing = framing
    }

    /// Appends the frame of message `number`.
    func append(_ number: UInt64, to output: inout MessageBuffer) {
        let (start, frame) = frames[Int(number % UInt64(frames.count))]
        let (payload, end) = (frame.payload, output.bytes.count)
        output.bytes.append(contentsOf: bytes[start..<start + Int(frame.length)])
        output.appendMessage(
            payload: end + payload.lowerBound..<end + payload.upperBound, isOwn: true, framing: framing)
    }
}
