/// A payload that a framing cannot carry without being changed.
public enum UnrepresentableError: Error, Hashable, Sendable {
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
        var frame = Frame(length: 0)
        // Never none: an array without storage shares one with all others, to which this would write.
        try output.append(addingCapacity: max(1, longestFrame(of: payload.count))) {
            room throws(UnrepresentableError) in
            frame = try encode(payload, into: &room)
        }
        return frame
    }

    /// The most bytes of a frame whose payload has at most `limit`.
    public func longestFrame(of limit: Int) -> Int { limit + overhead(of: limit) }

    /// Appends one frame that carries `payload` to `output`, which has room for the longest of that payload's size.
    ///
    /// The inverse of decoding: a decoder of this framing finds exactly this payload again.
    ///
    /// - Returns: The frame that was appended.
    /// - Throws: `UnrepresentableError`; nothing was appended then.
    public func encode(
        _ payload: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> Frame {
        let start = output.count
        var (header, trailer) = (0, 0)
        switch self {
        case .line(let ending, escapes: true):
            LineEscapes.encode(payload, into: &output)
            trailer = ending.append(to: &output)
        case .line(let ending, escapes: false):
            guard firstIndex(of: 0x0A, in: payload, from: 0) == nil else { throw .holdsDelimiter }
            guard ending == .crlf || payload.isEmpty || payload[payload.count - 1] != 0x0D else {
                throw .endsInCarriageReturn
            }
            output.append(payload)
            trailer = ending.append(to: &output)
        case .delimiter(let end):
            guard !holds(payload, end) else { throw .holdsDelimiter }
            output.append(payload)
            output.append(end.span)
            trailer = end.count
        case .length(let field):
            header = try field.appendHeader(of: payload, to: &output)
            output.append(payload)
        case .varint(let field):
            header = try field.appendHeader(of: payload, to: &output)
            output.append(payload)
        case .fixed(let size):
            guard payload.count == size else { throw .notOfSize(size) }
            output.append(payload)
        case .netstring: (header, trailer) = try Counting.netstring.encode(payload, into: &output)
        case .octetCounted: (header, trailer) = try Counting.octets.encode(payload, into: &output)
        case .header:
            header = HeaderDecoder.appendHeader(counting: payload.count, to: &output)
            output.append(payload)
        case .block(let start, let end):
            guard !holds(payload, end) else { throw .holdsDelimiter }
            output.append(start.span)
            output.append(payload)
            output.append(end.span)
            (header, trailer) = (start.count, end.count)
        case .slip: (header, trailer) = try Slip.encode(payload, into: &output)
        case .cobs: trailer = Cobs.encode(payload, into: &output)
        case .beast: header = try Beast.encode(payload, into: &output)
        case .json: trailer = try JSONDecoder.encode(payload, into: &output)
        case .untilClose, .idle, .unframed:
            guard !payload.isEmpty else { throw .empty }
            output.append(payload)
        }
        return Frame(length: output.count - start, header: header, trailer: trailer)
    }
}

extension LineEnding {
    /// - Returns: How many bytes it takes.
    fileprivate func append(to output: inout OutputSpan<UInt8>) -> Int {
        if self == .crlf { output.append(0x0D) }
        output.append(0x0A)
        return self == .crlf ? 2 : 1
    }
}

/// Whether `end` begins within `payload`, even where it would end in its own bytes.
func holds(_ payload: Span<UInt8>, _ end: [UInt8]) -> Bool {
    if firstIndex(of: end, in: payload, from: 0) != nil { return true }
    // Where it would begin in the payload's last bytes.
    for kept in 1..<max(1, min(end.count, payload.count + 1)) {
        let start = payload.count - kept
        let isBeginning = (0..<end.count).allSatisfy { i in
            end[i] == (i < kept ? payload[start + i] : end[i - kept])
        }
        if isBeginning { return true }
    }
    return false
}

extension LengthField {
    /// - Returns: How many bytes come before what the payload brings.
    fileprivate func appendHeader(
        of payload: Span<UInt8>, to output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> Int {
        guard Framing.length(self).isReversible else { throw .unknownHeader }
        let (value, overflow) = (strip + payload.count - end).subtractingReportingOverflow(adjust)
        guard payload.count + strip >= end, !overflow, value >= 0 else { throw .tooShort }
        let limit = UInt64.max >> UInt64(64 - width.rawValue * 8)
        guard UInt64(value) <= limit else { throw .tooLong(limit: limit) }
        // What is not stripped of the field is in the payload, and must be right.
        for i in max(strip, offset)..<max(strip, end) where payload[i - strip] != byte(i - offset, of: value)
        {
            throw .wrongLength
        }
        for i in 0..<strip { output.append(byte(i, of: value)) }
        return strip
    }

    private func byte(_ index: Int, of value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value >> (order == .big ? (width.rawValue - 1 - index) * 8 : index * 8))
    }
}

extension VarintField {
    /// - Returns: How many bytes come before what the payload brings.
    fileprivate func appendHeader(
        of payload: Span<UInt8>, to output: inout OutputSpan<UInt8>
    ) throws(UnrepresentableError) -> Int {
        guard Framing.varint(self).isReversible else { throw .unknownHeader }
        guard header(1) > 0 else {
            guard let found = try? value(in: payload) else { throw .wrongLength }
            guard found.value == UInt64(payload.count - offset - found.size) else { throw .wrongLength }
            return 0
        }
        let size = max(1, (Int.bitWidth - payload.count.leadingZeroBitCount + 6) / 7)
        guard size <= bytes else { throw .tooLong(limit: UInt64(1) << UInt64(7 * bytes) - 1) }
        for i in 0..<size {
            let group = UInt8(truncatingIfNeeded: payload.count >> (7 * i)) & 0x7F
            output.append(i < size - 1 ? group | 0x80 : group)
        }
        return size
    }
}

extension OutputSpan<UInt8> {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                let room = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...])
                _ = unsafe room.update(fromContentsOf: bytes)
            }
            count += bytes.count
        }
    }

    /// - Returns: How many digits that were.
    mutating func appendDecimal(_ value: Int) -> Int {
        var (digits, power) = (1, 1)
        while value / power >= 10 {
            power *= 10
            digits += 1
        }
        while power > 0 {
            append(UInt8(ascii: "0") + UInt8(value / power % 10))
            power /= 10
        }
        return digits
    }
}

extension [UInt8] {
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
