import Framing

/// A reproducible source of randomness (splitmix64).
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension Framing {
    static let all: [Framing] = [
        .line, .delimiter(end: [0x0D, 0x0A]), .length(LengthField(width: .two)), .fixed(size: 7),
    ]

    /// A frame with a payload of its own, in which only some bytes occur.
    func frame(longest: Int, using random: inout Seeded) -> [UInt8] {
        let count: Int
        if case .fixed(let size) = self {
            count = size
        } else {
            count = Int.random(in: 0...longest, using: &random)
        }
        let payload = (0..<count).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
        var frame: [UInt8] = []
        do {
            try encode(payload, into: &frame)
        } catch {
            preconditionFailure("\(self) cannot carry letters: \(error)")
        }
        return frame
    }
}

/// Copies bytes into the start of a span.
func fill(_ span: inout MutableSpan<UInt8>, with bytes: some Collection<UInt8>) {
    for (i, byte) in bytes.enumerated() { span[i] = byte }
}

extension Array where Element == UInt8 {
    init(_ span: Span<UInt8>) { self = span.indices.map { span[$0] } }
}
