/// JSON values one after the other (RFC 8259), with white space between them or without.
///
/// A value is divided from the next by its brackets and quotes alone: whether it is right within is for its reader to say. The
/// white space before a value is the frame's header, and what exceeds that is skipped; the one byte of white space that
/// ends a number or a word is its trailer.
@usableFromInline struct JSONDecoder: FrameDecoder {
    /// The most white space of a header.
    static let longestHeader = 16

    private let limit: Int
    private var value = Value()
    /// Whether a value has begun, and where; after bytes of it were passed over, at 0.
    private var hasBegun = false
    private var header = 0
    /// Bytes at the start of the unconsumed ones that were looked at.
    private var looked = 0
    /// One past a whole frame that was too long.
    private var end: Int?

    init(limit: Int) { self.limit = limit }

    @usableFromInline
    mutating func passBetween(_ bytes: Span<UInt8>) -> Int {
        guard !hasBegun else { return 0 }
        var white = 0
        while white < bytes.count, Self.isWhite(bytes[white]) { white += 1 }
        return max(0, white - Self.longestHeader)
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        if !hasBegun {
            header = 0
            while header < bytes.count, Self.isWhite(bytes[header]) { header += 1 }
            guard header < bytes.count else { return nil }
            guard let begun = Value(beginningWith: bytes[header]) else { throw .malformed(.noJSON) }
            (value, hasBegun, looked) = (begun, true, header + 1)
        }
        let end = value.end(in: bytes, from: looked)
        looked = end ?? bytes.count
        let trailer = end.map { whiteAfter($0, in: bytes) } ?? 0
        guard looked - header <= limit else {
            self.end = end.map { $0 + trailer }
            throw .tooLong(limit: limit)
        }
        guard let end else { return nil }
        hasBegun = false
        return Frame(length: end + trailer, header: header, trailer: trailer)
    }

    /// What ends a number or a word.
    private func whiteAfter(_ end: Int, in bytes: Span<UInt8>) -> Int {
        value.isScalar && Self.isWhite(bytes[end]) ? 1 : 0
    }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        let end = end.take() ?? value.end(in: bytes, from: looked).map { $0 + whiteAfter($0, in: bytes) }
        hasBegun = end == nil
        looked = 0
        return end.map { ($0, true) } ?? (bytes.count, false)
    }

    private static func isWhite(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// How far a value has come.
    private struct Value {
        /// A number or a word, which only what follows it ends.
        var isScalar = false
        private var depth = 0
        private var isInString = false
        private var isEscaped = false

        init() {}

        init?(beginningWith byte: UInt8) {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                isScalar = true
            default: return nil
            }
        }

        /// One past the value; `nil` until that is there.
        mutating func end(in bytes: Span<UInt8>, from start: Int) -> Int? {
            var i = start
            if isScalar {
                while i < bytes.count, Self.isOfScalar(bytes[i]) { i += 1 }
                return i < bytes.count ? i : nil
            }
            if isEscaped, i < bytes.count {
                isEscaped = false
                i += 1
            }
            while i < bytes.count {
                if isInString {
                    // Strings are most of what there is.
                    while i < bytes.count, bytes[i] != UInt8(ascii: "\""), bytes[i] != UInt8(ascii: "\\") {
                        i += 1
                    }
                    guard i < bytes.count else { return nil }
                    if bytes[i] == UInt8(ascii: "\\") {
                        isEscaped = i + 1 == bytes.count
                        i += 2
                        continue
                    }
                    isInString = false
                } else {
                    while i < bytes.count, !Self.isMark(bytes[i]) { i += 1 }
                    guard i < bytes.count else { return nil }
                    switch bytes[i] {
                    case UInt8(ascii: "\""): isInString = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                    default: depth -= 1
                    }
                }
                i += 1
                if depth == 0, !isInString { return i }
            }
            return nil
        }

        private static func isMark(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"),
                UInt8(ascii: "]"):
                true
            default: false
            }
        }

        private static func isOfScalar(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    /// - Returns: How many bytes stand behind the payload.
    static func encode(
        _ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> Int {
        let start = output.count
        output.append(payload)
        output.append(0x0A)
        var decoder = JSONDecoder(limit: payload.count)
        let found = try? decoder.next(in: output.span.extracting(start...))
        guard let found, found.payload == 0..<payload.count else {
            output.removeLast(payload.count + 1)
            throw .notJSON
        }
        return 1
    }
}
