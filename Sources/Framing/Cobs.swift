/// Packets without zeros, each followed by a zero: Consistent Overhead Byte Stuffing (Cheshire and Baker, IEEE/ACM
/// Transactions on Networking 7(2), 1999).
///
/// A frame is one zero, if there is one before it, the packet, and the zero behind it. More zeros, between which nothing
/// stands, are skipped.
@usableFromInline struct CobsDecoder: FrameDecoder {
    private let limit: Int
    /// Bytes at the start of the unconsumed ones that were looked at, and in them: a zero, codes, and the zeros that those
    /// stand for.
    private var looked = 0
    private var header = 0
    private var codes = 0
    private var zeros = 0
    /// Where the next code stands, and whether a zero belongs before what it begins.
    private var nextCode = 0
    private var isZeroDue = false
    /// The damaged message that was found.
    private var damaged: Int?

    init(limit: Int) { self.limit = limit }

    @usableFromInline
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int {
        // Further on there is a packet.
        guard looked <= 1, codes == 0 else { return 0 }
        let ends = countEnds(0, in: bytes)
        guard ends > 1 else { return 0 }
        looked = 0
        return ends - 1
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        if looked == 0 {
            guard !bytes.isEmpty else { return nil }
            header = bytes[0] == 0 ? 1 : 0
            (looked, nextCode) = (header, header)
        }
        let end = firstIndex(of: 0, in: bytes, from: looked)
        looked = end ?? bytes.count
        while nextCode < looked {
            codes += 1
            zeros += isZeroDue ? 1 : 0
            isZeroDue = bytes[nextCode] < 0xFF
            nextCode += Int(bytes[nextCode])
        }
        guard looked - header - codes + zeros <= limit else { throw .tooLong(limit: limit) }
        guard let end else { return nil }
        defer { reset() }
        guard nextCode == end else {
            damaged = end + 1
            throw .malformed(.escape)
        }
        return Frame(length: end + 1, header: header, trailer: 1)
    }

    private mutating func reset() {
        (looked, header, codes, zeros, nextCode, isZeroDue) = (0, 0, 0, 0, 0, false)
    }

    @usableFromInline
    mutating func takeDamaged() -> Int? { damaged.take() }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let end = firstIndex(of: 0, in: bytes, from: looked)
        reset()
        return end.map { ($0 + 1, true) } ?? (bytes.count, false)
    }
}

enum Cobs {
    /// The most bytes of a group, its code among them.
    private static let longestGroup = 0xFF

    /// The most bytes that a packet has more than its payload.
    static func overhead(of limit: Int) -> Int { limit / (longestGroup - 1) + 1 }

    /// - Returns: How many bytes stand behind the payload.
    static func encode(_ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Int {
        var start = 0
        while true {
            let most = min(start + longestGroup - 1, payload.count)
            let end = firstIndex(of: 0, in: payload.extracting(..<most), from: start) ?? most
            output.append(UInt8(end - start + 1))
            output.append(payload.extracting(start..<end))
            // A group that is full implies no zero: only where more follows does another one begin.
            let isFull = end - start == longestGroup - 1
            guard end < payload.count else { break }
            start = isFull ? end : end + 1
        }
        output.append(0)
        return 1
    }

    static func decode(_ bytes: Span<UInt8>, into payload: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            let end = min(i + max(1, Int(bytes[i])), bytes.count)
            payload.append(bytes.extracting(i + 1..<end))
            if bytes[i] < UInt8(longestGroup), end < bytes.count { payload.append(0) }
            i = end
        }
    }
}
