import Framing
import TestSupport
import Testing

/// What a stream turned out to hold.
struct Found: Equatable {
    var frames: [Frame] = []
    var payloads: [[UInt8]] = []
    /// The messages that were passed over, as far as they had come.
    var skipped: [[UInt8]] = []
    /// Messages that were damaged.
    var damaged: [[UInt8]] = []
    /// Everything that stood in no message.
    var between: [UInt8] = []
    /// First messages that were dropped, as far as they had come.
    var firsts: [[UInt8]] = []
    var fault: FramingError?
}

/// Holds the bytes of one connection as the log does: what follows the last frame is kept, and shown again.
struct Stream: FrameSink {
    private(set) var found = Found()
    /// Bytes that belong to no frame yet.
    var unconsumed: [UInt8] = []
    private(set) var calls = 0
    private let framing: Framing
    private var decoder: Decoder
    private var scratch: [UInt8] = [1, 2, 3]
    private var consumed = 0
    /// Skipped ranges.
    private var ranges = 0

    init(_ framing: Framing, limit: Int, skipsOversize: Bool = false, discardsFirst: Bool = false) {
        self.framing = framing
        decoder = Decoder(framing, limit: limit, skipsOversize: skipsOversize, discardsFirst: discardsFirst)
    }

    mutating func append(_ frame: Frame) {
        found.frames.append(frame)
        let start = consumed
        let bytes = Array(unconsumed[start..<start + Int(frame.length)])
        var payload: [UInt8] = []
        framing.appendPayload(of: frame, in: bytes.span, to: &payload)
        found.payloads.append(payload)
        let lent = framing.withPayload(of: frame, in: bytes.span, scratch: &scratch) { [UInt8]($0) }
        #expect(lent == payload)
        consumed += Int(frame.length)
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        #expect(count > 0)
        let bytes = unconsumed[consumed..<consumed + count]
        switch reason {
        case .oversize(let isBeginning):
            if isBeginning { found.skipped.append([]) }
            found.skipped[found.skipped.count - 1] += bytes
        case .damaged: found.damaged.append(Array(bytes))
        case .between: found.between += bytes
        case .first(let isBeginning):
            if isBeginning { found.firsts.append([]) }
            found.firsts[found.firsts.count - 1] += bytes
        }
        consumed += count
        ranges += 1
    }

    /// The stream has paused, or ended.
    mutating func finish(isMessage: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        var decoder = decoder
        let bytes = unconsumed
        defer {
            self.decoder = decoder
            unconsumed.removeFirst(consumed)
            consumed = 0
        }
        let isFound = decoder.finish(bytes.span, into: &self)
        #expect(isFound == isMessage, sourceLocation: sourceLocation)
    }

    /// Takes what one read gave, and decodes at most `count` frames at a time.
    mutating func receive(_ bytes: some Sequence<UInt8>, atMost count: Int = .max) {
        guard found.fault == nil else { return }
        unconsumed += bytes
        var appended = count
        while appended == count && found.fault == nil {
            var decoder = decoder
            let bytes = unconsumed
            let before = found.frames.count + ranges
            do throws(FramingError) {
                appended = try decoder.decode(bytes.span, atMost: count, into: &self)
                #expect(appended == found.frames.count + ranges - before, "it reports what it appended")
                #expect(appended <= count)
            } catch {
                found.fault = error
            }
            self.decoder = decoder
            unconsumed.removeFirst(consumed)
            consumed = 0
            calls += 1
        }
    }
}

/// Feeds `stream` whole, byte by byte, with every cut in two, with random cuts, and with few frames at a time, and
/// expects the same each time. The random cuts are those of `seed`. What is too long is a fault, unless messages to be
/// passed over are named; what is damaged or between messages is passed over always.
func verify(
    _ framing: Framing, limit: Int = 1024, _ stream: [UInt8], holds payloads: [[UInt8]],
    passesOver skipped: [[UInt8]]? = nil, damaged: [[UInt8]] = [], between: [UInt8] = [],
    then fault: FramingError? = nil, seed: UInt64 = 1,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var whole = Stream(framing, limit: limit, skipsOversize: skipped != nil)
    whole.receive(stream)
    #expect(whole.found.payloads == payloads, "whole", sourceLocation: sourceLocation)
    #expect(whole.found.fault == fault, "whole", sourceLocation: sourceLocation)
    #expect(whole.found.skipped == skipped ?? [], "whole", sourceLocation: sourceLocation)
    #expect(whole.found.damaged == damaged, "whole", sourceLocation: sourceLocation)
    #expect(whole.found.between == between, "whole", sourceLocation: sourceLocation)
    let framed =
        whole.found.frames.reduce(0) { $0 + Int($1.length) } + between.count
        + (whole.found.skipped + damaged).reduce(0) { $0 + $1.count }
    #expect(whole.unconsumed == Array(stream[framed...]), "the rest is kept", sourceLocation: sourceLocation)

    verifySame(
        framing, limit: limit, stream, skipsOversize: skipped != nil, seed: seed,
        sourceLocation: sourceLocation)
}

/// Feeds `stream` in all these ways, and expects what it holds whole.
func verifySame(
    _ framing: Framing, limit: Int, _ stream: [UInt8], skipsOversize: Bool, seed: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var whole = Stream(framing, limit: limit, skipsOversize: skipsOversize)
    whole.receive(stream)
    func same(_ cuts: [Int], atMost count: Int = .max, _ how: String) {
        var cut = Stream(framing, limit: limit, skipsOversize: skipsOversize)
        for (start, end) in zip([0] + cuts, cuts + [stream.count]) {
            cut.receive(stream[start..<end], atMost: count)
        }
        #expect(cut.found == whole.found, "\(how)", sourceLocation: sourceLocation)
        // After a fault, it depends on the cuts how much had come.
        if whole.found.fault == nil {
            #expect(cut.unconsumed == whole.unconsumed, "\(how)", sourceLocation: sourceLocation)
        }
    }
    let inner = Array(stream.indices.dropFirst())
    same(inner, "byte by byte")
    for cut in inner { same([cut], "cut at \(cut)") }
    for count in 1...3 {
        same([], atMost: count, "at most \(count) at a time")
        same(inner, atMost: count, "byte by byte, at most \(count) at a time")
    }
    var random = Seeded(seed)
    for _ in 0..<20 {
        let one = Int.random(in: 1...9, using: &random)
        let cuts = inner.filter { _ in Int.random(in: 0..<10, using: &random) < one }
        let count = Int.random(in: 1...4, using: &random)
        same(cuts, atMost: count, "cut at \(cuts), at most \(count) at a time, seed \(seed)")
    }
}

/// The frames that `payloads` make.
func encoded(_ payloads: [[UInt8]], as framing: Framing) throws -> [UInt8] {
    var stream: [UInt8] = []
    for payload in payloads { try framing.encode(payload, into: &stream) }
    return stream
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    init(_ bytes: Span<UInt8>) { self = bytes.withUnsafeBufferPointer { Array($0) } }
}
