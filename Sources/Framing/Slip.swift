/// Packets between ends, with escapes for the ends in them (RFC 1055; KISS has the same).
///
/// A frame is one end, if there is one before it, the packet, and the end behind it. More ends, between which nothing
/// stands, are skipped.
@usableFromInline struct SlipDecoder: FrameDecoder {
    private let limit: Int
    /// Bytes at the start of the unconsumed ones that were looked at, and in them: an end, and escapes.
    private var looked = 0
    private var header = 0
    private var escapes = 0
    /// An escape stands before what it cannot.
    private var isDamaged = false
    /// The damaged message that was found.
    private var damaged: Int?

    init(limit: Int) { self.limit = limit }

    @usableFromInline
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int {
        // Further on there is a packet.
        guard looked <= 1 else { return 0 }
        let ends = countEnds(Slip.end, in: bytes)
        guard ends > 1 else { return 0 }
        looked = 0
        return ends - 1
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        if looked == 0 {
            guard !bytes.isEmpty else { return nil }
            header = bytes[0] == Slip.end ? 1 : 0
            looked = header
        }
        let end = firstIndex(of: Slip.end, in: bytes, from: looked)
        countEscapes(in: bytes.extracting(first: end ?? bytes.count), isWhole: end != nil)
        guard looked - header - escapes <= limit else { throw .tooLong(limit: limit) }
        guard let end else { return nil }
        defer { reset() }
        if isDamaged {
            damaged = end + 1
            throw .malformed(.escape)
        }
        return Frame(length: end + 1, header: header, trailer: 1)
    }

    /// Looks at the rest of `bytes`, but not at an escape at their end when more is to come.
    private mutating func countEscapes(in bytes: Span<UInt8>, isWhole: Bool) {
        while let escape = firstIndex(of: Slip.escape, in: bytes, from: looked) {
            guard isWhole || escape + 1 < bytes.count else {
                looked = escape
                return
            }
            escapes += 1
            // It counts as one byte with the next, whatever that is: so a message of nothing but escapes is too long in time.
            looked = min(escape + 2, bytes.count)
            if looked == escape + 1 || Slip.escaped(bytes[looked - 1]) == nil { isDamaged = true }
        }
        looked = bytes.count
    }

    private mutating func reset() {
        (looked, header, escapes, isDamaged) = (0, 0, 0, false)
    }

    @usableFromInline
    mutating func takeDamaged() -> Int? { damaged.take() }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let end = firstIndex(of: Slip.end, in: bytes, from: looked)
        reset()
        return end.map { ($0 + 1, true) } ?? (bytes.count, false)
    }
}

/// How many of the first of `bytes` are `end`.
func countEnds(_ end: UInt8, in bytes: Span<UInt8>) -> Int {
    var count = 0
    while count < bytes.count, bytes[count] == end { count += 1 }
    return count
}

enum Slip {
    static let end: UInt8 = 0xC0
    static let escape: UInt8 = 0xDB
    private static let escapedEnd: UInt8 = 0xDC
    private static let escapedEscape: UInt8 = 0xDD

    /// What a byte behind an escape stands for.
    static func escaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case escapedEnd: end
        case escapedEscape: escape
        default: nil
        }
    }

    static func encode(
        _ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> (header: Int, trailer: Int) {
        guard !payload.isEmpty else { throw .empty }
        output.append(end)
        for i in payload.indices {
            let byte = payload[i]
            guard byte == end || byte == escape else {
                output.append(byte)
                continue
            }
            output.append(escape)
            output.append(byte == end ? escapedEnd : escapedEscape)
        }
        output.append(end)
        return (1, 1)
    }

    static func decode(_ bytes: Span<UInt8>, into payload: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            let isEscaped = bytes[i] == escape && i + 1 < bytes.count
            if isEscaped { i += 1 }
            payload.append(isEscaped ? escaped(bytes[i]) ?? bytes[i] : bytes[i])
            i += 1
        }
    }
}
