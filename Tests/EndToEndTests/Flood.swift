import Glibc
import Linux
import TestSupport

/// A server that sends as fast as it is let, and local programs that read it, all driven by one poll(2).
struct Flood {
    /// A program that reads: at most `piece` bytes at a time, and no sooner than `pause` after the last time.
    final class Reader {
        let stream: Stream
        fileprivate(set) var received = 0
        /// Its connection has ended.
        fileprivate(set) var isCut = false
        fileprivate let piece: Int
        fileprivate let pause: Duration
        fileprivate var isDueAt = ContinuousClock.now
        /// Messages may be missing: what it receives is kept, and not compared.
        fileprivate let isLossy: Bool
        private(set) var bytes: [UInt8] = []

        init(_ stream: Stream, piece: Int = 1 << 16, pause: Duration = .zero, isLossy: Bool = false) {
            self.stream = stream
            self.piece = piece
            self.pause = pause
            self.isLossy = isLossy
        }

        fileprivate func keep(_ bytes: ArraySlice<UInt8>) { self.bytes += bytes }
    }

    /// Messages, each another; sent again and again.
    private let pattern: [UInt8]
    private(set) var sent = 0
    private let server: Stream
    private let readers: [Reader]
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// Where a reader first received something else than was sent.
    private(set) var mistakes: [Int] = []
    /// The longest time in which nobody read, for the test was not scheduled.
    private(set) var longestPause = Duration.zero
    private var lookedAt: ContinuousClock.Instant?

    init(from server: Stream, to readers: [Reader]) {
        self.server = server
        self.readers = readers
        pattern = (0..<2000).flatMap { Wire.line.frame($0, size: 1000) }
    }

    /// Where another flood was left, with other readers.
    init(continuing flood: Flood, to readers: [Reader]) {
        self.init(from: flood.server, to: readers)
        sent = flood.sent
        mistakes = flood.mistakes
    }

    var messageSize: Int { Wire.line.frame(0, size: 1000).count }

    /// Sends and reads for so long, and until the condition holds as well; with whole messages at the end.
    mutating func run(
        for duration: Duration, within limit: Duration = .seconds(15), until condition: () -> Bool = { true }
    ) throws {
        let start = ContinuousClock.now
        var isEnding = false
        while !isEnding || sent % messageSize != 0 {
            let now = ContinuousClock.now
            guard now < start + limit * slowdown else { throw DeadlinePassed(what: "the end of a flood") }
            isEnding = now > start + duration && condition()
            try turn(isSending: true, now: now)
        }
    }

    /// Sends what the server's kernel takes now, and reads nothing.
    mutating func send() throws {
        let start = sent % pattern.count
        sent += try server.sendSome(pattern[start..<min(start + 1 << 17, pattern.count)])
    }

    /// Reads until each of these readers has everything.
    mutating func drain(_ readers: [Reader], within limit: Duration = .seconds(15)) throws {
        let deadline = ContinuousClock.now + limit * slowdown
        while readers.contains(where: { $0.received < sent && !$0.isCut }) {
            let now = ContinuousClock.now
            guard now < deadline else { throw DeadlinePassed(what: "the rest of a flood") }
            try turn(isSending: false, now: now)
        }
    }

    private mutating func turn(isSending: Bool, now: ContinuousClock.Instant) throws {
        if let lookedAt { longestPause = max(longestPause, now - lookedAt) }
        lookedAt = now
        var wanted = [pollfd(fd: isSending ? server.raw : -1, events: Int16(POLLOUT), revents: 0)]
        for reader in readers {
            let isWanted = !reader.isCut && reader.isDueAt <= now
            wanted.append(pollfd(fd: isWanted ? reader.stream.raw : -1, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&wanted, nfds_t(wanted.count), 10) > 0 else { return }
        if wanted[0].revents != 0 { try send() }
        for (reader, state) in zip(readers, wanted.dropFirst()) where state.revents != 0 {
            receive(reader, now)
        }
    }

    private mutating func receive(_ reader: Reader, _ now: ContinuousClock.Instant) {
        let count = recv(reader.stream.raw, &buffer, reader.piece, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { reader.isCut = true }
            return
        }
        var done = 0
        if reader.isLossy {
            reader.keep(buffer[..<count])
            done = count
        }
        while done < count {
            let start = (reader.received + done) % pattern.count
            let length = min(count - done, pattern.count - start)
            let isEqual = pattern.withUnsafeBytes { pattern in
                buffer.withUnsafeBytes { buffer in
                    guard let expected = pattern.baseAddress, let found = buffer.baseAddress else {
                        return false
                    }
                    return memcmp(expected + start, found + done, length) == 0
                }
            }
            if !isEqual { mistakes.append(reader.received + done) }
            done += length
        }
        reader.received += count
        reader.isDueAt = now + reader.pause
    }
}
