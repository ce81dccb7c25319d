/// A payload that a framing cannot carry without being changed.
public enum UnrepresentableError: Error, Equatable, Sendable {
    /// The payload holds the bytes that end a message.
    case holdsDelimiter
    /// The payload ends in CR, which a reader of lines would take for part of the line's end.
    case endsInCarriageReturn
    /// A message has exactly `size` bytes.
    case notOfSize(Int)
    /// The length field cannot count more than `limit` bytes.
    case tooLong(limit: UInt64)
    /// The length field counts more than the payload has.
    case tooShort
    /// The payload is to begin with a header whose length field counts the rest, and does not.
    case wrongLength
    /// What a reader takes away before the payload is not known.
    case unknownHeader
    /// A message has at least one byte.
    case empty
    /// A Beast message has a type, and the size of that type.
    case notBeast
    /// A message is one JSON value, with no white space around it.
    case notJSON
}

extension UnrepresentableError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .holdsDelimiter: "it holds the bytes that end a message"
        case .endsInCarriageReturn:
            "it ends in a carriage return, which would be taken for part of the line's end"
        case .notOfSize(let size): "every message has exactly \(size) bytes"
        case .tooLong(let limit): "the length field cannot count more than \(limit) bytes"
        case .tooShort: "the length field counts more bytes than it has"
        case .wrongLength: "its own length field does not say how long it is"
        case .unknownHeader: "the framing strips a header that cannot be put back"
        case .empty: "every message has at least one byte"
        case .notBeast: "it is no Beast message: a type from 1 to 4, and as many bytes as that type has"
        case .notJSON: "it is not one JSON value without white space around it"
        }
    }
}

extension Framing {
    /// Appends one frame that carries `payload` to `output`.
    ///
    /// The inverse of decoding: a decoder of this framing finds exactly this payload again.
    ///
    /// - Returns: The frame that was appended.
    /// - Throws: `UnrepresentableError`; nothing was appended then.
    @discardableResult
    public func encode(_ payload: [UInt8], into output: inout [UInt8]) throws(UnrepresentableError) -> Frame {
        try encode(payload.span, into: &output)
    }

    /// Appends one frame that carries `payload` to `output`.
    ///
    /// The inverse of decoding: a decoder of this framing finds exactly this payload again.
    ///
    /// - Returns: The frame that was appended.
    /// - Throws: `UnrepresentableError`; nothing was appended then.
    @discardableResult
    public func encode(
        _ payload: Span<UInt8>, into output: inout [UInt8]
    ) throws(UnrepresentableError) -> Frame {
        switch self {
        case .line(let ending):
            guard firstIndex(of: 0x0A, in: payload, from: 0) == nil else { throw .holdsDelimiter }
            guard ending == .crlf || payload.isEmpty || payload[payload.count - 1] != 0x0D else {
                throw .endsInCarriageReturn
            }
            return output.appendFrame(payload, trailer: ending.bytes)
        case .delimiter(let end):
            guard !holds(payload, end) else { throw .holdsDelimiter }
            return output.appendFrame(payload, trailer: end)
        case .length(let field): return try field.encode(payload, into: &output)
        case .varint(let field): return try field.encode(payload, into: &output)
        case .fixed(let size):
            guard payload.count == size else { throw .notOfSize(size) }
            return output.appendFrame(payload)
        case .netstring: return try Counting.netstring.encode(payload, into: &output)
        case .octetCounted: return try Counting.octets.encode(payload, into: &output)
        case .header:
            return output.appendFrame(
                header: Array("Content-Length: \(payload.count)\r\n\r\n".utf8), payload)
        case .block(let start, let end):
            guard !holds(payload, end) else { throw .holdsDelimiter }
            return output.appendFrame(header: start, payload, trailer: end)
        case .slip: return try Slip.encode(payload, into: &output)
        case .cobs: return Cobs.encode(payload, into: &output)
        case .beast: return try Beast.encode(payload, into: &output)
        case .json: return try JSONDecoder.encode(payload, into: &output)
        case .untilClose, .idle, .unframed:
            guard !payload.isEmpty else { throw .empty }
            return output.appendFrame(payload)
        }
    }
}

/// Whether `end` begins within `payload`, even where it would end in its own bytes.
func holds(_ payload: Span<UInt8>, _ end: [UInt8]) -> Bool {
    if firstIndex(of: end, in: payload, from: 0) != nil { return true }
    var seam: [UInt8] = []
    seam.append(payload.extracting(last: end.count - 1))
    let count = seam.count
    seam += end
    return firstIndex(of: end, in: seam.span, from: 0) != count
}

extension LengthField {
    func encode(_ payload: Span<UInt8>, into output: inout [UInt8]) throws(UnrepresentableError) -> Frame {
        guard Framing.length(self).isReversible else { throw .unknownHeader }
        let (value, overflow) = (strip + payload.count - end).subtractingReportingOverflow(adjust)
        guard payload.count + strip >= end, !overflow, value >= 0 else { throw .tooShort }
        let bits = width.rawValue * 8
        let limit = UInt64.max >> UInt64(64 - bits)
        guard UInt64(value) <= limit else { throw .tooLong(limit: limit) }
        let bytes = (0..<width.rawValue).map { i in
            UInt8(truncatingIfNeeded: value >> (order == .big ? bits - 8 - i * 8 : i * 8))
        }
        // What is not stripped of the field is in the payload, and must be right.
        for i in max(strip, offset)..<max(strip, end) where payload[i - strip] != bytes[i - offset] {
            throw .wrongLength
        }
        return output.appendFrame(header: Array(bytes.prefix(strip)), payload)
    }
}

extension VarintField {
    func encode(_ payload: Span<UInt8>, into output: inout [UInt8]) throws(UnrepresentableError) -> Frame {
        guard Framing.varint(self).isReversible else { throw .unknownHeader }
        guard header(1) > 0 else {
            guard let found = try? value(in: payload) else { throw .wrongLength }
            let counted = UInt64(payload.count - offset - found.size)
            guard found.value == counted else { throw .wrongLength }
            return output.appendFrame(payload)
        }
        var header: [UInt8] = []
        var rest = payload.count
        while rest > 0x7F {
            header.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        header.append(UInt8(rest))
        guard header.count <= bytes else { throw .tooLong(limit: UInt64(1) << UInt64(7 * bytes) - 1) }
        return output.appendFrame(header: header, payload)
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    mutating func appendFrame(header: [UInt8] = [], _ payload: Span<UInt8>, trailer: [UInt8] = []) -> Frame {
        self += header
        append(payload)
        self += trailer
        return Frame(
            length: header.count + payload.count + trailer.count, header: header.count, trailer: trailer.count
        )
    }
}
