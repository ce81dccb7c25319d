/// What ADS-B receivers of the Beast kind send: an escape, a type, 6 bytes of time, 1 of signal, and 2, 7 or 14 bytes,
/// with each escape among these doubled (https://wiki.jetvision.de/wiki/Mode-S_Beast:Data_Output_Formats).
///
/// What cannot be the beginning of such a message is skipped, messages of other types among it. The payload begins with
/// the type.
@usableFromInline struct BeastDecoder: FrameDecoder {
    private let limit: Int
    /// The damaged message that was found.
    private var damaged: Int?

    init(limit: Int) { self.limit = limit }

    @usableFromInline
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int {
        guard !bytes.isEmpty else { return 0 }
        guard bytes[0] == Beast.escape else { return beginning(in: bytes, from: 0) }
        guard bytes.count > 1 else { return 0 }
        if bytes[1] == Beast.escape { return 2 }
        return Beast.size(ofType: bytes[1]) == nil ? beginning(in: bytes, from: 1) : 0
    }

    private func beginning(in bytes: Span<UInt8>, from start: Int) -> Int {
        firstIndex(of: Beast.escape, in: bytes, from: start) ?? bytes.count
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        guard bytes.count > 1, let size = Beast.size(ofType: bytes[1]) else { return nil }
        guard size <= limit else { throw .tooLong(limit: limit) }
        switch Beast.extent(of: bytes, size: size) {
        case .unfinished: return nil
        case .whole(let length): return Frame(length: length, header: 1)
        case .damaged(let length):
            damaged = length
            throw .malformed(.escape)
        }
    }

    @usableFromInline
    mutating func takeDamaged() -> Int? { damaged.take() }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        guard bytes.count > 1, let size = Beast.size(ofType: bytes[1]) else { return (0, false) }
        switch Beast.extent(of: bytes, size: size) {
        case .unfinished: return (0, false)
        case .whole(let length), .damaged(let length): return (length, true)
        }
    }
}

enum Beast {
    static let escape: UInt8 = 0x1A
    /// The most bytes of a payload.
    static let longest = 22

    enum Extent {
        case unfinished
        case whole(Int)
        /// Another message begins after so many bytes.
        case damaged(Int)
    }

    /// The size of a payload, type and all: Mode A/C, short and long Mode S, and the receiver's own state.
    static func size(ofType type: UInt8) -> Int? {
        switch type {
        case UInt8(ascii: "1"): 10
        case UInt8(ascii: "2"): 15
        case UInt8(ascii: "3"), UInt8(ascii: "4"): 22
        default: nil
        }
    }

    /// How far the message at the start of `bytes` goes. It is short: to begin anew with each read costs little.
    static func extent(of bytes: Span<UInt8>, size: Int) -> Extent {
        var i = 1
        for _ in 0..<size {
            guard i < bytes.count else { return .unfinished }
            if bytes[i] == escape {
                guard i + 1 < bytes.count else { return .unfinished }
                guard bytes[i + 1] == escape else { return .damaged(i) }
                i += 1
            }
            i += 1
        }
        return .whole(i)
    }

    /// - Returns: How many bytes stand before the payload.
    static func encode(
        _ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> Int {
        guard !payload.isEmpty, let size = size(ofType: payload[0]), size == payload.count else {
            throw .notBeast
        }
        output.append(escape)
        for i in payload.indices {
            if payload[i] == escape { output.append(escape) }
            output.append(payload[i])
        }
        return 1
    }

    static func decode(_ bytes: Span<UInt8>, into payload: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            if bytes[i] == escape { i += 1 }
            if i < bytes.count { payload.append(bytes[i]) }
            i += 1
        }
    }
}
