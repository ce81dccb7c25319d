// Decodes a stream of one kind of framing, as the daemon does, in reads of 64 KiB: framing KIND BYTES; without arguments it
// lists the kinds. Prints how many seconds it took.

import Glibc

/// Notes where frames end, as the daemon's index does.
struct Index: FrameSink {
    private static let capacity = 1 << 14
    private let entries = UnsafeMutablePointer<Frame>.allocate(capacity: capacity)
    private(set) var end = 0
    private(set) var count = 0

    mutating func append(_ frame: Frame) {
        unsafe entries[count & (Self.capacity - 1)] = frame
        end &+= Int(frame.length)
        count &+= 1
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) { end += count }
}

enum Benchmark {
    static let letters = (0..<64).map { UInt8(ascii: "a") + UInt8($0 % 26) }

    /// The kinds, each with a payload of 64 bytes, or of what is usual.
    static let kinds: [(name: String, framing: Framing, payload: [UInt8])] = [
        ("line", .line(), letters), ("delimiter", .delimiter(end: [0x0D, 0x0A]), letters),
        ("length", .length(LengthField(width: .four)), letters),
        (
            "length in a header", .length(LengthField(width: .two, offset: 4)),
            [1, 2, 3, 4, 0, 58] + letters.dropLast(6)
        ),
        ("varint", .varint(VarintField()), letters), ("fixed", .fixed(size: 64), letters),
        ("netstring", .netstring, letters), ("octet-counted", .octetCounted, letters),
        ("header", .header, letters), ("block", .block(start: [0x0B], end: [0x1C, 0x0D]), letters),
        ("slip", .slip, letters), ("cobs", .cobs, letters),
        ("beast", .beast, [UInt8(ascii: "3")] + letters.prefix(21)),
        ("json", .json, Array(#"{"mmsi":244660000,"lat":52.1,"lon":4.3,"name":"Aleida","sog":9.8}"#.utf8)),
        ("none", .unframed, letters),
    ]

    /// A mebibyte of frames.
    static func stream(_ framing: Framing, _ payload: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        while stream.count < 1 << 20 {
            do { try framing.encode(payload, into: &stream) } catch {
                fatalError("\(framing) cannot carry its payload: \(error)")
            }
        }
        return stream
    }

    static func decode(_ stream: [UInt8], _ framing: Framing, bytes: Int, into index: inout Index) throws {
        var rest = bytes
        while rest > 0 {
            var decoder = Decoder(framing, limit: 1 << 16)
            let start = index.end
            let whole = min(rest, stream.count)
            var received = 0
            while received < whole {
                received = min(received + 65536, whole)
                let bytes = stream.span.extracting(index.end - start..<received)
                _ = try decoder.decode(bytes, atMost: 1 << 14, into: &index)
            }
            rest -= whole
        }
    }
}

@main struct Main {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let bytes = Int(CommandLine.arguments[2]),
            let (_, framing, payload) = Benchmark.kinds.first(where: { $0.name == CommandLine.arguments[1] })
        else { return print(Benchmark.kinds.map(\.name).joined(separator: "\n")) }
        let stream = Benchmark.stream(framing, payload)
        var index = Index()
        let time = try ContinuousClock().measure {
            try Benchmark.decode(stream, framing, bytes: bytes, into: &index)
        }
        precondition(index.count > 0, "no message was found")
        print(time / .seconds(1))
    }
}
