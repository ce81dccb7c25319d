import Framing

/// Messages that begin with their number in decimal, padded with printable characters to one size.
///
/// One frame is made in advance; each message is a copy of it with its number put in. In a framing with escapes it is a payload
/// instead, of which frames are made one by one.
struct CounterFrames: Sendable {
    private let template: [UInt8]
    private let payload: Range<Int>
    private let framing: Framing

    /// - Throws: If the framing cannot carry such a payload.
    init(size: Int, framing: Framing) throws(UnrepresentableError) {
        // Bytes that a delimiter consists of could come together in a number.
        switch framing {
        case .delimiter(let end), .block(_, let end):
            if end.allSatisfy(Self.isUsed) { throw .holdsDelimiter }
        default: break
        }
        var payload: [UInt8] = []
        payload.reserveCapacity(size)
        while payload.count < size {
            payload.append(Self.filler[payload.count % Self.filler.count])
        }
        var frame: [UInt8] = []
        let place = try framing.encode(payload, into: &frame).payload
        self.framing = framing
        self.payload = framing.hasEscapes ? 0..<size : place
        template = framing.hasEscapes ? payload : frame
    }

    private static let filler = Array(" abcdefghijklmnopqrstuvwxyz".utf8)

    private static func isUsed(_ byte: UInt8) -> Bool {
        filler.contains(byte) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// Appends the frames of the messages from `first` on, as `MessageSource.append` does.
    ///
    /// What follows the number is never a digit. Of a number longer than the payload the last digits remain.
    func append(
        _ first: UInt64, atMost limit: Int, upTo size: Int, to output: inout MessageBuffer
    ) throws(UnrepresentableError) -> Int {
        var frame = template
        var lastDigit = write(first, into: &frame)
        var count = 0
        while count < limit, output.bytes.count < size {
            if framing.hasEscapes {
                try output.append(frame, framing: framing, isOwn: true)
            } else {
                let start = output.bytes.count
                output.bytes.append(contentsOf: frame)
                output.appendMessage(
                    payload: start + payload.lowerBound..<start + payload.upperBound, isOwn: true,
                    framing: framing)
            }
            count += 1
            if !increment(&frame, lastDigit) { lastDigit = write(first &+ UInt64(count), into: &frame) }
        }
        return count
    }

    /// Puts a number at the start of the frame's payload, and returns where its last digit stands.
    private func write(_ number: UInt64, into frame: inout [UInt8]) -> Int {
        let digits = Array(String(number).utf8).suffix(payload.count)
        frame.replaceSubrange(payload.lowerBound..<payload.lowerBound + digits.count, with: digits)
        return payload.lowerBound + digits.count - 1
    }

    /// Adds one to the digits in the frame: ten times faster than to write the number anew.
    ///
    /// - Returns: Whether the number has as many digits as before.
    private func increment(_ frame: inout [UInt8], _ lastDigit: Int) -> Bool {
        var i = lastDigit
        while i >= payload.lowerBound {
            if frame[i] != UInt8(ascii: "9") {
                frame[i] += 1
                return true
            }
            frame[i] = UInt8(ascii: "0")
            i -= 1
        }
        return false
    }
}
