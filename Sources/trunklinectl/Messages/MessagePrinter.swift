import Framing

/// Turns the messages of a stream into lines.
struct MessagePrinter {
    let format: MessageFormat
    /// Whether each line begins with the time.
    let hasTimestamps: Bool
    /// Whether a person's terminal shows the text, which must not be controlled by it.
    let isForTerminal: Bool
    private let framing: Framing
    private var decoder: Decoder
    /// What has arrived and is not decided yet.
    private var bytes: [UInt8] = []
    /// Messages that are still wanted.
    private(set) var remaining: Int

    /// - Parameters:
    ///   - format: What a line tells of a message.
    ///   - framing: How the stream is divided.
    ///   - limit: The most bytes of a message.
    ///   - count: After so many messages nothing more is printed.
    ///   - hasTimestamps: Whether each line begins with the time, which in JSON it tells anyway.
    ///   - isForTerminal: Whether a person's terminal shows it.
    init(
        _ format: MessageFormat, framing: Framing, limit: Int, count: Int = .max, hasTimestamps: Bool,
        isForTerminal: Bool
    ) {
        self.format = format
        self.hasTimestamps = hasTimestamps && format != .json
        self.isForTerminal = isForTerminal
        self.framing = framing
        decoder = Decoder(framing, limit: limit)
        remaining = count
    }

    /// - Parameters:
    ///   - more: What has arrived.
    ///   - time: When, in microseconds since 1970.
    /// - Returns: The lines of the messages that are whole now.
    /// - Throws: That the stream cannot be divided into messages any more.
    mutating func lines(_ more: some Collection<UInt8>, time: Int) throws(FramingError) -> [UInt8] {
        guard remaining > 0 else { return [] }
        bytes += more
        let prefix = hasTimestamps ? Array("\(WallClock(now: time, isLocal: true).exact(time)) ".utf8) : []
        var lines = Lines(
            format: format, framing: framing, isForTerminal: isForTerminal, bytes: bytes, time: time,
            prefix: prefix)
        let held = bytes
        remaining -= try decoder.decode(held.span, atMost: remaining, into: &lines)
        // A long message that is not whole yet is not copied for each piece of it.
        if lines.end > 0 { bytes.removeFirst(lines.end) }
        return lines.text
    }

    private struct Lines: FrameSink {
        let format: MessageFormat
        let framing: Framing
        let isForTerminal: Bool
        let bytes: [UInt8]
        let time: Int
        let prefix: [UInt8]
        private(set) var text: [UInt8] = []
        private(set) var end = 0

        mutating func append(_ frame: Frame) {
            text += prefix
            if framing.hasEscapes {
                var payload: [UInt8] = []
                framing.appendPayload(
                    of: frame, in: bytes.span.extracting(end..<end + Int(frame.length)), to: &payload)
                text += line(payload[...])
            } else {
                let payload = frame.payload
                text += line(bytes[end + payload.lowerBound..<end + payload.upperBound])
            }
            text.append(0x0A)
            end += Int(frame.length)
        }

        private func line(_ payload: ArraySlice<UInt8>) -> [UInt8] {
            guard format == .text, isForTerminal else { return format.line(payload, time: time) }
            return Array(DisplayText.message(payload).utf8)
        }

        mutating func skip(_ count: Int, _ reason: SkipReason) { end += count }
    }
}
