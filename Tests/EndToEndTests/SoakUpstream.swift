import Glibc
import Linux
import TestSupport

/// The upstream of a soak: what it does, and what it must receive.
final class SoakUpstream {
    let fake: FakeUpstream
    /// The connection that stands.
    private(set) var server: SoakServer?
    /// A connection of which the sending side is closed: the daemon has yet to end it.
    private var ending: SoakServer?
    private var refusesUntil: Int?
    /// The number of the last message.
    private(set) var last = 0
    /// Messages that were not sent whole, and so must never arrive.
    private(set) var neverSent: Set<Int> = []
    /// Messages that a reset may have taken along.
    private var mayBeLost: Set<Int> = []
    /// The number of the last message of each sender.
    private(set) var heard: [Int: Int] = [:]
    /// How many messages it has had.
    private(set) var received = 0
    private(set) var mistakes: [String] = []

    init(_ fake: FakeUpstream) { self.fake = fake }

    func mayBeMissing(_ number: Int) -> Bool { neverSent.contains(number) || mayBeLost.contains(number) }

    /// Nothing waits to be sent, and no old connection is left.
    var isQuiet: Bool { ending == nil && server?.queued == 0 }

    /// Sends and receives what it can.
    func takeTurn(_ turn: Int) throws {
        if let when = refusesUntil, turn >= when {
            try fake.listen()
            refusesUntil = nil
        }
        if let ending {
            hear(ending)
            // What is on its way there was sent before anything on the next connection.
            guard ending.reader.hasEnded else { return }
            self.ending = nil
        }
        if server == nil, refusesUntil == nil { server = try fake.acceptNow().map(SoakServer.init) }
        guard let server, turn >= server.stallsUntil else { return }
        hear(server)
        // The daemon ends a connection only when the upstream does.
        if server.reader.hasEnded { mistakes.append("the daemon has ended a connection") }
        server.sendSome(in: turn)
    }

    func send(_ count: Int) {
        guard let server else { return }
        for _ in 0..<count {
            last += 1
            server.enqueue(SoakMessage.frame(last, of: 0), number: last)
        }
    }

    private func hear(_ server: SoakServer) {
        for frame in server.reader.receive() {
            guard let (sender, number) = SoakMessage.parse(frame), sender > 0 else {
                mistakes.append("the upstream received \(SoakMessage.excerpt(frame))")
                continue
            }
            if number <= heard[sender, default: 0] {
                mistakes.append("the upstream received message \(number) of \(sender) too late, or again")
            }
            heard[sender] = number
            received += 1
        }
    }

    /// Closes the sending side, so that nothing is lost.
    func close() {
        guard let server else { return }
        neverSent.formUnion(server.unsent)
        server.stream.finishSending()
        ending = server
        self.server = nil
    }

    /// Ends the connection by a reset; all after that message may be lost.
    func reset(lastHeard: Int) {
        guard let server else { return }
        hear(server)
        neverSent.formUnion(server.unsent)
        if lastHeard < last { mayBeLost.formUnion(lastHeard + 1...last) }
        server.stream.reset()
        self.server = nil
    }

    /// Takes no connection before that turn.
    func refuse(until turn: Int) {
        fake.stopListening()
        refusesUntil = turn
    }
}

/// The upstream's end of one connection, and what waits to be sent on it.
final class SoakServer {
    var reader: SoakReader
    /// Messages with their numbers; one that is too long has none.
    private var queue: [(number: Int?, frame: [UInt8])] = []
    /// What has been sent of the first one in the queue.
    private var offset = 0
    /// It neither reads nor sends before that turn.
    var stallsUntil = 0
    /// It sends a byte in each turn before that one.
    var tricklesUntil = 0

    init(_ stream: Stream) { reader = SoakReader(stream) }

    var stream: Stream { reader.stream }
    var queued: Int { queue.count }
    /// The numbers of the messages that have not been sent whole.
    var unsent: [Int] { queue.compactMap(\.number) }

    func enqueue(_ frame: [UInt8], number: Int?) { queue.append((number, frame)) }

    func sendSome(in turn: Int) {
        var room = turn < tricklesUntil ? 1 : Int.max
        while room > 0, let first = queue.first {
            // Whether the connection has ended, the next receive tells.
            let part = first.frame[offset...].prefix(room)
            let count = (try? stream.sendSome(part)) ?? 0
            room -= count
            offset += count
            if count < part.count { return }
            guard offset == first.frame.count else { return }
            queue.removeFirst()
            offset = 0
        }
    }

    /// Sends the beginning of the next message.
    func tear() {
        guard let first = queue.first else { return }
        offset += (try? stream.sendSome(first.frame[offset...].dropLast().prefix(500))) ?? 0
    }
}
