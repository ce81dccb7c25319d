import Glibc
import Linux

/// The messages of a soak, which say who sent them: the upstream is sender 0. Their sizes follow from their numbers.
enum SoakMessage {
    static let longest = 16_000

    static func frame(_ number: Int, of sender: Int) -> [UInt8] {
        let size = number.isMultiple(of: 97) ? longest : number * 7919 % 1500
        return Wire.line.frame(number, of: sender, size: size)
    }

    /// The sender and the number of a message that is as it was sent.
    static func parse(_ frame: [UInt8]) -> (sender: Int, number: Int)? {
        let words = String(decoding: frame.prefix(60), as: UTF8.self).split(
            maxSplits: 4, whereSeparator: { $0 == " " || $0 == ";" })
        guard words.count > 3, let number = Int(words[1]), let sender = Int(words[3]) else { return nil }
        return frame == self.frame(number, of: sender) ? (sender, number) : nil
    }

    /// The beginning of something that should not have arrived.
    static func excerpt(_ frame: [UInt8]) -> String {
        "\(frame.count) bytes: \(String(decoding: frame.prefix(60), as: UTF8.self).debugDescription)"
    }
}

/// One end of a connection that divides what it receives into messages.
struct SoakReader {
    let stream: Stream
    private var unfinished: [UInt8] = []
    private(set) var hasEnded = false

    init(_ stream: Stream) { self.stream = stream }

    /// The messages that have arrived whole by now.
    mutating func receive() -> [[UInt8]] {
        var received: [[UInt8]] = []
        while !hasEnded {
            switch stream.receiveNow() {
            case .bytes(let bytes):
                let (frames, rest) = Wire.line.split(unfinished + bytes)
                unfinished = rest
                received += frames
            case .nothing: return received
            case .end, .failed: hasEnded = true
            }
        }
        return received
    }
}

/// A local program that sends some messages, and leaves; it reads, for it behaves.
final class SoakChatter {
    let stream: Stream
    private var rest: ArraySlice<UInt8>

    /// After its whole messages it sends `tail`, which is none.
    init(_ stream: Stream, sender: Int, messages: Int, tail: [UInt8]) {
        self.stream = stream
        rest = ((1...messages).flatMap { SoakMessage.frame($0, of: sender) } + tail)[...]
    }

    /// - Returns: Whether it has sent everything.
    func turn() throws -> Bool {
        _ = stream.receiveNow()
        rest = rest.dropFirst(try stream.sendSome(rest))
        return rest.isEmpty
    }
}

/// A local program that stays, receives every message of the upstream, and sends some.
final class SoakWitness {
    private var reader: SoakReader
    private var rest: ArraySlice<UInt8> = []
    /// The number of the last message from the upstream.
    private(set) var lastHeard = 0
    /// Whole messages, and their bytes.
    private(set) var received = (messages: 0, bytes: 0)

    init(_ stream: Stream) { reader = SoakReader(stream) }

    func say(_ number: Int, as sender: Int) { rest += SoakMessage.frame(number, of: sender) }

    /// Sends and receives what it can.
    ///
    /// - Returns: What must not have happened.
    func turn(_ upstream: SoakUpstream) -> [String] {
        var mistakes: [String] = []
        for frame in reader.receive() {
            guard let (sender, number) = SoakMessage.parse(frame), sender == 0, number > lastHeard,
                !upstream.neverSent.contains(number)
            else {
                mistakes.append("received \(SoakMessage.excerpt(frame))")
                continue
            }
            for missing in lastHeard + 1..<number where !upstream.mayBeMissing(missing) {
                mistakes.append("never received message \(missing)")
            }
            lastHeard = number
            received.messages += 1
            received.bytes += frame.count
        }
        do { rest = rest.dropFirst(try reader.stream.sendSome(rest)) } catch {
            mistakes.append("cannot send: \(error)")
        }
        if reader.hasEnded { mistakes.append("was cut") }
        return mistakes
    }

    /// Waits a moment for something to arrive.
    func linger(for duration: Duration) { _ = reader.stream.staysSilent(for: duration) }
}

/// A local program that misbehaves, and is gone after a while.
struct SoakAbuser {
    enum Kind: CaseIterable {
        /// Reads nothing.
        case stalls
        /// Reads a few bytes now and then.
        case trickles
        /// Sends the beginning of a message, and reads nothing.
        case beginsMessage
        /// Sends more than a message may be long.
        case sendsGarbage
        /// Sends garbage as long as it is taken.
        case floods
        /// Passes descriptors.
        case passesDescriptors
        case closesSendingSide
    }
    let kind: Kind
    let stream: Stream
    let leavesAt: Int

    func begin() throws {
        switch kind {
        case .stalls, .trickles, .floods: break
        case .beginsMessage: _ = try stream.sendSome(Array("the beginning of a message".utf8)[...])
        case .sendsGarbage: try flood()
        // A byte that is no end of a line comes with it.
        case .passesDescriptors: try stream.passDescriptor(with: 0x61)
        case .closesSendingSide: stream.finishSending()
        }
    }

    /// It may have been cut by now, so nothing of this needs to succeed.
    func turn() {
        switch kind {
        case .trickles: _ = stream.receiveNow(atMost: 50)
        case .floods: try? flood()
        case .stalls, .beginsMessage, .sendsGarbage, .passesDescriptors, .closesSendingSide: break
        }
    }

    private func flood() throws { _ = try stream.sendSome([UInt8](repeating: 0x61, count: 20_000)[...]) }
}
