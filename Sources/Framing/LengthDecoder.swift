struct LengthDecoder: FrameDecoder {
    private let width: Int
    private let isBigEndian: Bool
    private let limit: Int

    init(_ field: LengthField, limit: Int) {
        width = field.width.rawValue
        isBigEndian = field.order == .big
        self.limit = limit
    }

    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard bytes.count >= width else { return nil }
        let length = value(in: bytes)
        guard length <= UInt64(limit) else { throw .tooLong(limit: limit) }
        let end = width + Int(length)
        guard bytes.count >= end else { return nil }
        return Frame(length: end, header: width)
    }

    @inline(__always)
    private func value(in bytes: Span<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        for i in 0..<width {
            value = value << 8 | UInt64(bytes[isBigEndian ? i : width - 1 - i])
        }
        return value
    }
}
