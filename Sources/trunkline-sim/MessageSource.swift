import Framing

/// Where the messages that are sent come from: each depends on its number only.
enum MessageSource: Sendable {
    case ais(AISFeed, Framing)
    case counter(CounterFrames)
    case garbage(Garbage)
    case file(FileFrames)

    init(_ options: Options) throws(StartError) {
        let framing = options.framing
        switch options.message {
        case .file(let path):
            self = .file(try FileFrames(path: path, framing: framing))
        case .ais:
            let feed = AISFeed(seed: options.seed)
            // All sentences have the same length and alphabet: one tells whether the framing can carry them.
            var trial: [UInt8] = []
            do { try framing.encode(feed.sentence(0), into: &trial) } catch {
                throw StartError(description: "the framing cannot carry an AIS sentence: \(error)")
            }
            self = .ais(feed, framing)
        case .garbage:
            self = .garbage(Garbage(size: options.payloadSize, seed: options.seed))
        case .counter:
            do { self = .counter(try CounterFrames(size: options.payloadSize, framing: framing)) } catch {
                throw StartError(
                    description: "the framing cannot carry messages of \(options.payloadSize) bytes: \(error)"
                )
            }
        }
    }

    /// Appends the messages from `first` on: at most `limit`, and none more once `output` has `size` bytes.
    ///
    /// The kind of source is looked at once for all of them, not for each.
    ///
    /// - Returns: How many messages.
    func append(
        _ first: UInt64, atMost limit: Int, upTo size: Int, to output: inout MessageBuffer
    ) throws(UnrepresentableError) -> Int {
        var count = 0
        switch self {
        case .counter(let frames):
            return try frames.append(first, atMost: limit, upTo: size, to: &output)
        case .ais(let feed, let framing):
            while count < limit, output.bytes.count < size {
                try output.append(feed.sentence(first &+ UInt64(count)), framing: framing, isOwn: true)
                count += 1
            }
        case .garbage(let garbage):
            while count < limit, output.bytes.count < size {
                garbage.append(first &+ UInt64(count), to: &output)
                count += 1
            }
        case .file(let frames):
            while count < limit, output.bytes.count < size {
                frames.append(first &+ UInt64(count), to: &output)
                count += 1
            }
        }
        return count
    }

    /// The frame of one message.
    func frame(_ number: UInt64) throws(UnrepresentableError) -> [UInt8] {
        var output = MessageBuffer()
        _ = try append(number, atMost: 1, upTo: .max, to: &output)
        return output.bytes
    }
}
