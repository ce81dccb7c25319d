import Framing

/// Where the messages that are sent come from: each depends on its number only.
enum MessageSource: Sendable {
    case ais(AISFeed, Framing)
    case counter(CounterFrames)
    case file(FileFrames, Framing)

    init(_ options: Options) throws(SourceError) {
        let framing = options.framing
        switch options.message {
        case .file(let path):
            self = .file(try FileFrames(path: path, framing: framing), framing)
        case .ais:
            let feed = AISFeed(seed: options.seed)
            // All sentences have the same length and alphabet: one tells whether the framing can carry them.
            var trial: [UInt8] = []
            do { try framing.encode(feed.sentence(0), into: &trial) } catch {
                throw SourceError(description: "the framing cannot carry an AIS sentence: \(error)")
            }
            self = .ais(feed, framing)
        case .counter:
            do { self = .counter(try CounterFrames(size: options.payloadSize, framing: framing)) } catch {
                throw SourceError(
                    description: "the framing cannot carry messages of \(options.payloadSize) bytes: \(error)"
                )
            }
        }
    }

    /// Appends the frame of message `number`, and returns where its payload stands in `output`.
    func append(_ number: UInt64, to output: inout [UInt8]) throws(UnrepresentableError) -> Range<Int> {
        let start = output.count
        switch self {
        case .counter(let frames):
            return frames.append(number, to: &output)
        case .ais(let feed, let framing):
            try framing.encode(feed.sentence(number), into: &output)
            return start + framing.headerLength..<output.count - framing.trailerLength
        case .file(let frames, let framing):
            frames.append(number, to: &output)
            return start + framing.headerLength..<output.count - framing.trailerLength
        }
    }
}

/// Why there is nothing to send.
struct SourceError: Error, CustomStringConvertible {
    let description: String
}
