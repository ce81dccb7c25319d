/// JSON values one after the other (RFC 8259), with white space between them or without.
///
/// A value is divided from the next by its brackets and quotes alone: whether it is right within is for its reader to say.
/// But where a bracket closes one of the other kind, what ends the value is not known, and the stream has most likely been
/// misread. The white space before a value is the frame's header, and what exceeds that is skipped; the one byte of white
/// space that ends a number or a word is its trailer.
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
    /// What ends a value that was too long, if it has been looked at.
    private var found: Value.Place?

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
        let place = value.place(in: bytes, from: looked)
        switch place {
        case .beyond: looked = bytes.count
        case .end(let i), .otherBracket(let i): looked = i
        }
        guard looked - header <= limit else {
            found = place
            throw .tooLong(limit: limit)
        }
        switch place {
        case .beyond: return nil
        case .otherBracket: throw .malformed(.otherBracket)
        case .end(let end):
            hasBegun = false
            let trailer = whiteAfter(end, in: bytes)
            return Frame(length: end + trailer, header: header, trailer: trailer)
        }
    }

    /// What ends a number or a word.
    private func whiteAfter(_ end: Int, in bytes: Span<UInt8>) -> Int {
        value.isScalar && Self.isWhite(bytes[end]) ? 1 : 0
    }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) throws(FramingError) -> (
        count: Int, isOver: Bool
    ) {
        let place = found.take() ?? value.place(in: bytes, from: looked)
        looked = 0
        switch place {
        case .beyond: return (bytes.count, false)
        case .otherBracket(0): throw .malformed(.otherBracket)
        case .otherBracket(let i): return (i, false)
        case .end(let end):
            hasBegun = false
            return (end + whiteAfter(end, in: bytes), true)
        }
    }

    static func isWhite(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// How far a value has come.
    private struct Value {
        /// A number or a word, which only what follows it ends.
        var isScalar = false
        private var depth = 0
        /// A bit for each open bracket that is a brace, of the outermost `checkedDepth`: what is nested deeper is counted
        /// only, for what has no end must have no memory either.
        private var braces: UInt64 = 0
        private static let checkedDepth = 64
        private var isInString = false
        private var isEscaped = false

        init() {}

        init?(beginningWith byte: UInt8) {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                isScalar = true
            default: return nil
            }
        }

        enum Place {
            case beyond
            /// One past the value.
            case end(Int)
            /// There is a bracket that closes one of the other kind.
            case otherBracket(Int)
        }

        /// Where the value ends, looked for from `start` on.
        mutating func place(in bytes: Span<UInt8>, from start: Int) -> Place {
            var i = start
            if isScalar {
                while i < bytes.count, Self.isOfScalar(bytes[i]) { i += 1 }
                return i < bytes.count ? .end(i) : .beyond
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
                    guard i < bytes.count else { return .beyond }
                    if bytes[i] == UInt8(ascii: "\\") {
                        isEscaped = i + 1 == bytes.count
                        i += 2
                        continue
                    }
                    isInString = false
                } else {
                    while i < bytes.count, !Self.isMark(bytes[i]) { i += 1 }
                    guard i < bytes.count else { return .beyond }
                    switch bytes[i] {
                    case UInt8(ascii: "\""): isInString = true
                    case UInt8(ascii: "{"), UInt8(ascii: "["): open(bytes[i])
                    default: guard close(bytes[i]) else { return .otherBracket(i) }
                    }
                }
                i += 1
                if depth == 0, !isInString { return .end(i) }
            }
            return .beyond
        }

        @inline(__always)
        private mutating func open(_ bracket: UInt8) {
            if depth < Self.checkedDepth, bracket == UInt8(ascii: "{") { braces |= 1 << UInt64(depth) }
            depth += 1
        }

        /// - Returns: Whether what it closes is of its kind.
        @inline(__always)
        private mutating func close(_ bracket: UInt8) -> Bool {
            let outer = depth - 1
            if outer < Self.checkedDepth {
                let isBrace = braces >> UInt64(outer) & 1 == 1
                guard isBrace == (bracket == UInt8(ascii: "}")) else { return false }
                braces &= ~(1 << UInt64(outer))
            }
            depth = outer
            return true
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
