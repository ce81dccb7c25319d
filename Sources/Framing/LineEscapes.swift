/// Lines with escapes, each of which counts as the one byte that it stands for.
@usableFromInline struct EscapedLineDecoder: FrameDecoder {
    private let limit: Int
    private var line: LineDecoder

    init(limit: Int) {
        self.limit = limit
        line = LineDecoder(limit: 2 * limit)
    }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        let frame: Frame?
        do throws(FramingError) {
            frame = try line.next(in: bytes)
        } catch {
            throw .tooLong(limit: limit)
        }
        guard let frame, frame.payload.count > limit else { return frame }
        let spelt = bytes.extracting(frame.payload)
        guard spelt.count - LineEscapes.count(in: spelt) <= limit else { throw .tooLong(limit: limit) }
        return frame
    }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        line.passOver(bytes, left: left)
    }
}

/// What stands in a line for bytes that no line can hold, or that would be taken for part of its end.
enum LineEscapes {
    private static let escape = UInt8(ascii: "\\")

    static func encode(_ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        for i in payload.indices {
            let byte = payload[i]
            let letter: UInt8? =
                switch byte {
                case 0x0A: UInt8(ascii: "n")
                case 0x0D: UInt8(ascii: "r")
                case escape: escape
                default: nil
                }
            if letter != nil { output.append(escape) }
            output.append(letter ?? byte)
        }
    }

    /// What is no such escape is what it is.
    static func decode(_ bytes: Span<UInt8>, into payload: inout [UInt8]) {
        var i = 0
        while i < bytes.count {
            let byte = escaped(in: bytes, at: i)
            payload.append(byte ?? bytes[i])
            i += byte == nil ? 1 : 2
        }
    }

    /// How many escapes there are.
    static func count(in bytes: Span<UInt8>) -> Int {
        var count = 0
        var i = 0
        while let found = firstIndex(of: escape, in: bytes, from: i) {
            let isEscape = escaped(in: bytes, at: found) != nil
            count += isEscape ? 1 : 0
            i = found + (isEscape ? 2 : 1)
        }
        return count
    }

    /// What the escape at `i` stands for, if there is one.
    private static func escaped(in bytes: Span<UInt8>, at i: Int) -> UInt8? {
        i + 1 < bytes.count && bytes[i] == escape ? meaning(ofEscaped: bytes[i + 1]) : nil
    }

    private static func meaning(ofEscaped letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case escape: escape
        default: nil
        }
    }
}
