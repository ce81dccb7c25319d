/// Header fields, one of which is `Content-Length`, an empty line, and as many bytes: the base protocol of the Language
/// Server Protocol (version 3.17), whose fields are those of HTTP (RFC 9110, section 5).
@usableFromInline struct HeaderDecoder: FrameDecoder {
    /// The most bytes of the fields with the empty line.
    static let longestHeader = 4096
    private static let end = Array("\r\n\r\n".utf8)
    private static let name = Array("content-length".utf8)
    private static let written = Array("Content-Length: ".utf8)

    private let limit: Int
    /// Bytes at the start of the unconsumed ones at which no end of the fields begins.
    private var looked = 0
    /// The size of the fields that were read, and the length they tell; 0 until they are there.
    private var header = 0
    private var length: UInt64 = 0

    init(limit: Int) { self.limit = limit }

    @usableFromInline
    mutating func next(in bytes: Span<UInt8>) throws(FramingError) -> Frame? {
        if header == 0 {
            let found = firstIndex(of: Self.end, in: bytes, from: looked)
            looked = found ?? max(looked, bytes.count - Self.end.count + 1)
            guard looked + Self.end.count <= Self.longestHeader else {
                throw .malformed(.headerTooLong(Self.longestHeader))
            }
            guard let found else { return nil }
            // With the line's end of the last field.
            length = try Self.contentLength(bytes.extracting(first: found + 2))
            header = found + Self.end.count
        }
        guard length <= UInt64(limit) else { throw .tooLong(limit: limit) }
        let end = header + Int(length)
        guard bytes.count >= end else { return nil }
        defer { reset() }
        return Frame(length: end, header: header)
    }

    @usableFromInline
    func beginPassingOver(_ bytes: Span<UInt8>) throws(FramingError) -> UInt64? {
        // Nobody sends so much: the stream has been misread.
        guard length <= UInt64(Int64.max) else { throw .impossibleLength(length) }
        return UInt64(header) + length
    }

    @usableFromInline
    mutating func passOver(_ bytes: Span<UInt8>, left: UInt64?) -> (count: Int, isOver: Bool) {
        reset()
        return passOver(bytes, counted: left)
    }

    private mutating func reset() {
        (looked, header) = (0, 0)
    }

    /// - Returns: How many bytes that took.
    static func appendHeader(counting count: Int, to output: inout OutputSpan<UInt8>) -> Int {
        output.append(written.span)
        let digits = output.appendDecimal(count)
        output.append(end.span)
        return written.count + digits + end.count
    }

    /// What the one field of that name says, in whatever case.
    private static func contentLength(_ fields: Span<UInt8>) throws(FramingError) -> UInt64 {
        var length: UInt64?
        var start = 0
        while let end = firstIndex(of: 0x0A, in: fields, from: start) {
            let field = fields.extracting(start..<end)
            start = end + 1
            guard let colon = firstIndex(of: UInt8(ascii: ":"), in: field, from: 0), colon > 0,
                field[field.count - 1] == 0x0D
            else { throw .malformed(.noHeaderField) }
            guard isName(field.extracting(first: colon)) else { continue }
            guard length == nil, let value = decimal(field.extracting(colon + 1..<field.count - 1)) else {
                throw .malformed(.noContentLength)
            }
            length = value
        }
        guard let length else { throw .malformed(.noContentLength) }
        return length
    }

    private static func isName(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count == name.count else { return false }
        for i in bytes.indices where bytes[i] | 0x20 != name[i] { return false }
        return bytes[name.count - 7] == UInt8(ascii: "-")
    }

    /// A number between white space.
    private static func decimal(_ bytes: Span<UInt8>) -> UInt64? {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        guard 1...19 ~= end - start else { return nil }
        var value: UInt64 = 0
        for i in start..<end {
            guard 0x30...0x39 ~= bytes[i] else { return nil }
            value = value * 10 + UInt64(bytes[i] - 0x30)
        }
        return value
    }
}
