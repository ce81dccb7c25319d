/// Random bytes without any framing, which depend on the seed and their number only.
struct Garbage: Sendable {
    let size: Int
    let seed: UInt64

    /// Appends what stands for message `number`: `size` bytes.
    func append(_ number: UInt64, to output: inout MessageBuffer) {
        var random = SplitMix64(state: seed ^ number &* 0x9E37_79B9_7F4A_7C15)
        let start = output.bytes.count
        for _ in 0..<size { output.bytes.append(UInt8(truncatingIfNeeded: random.next())) }
        output.appendMessage(payload: start..<output.bytes.count, isOwn: true, framing: nil)
    }
}
