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
}

extension UnrepresentableError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .holdsDelimiter: "it holds the bytes that end a message"
        case .endsInCarriageReturn:
            "it ends in a carriage return, which would be taken for part of the line's end"
        case .notOfSize(let size): "every message has exactly \(size) bytes"
        case .tooLong(let limit): "the length field cannot count more than \(limit) bytes"
        }
    }
}

extension Framing {
    /// Appends one frame that carries `payload` to `output`; a line is ended by a bare LF.
    ///
    /// The inverse of decoding: a decoder of this framing finds exactly this payload again.
    ///
    /// - Throws: `UnrepresentableError`; nothing was appended then.
    public func encode(_ payload: [UInt8], into output: inout [UInt8]) throws(UnrepresentableError) {
        switch self {
        case .line:
            guard !payload.contains(0x0A) else { throw .holdsDelimiter }
            guard payload.last != 0x0D else { throw .endsInCarriageReturn }
            output += payload
            output.append(0x0A)
        case .delimiter(let end):
            // The delimiter must not begin within the payload, even where it would end in its own bytes.
            let frame = payload + end
            guard firstIndex(of: end, in: frame.span, from: 0) == payload.count else { throw .holdsDelimiter }
            output += frame
        case .length(let field):
            let bits = field.width.rawValue * 8
            let limit = UInt64.max >> UInt64(64 - bits)
            guard UInt64(payload.count) <= limit else { throw .tooLong(limit: limit) }
            for i in 0..<field.width.rawValue {
                let shift = field.order == .big ? bits - 8 - i * 8 : i * 8
                output.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
            output += payload
        case .fixed(let size):
            guard payload.count == size else { throw .notOfSize(size) }
            output += payload
        }
    }
}
