import Glibc

/// What libFuzzer calls: whatever a server sends is divided into messages, the same ones however it is cut; each is within
/// the limit, and what is not decided is no more than that and the framing's own bytes.
///
/// `$KIND` names the kind of framing.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    // The first three bytes choose a framing of that kind, whether too long messages are passed over, and the first, the
    // limit, and the cuts.
    guard input.count > 3 else { return 0 }
    let framing = framings[Int(input[0] & 0x7F) % framings.count]
    let skips = input[0] >= 128 && framing.canPassOver
    let limit = Int(input[1]) % 40 + 1
    if case .fixed(let size) = framing, size > limit { return 0 }
    let stream = Array(input.dropFirst(3))
    let discards = input[1] >= 128 && framing.beginning != .unknown
    var whole = Connection(framing, limit: limit, skipsOversize: skips, discardsFirst: discards)
    var cut = whole
    whole.receive(stream[...])
    var rest = stream[...]
    while !rest.isEmpty {
        let piece = rest.prefix(Int(input[2]) % 20 + 1)
        rest = rest.dropFirst(piece.count)
        cut.receive(piece)
    }
    whole.finish()
    cut.finish()
    if framing.boundary == .read {
        // Where the bytes do not say where a message ends, the cuts do.
        precondition(whole.payloads.joined().elementsEqual(cut.payloads.joined()), "other bytes when cut")
    } else {
        precondition(whole.payloads == cut.payloads, "other messages when cut")
    }
    precondition(whole.skipped == cut.skipped, "other bytes are skipped when cut")
    precondition(whole.fault == cut.fault, "another fault when cut")
    for payload in whole.payloads { encode(payload, framing) }
    encode(stream, framing)
    return 0
}

/// Those of the kind that is to be tried.
private let framings: [Framing] = {
    let kind = getenv("KIND").map { String(cString: $0) } ?? ""
    let framings = all.filter { name(of: $0) == kind }
    precondition(!framings.isEmpty, "$KIND is '\(kind)', which is no kind of framing")
    return framings
}()

private let all: [Framing] = [
    .line(), .line(ending: .crlf), .line(escapes: true), .delimiter(end: [0]),
    .delimiter(end: [0x61, 0x61, 0x62]),
    .length(LengthField(width: .one)), .length(LengthField(width: .two, order: .little)),
    .length(LengthField(width: .four)), .length(LengthField(width: .three, offset: 1, adjust: -4)),
    .length(LengthField(width: .eight, adjust: 2, strip: 9)), .varint(VarintField()),
    .varint(VarintField(bytes: 4, offset: 1)), .fixed(size: 7), .netstring, .octetCounted, .header,
    .block(start: [0x0B], end: [0x1C, 0x0D]), .block(start: [0x61, 0x62, 0x61], end: [0x62, 0x61]), .slip,
    .cobs, .beast, .json, .untilClose(every: .seconds(1)), .idle(gap: .milliseconds(50)), .unframed,
]

/// As a configuration names it, and its folder of examples.
private func name(of framing: Framing) -> String {
    switch framing {
    case .line: "line"
    case .delimiter: "delimiter"
    case .length: "length"
    case .varint: "varint"
    case .fixed: "fixed"
    case .netstring: "netstring"
    case .octetCounted: "octet-counted"
    case .header: "header"
    case .block: "block"
    case .slip: "slip"
    case .cobs: "cobs"
    case .beast: "beast"
    case .json: "json"
    case .untilClose: "until-close"
    case .idle: "idle"
    case .unframed: "none"
    }
}

/// A payload that is encoded is found again.
private func encode(_ payload: [UInt8], _ framing: Framing) {
    var frame: [UInt8] = []
    guard let written = try? framing.encode(payload, into: &frame) else { return precondition(frame.isEmpty) }
    precondition(Int(written.length) == frame.count, "a frame of another length")
    // A message of JSON needs no more than its brackets: what follows it is between messages.
    var connection = Connection(
        framing, limit: max(1, payload.count), skipsOversize: false, discardsFirst: false)
    connection.receive(frame[...])
    connection.finish()
    precondition(connection.payloads == [payload] && connection.fault == nil, "what was encoded is not found")
}

private struct Connection: FrameSink {
    private(set) var payloads: [[UInt8]] = []
    private(set) var skipped = 0
    private(set) var fault: FramingError?
    private let framing: Framing
    private let limit: Int
    private var decoder: Decoder
    private var bytes: [UInt8] = []
    private var consumed = 0

    init(_ framing: Framing, limit: Int, skipsOversize: Bool, discardsFirst: Bool) {
        self.framing = framing
        self.limit = limit
        decoder = Decoder(
            framing, limit: limit, skipsOversize: skipsOversize, discardsFirst: discardsFirst)
    }

    mutating func append(_ frame: Frame) {
        var payload: [UInt8] = []
        let found = bytes[consumed..<consumed + Int(frame.length)]
        framing.appendPayload(of: frame, in: found.span, to: &payload)
        precondition(payload.count <= limit, "a message beyond the limit")
        payloads.append(payload)
        consumed += Int(frame.length)
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        precondition(count > 0, "nothing is skipped")
        skipped += count
        consumed += count
    }

    mutating func receive(_ more: ArraySlice<UInt8>) {
        guard fault == nil else { return }
        bytes += more
        var copy = decoder
        let held = bytes
        do {
            _ = try copy.decode(held.span, atMost: .max, into: &self)
        } catch {
            fault = error
        }
        decoder = copy
        precondition(consumed <= bytes.count, "more was consumed than there is")
        bytes.removeFirst(consumed)
        consumed = 0
        let most = limit + framing.overhead(of: limit)
        precondition(fault != nil || bytes.count <= most, "more is kept than can be needed")
    }
    /// The connection has ended in good order, or paused.
    mutating func finish() {
        guard fault == nil else { return }
        var copy = decoder
        let held = bytes
        _ = copy.finish(held.span, into: &self)
        decoder = copy
        bytes.removeFirst(consumed)
        consumed = 0
    }
}
