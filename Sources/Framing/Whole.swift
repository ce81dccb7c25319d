extension Framing {
    /// Whether bytes can be sent between two messages without a change to either: there is nothing in them but whole messages
    /// and what may stand between two. Where the bytes do not divide the messages, any can.
    public func isWhole(_ bytes: [UInt8]) -> Bool {
        guard boundary == .bytes else { return true }
        // A size may be any, a decoder's limit not.
        if case .fixed(let size) = self { return bytes.count.isMultiple(of: size) }
        var decoder = Decoder(self, limit: bytes.count)
        var found = Extents()
        guard (try? decoder.decode(bytes.span, atMost: .max, into: &found)) != nil else { return false }
        return (found.skipped + [found.end..<bytes.count]).allSatisfy {
            unfinished(bytes.span.extracting($0)) == 0
        }
    }

    /// What bytes lack at their end to be whole, if that is just what ends a message.
    public func missingEnd(of bytes: [UInt8]) -> [UInt8]? {
        guard let end, !isWhole(bytes) else { return nil }
        // A part of it may be there.
        let present = (0..<end.count).last { bytes.suffix($0).elementsEqual(end.prefix($0)) } ?? 0
        let missing = Array(end.dropFirst(present))
        return isWhole(bytes + missing) ? missing : nil
    }

    /// What ends every message that is written, if anything does.
    private var end: [UInt8]? {
        switch self {
        case .line(.lf, _), .json: [0x0A]
        case .line(.crlf, _): [0x0D, 0x0A]
        case .delimiter(let end), .block(_, let end): end
        case .netstring: [UInt8(ascii: ",")]
        case .slip: [Slip.end]
        case .cobs: [0]
        case .length, .varint, .fixed, .octetCounted, .header, .beast, .untilClose, .idle, .unframed: nil
        }
    }
}

/// Where the messages end that are whole, and what was skipped before.
private struct Extents: FrameSink {
    var end = 0
    var skipped: [Range<Int>] = []

    mutating func append(_ frame: Frame) { end += Int(frame.length) }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        skipped.append(end..<end + count)
        end += count
    }
}
