import Exchange
import Framing
import Memory
import TestSupport
import Testing

/// A framing and its limits, to be filled with random messages.
struct Sample: CustomTestStringConvertible, Sendable {
    let framing: Framing
    /// The most payload bytes of one message.
    let limit: Int
    /// Of the ring.
    var size = 4096
    /// The most messages in the index.
    var frames = 16

    var testDescription: String { "\(framing), limit \(limit), ring \(size), \(frames) messages" }

    /// Random bytes, of which none ends a line or a message.
    private static let noise: [UInt8] = {
        var random = Seeded(1)
        return (0..<17_000).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
    }()

    /// A frame with a payload of random bytes, mostly a short one.
    func frame(using random: inout Seeded) -> [UInt8] {
        let most = Int.random(in: 0..<4, using: &random) == 0 ? limit : min(limit, 40)
        var count = Int.random(in: 0...most, using: &random)
        if Int.random(in: 0..<20, using: &random) == 0 { count = limit }
        if case .fixed(let size) = framing { count = size }
        let start = Int.random(in: 0..<1000, using: &random)
        let payload = Self.noise[start..<start + count]
        var frame: [UInt8] = []
        do {
            try framing.encode(Array(payload), into: &frame)
        } catch {
            preconditionFailure("\(framing) cannot carry \(count) bytes: \(error)")
        }
        return frame
    }

    /// Bytes that are known to be no message, however they go on.
    var fault: [UInt8] {
        switch framing {
        case .line, .delimiter: [UInt8](repeating: 0x61, count: limit + framing.overhead(of: limit) + 1)
        case .length(let field): [UInt8](repeating: 0xFF, count: field.width.rawValue)
        case .varint, .netstring, .octetCounted: [UInt8](repeating: 0xFF, count: 10)
        case .header: [UInt8](repeating: 0x61, count: 4096)
        case .slip, .cobs, .beast: [UInt8](repeating: 0x61, count: limit + 10)
        case .json: [UInt8]("x")
        case .untilClose, .idle: [UInt8](repeating: 0x61, count: limit + 1)
        case .unframed: []
        case .block(let start, _):
            start + [UInt8](repeating: 0x61, count: limit + framing.overhead(of: limit))
        case .fixed: []
        }
    }

    func memory() throws -> MirroredMemory { try MirroredMemory(size: size) }

    func log() throws -> BroadcastLog {
        BroadcastLog(memory: try memory(), framing: framing, limit: limit, maximumFrames: frames)
    }
}

extension [UInt8] {
    init(_ bytes: Span<UInt8>) { self = bytes.withUnsafeBufferPointer { Array($0) } }

    init(_ text: String) { self = Array(text.utf8) }
}

extension MutableSpan<UInt8> {
    /// Writes all of `bytes`, which must fit, to the start.
    mutating func fill(from bytes: some Collection<UInt8>) {
        withUnsafeMutableBufferPointer { _ = $0.update(fromContentsOf: bytes) }
    }
}

extension BroadcastLog {
    /// Writes as much of `bytes` as there is space for.
    ///
    /// - Returns: How many bytes that were.
    func write(_ bytes: some Collection<UInt8>) -> Int {
        withFreeSpace(atMost: bytes.count) { free in
            free.fill(from: bytes.prefix(free.count))
            return free.count
        }
    }

    /// Receives all of `bytes`, for which there must be space.
    @discardableResult
    func receive(_ bytes: [UInt8]) throws(FramingError) -> Int {
        let count = write(bytes)
        precondition(count == bytes.count, "space for \(count) of \(bytes.count) bytes")
        return try received(count)
    }

    /// Takes everything up to the head.
    func readAll(_ cursor: inout Cursor, for reader: Recipient = .everyone) -> [UInt8] {
        var bytes: [UInt8] = []
        while let run = withRun(at: &cursor, for: reader, { [UInt8]($0) }) {
            bytes += run
            advance(&cursor, by: run.count)
        }
        return bytes
    }
}
