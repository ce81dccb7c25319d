extension Framing {
    /// The sizes that the payloads of messages can have, as far as the framing alone tells; `nil` if there can be no message.
    public var payloadSizes: ClosedRange<Int>? {
        switch self {
        case .line, .delimiter, .netstring, .header, .block, .cobs: 0...Int.max
        case .octetCounted, .slip, .json, .untilClose, .idle, .unframed: 1...Int.max
        case .length(let field):
            LengthField.payloadSizes(
                field.end, counting: Int.most(bits: 8 * field.width.rawValue), field.adjust, field.strip)
        case .varint(let field):
            if let strip = field.strip ?? (field.offset == 0 ? nil : 0) {
                LengthField.payloadSizes(
                    field.offset + 1, counting: Int.most(bits: 7 * field.bytes) + field.bytes - 1, 0, strip)
            } else {
                0...Int.most(bits: 7 * field.bytes)
            }
        case .fixed(let size): size...size
        case .beast: 10...Beast.longest
        }
    }
}

extension LengthField {
    /// - Parameters:
    ///   - end: One past the field.
    ///   - most: The most that it can count.
    ///   - adjust: What is added to that.
    ///   - strip: What is no payload of the frame, all of which must be there.
    /// - Returns: `nil` if no frame is so long.
    fileprivate static func payloadSizes(
        _ end: Int, counting most: Int, _ adjust: Int, _ strip: Int
    ) -> ClosedRange<Int>? {
        let (shortest, longest) = (max(end, end + adjust, strip), end + adjust + most)
        return shortest <= longest ? shortest - strip...longest - strip : nil
    }
}

extension Int {
    /// The greatest number of so many bits; for many more than any message has bytes, one that can still be added to.
    fileprivate static func most(bits: Int) -> Int { bits < 62 ? 1 << bits - 1 : 1 << 62 }
}
