import Glibc
import Linux
import TestSupport

/// A daemon between an upstream and local programs that misbehave at random, and witnesses that account for each message.
///
/// Everything happens in turns, on one thread: an abuse now and then, and whoever has something to send or to read does.
final class Soak {
    let daemon: DaemonProcess
    private let upstream: SoakUpstream
    private var random: Seeded
    private var turn = 0
    private let witnesses: [SoakWitness]
    private var chatters: [SoakChatter] = []
    private var abusers: [SoakAbuser] = []
    private var processes: [(process: ChildProcess, leavesAt: Int)] = []
    private var continuesAt: Int?
    private var senders: Int
    /// How many messages each witness has sent.
    private var said = 0
    /// Whole messages that local programs have sent, or will have sent when it is calm.
    private(set) var sentUp = 0
    /// How often each abuse was committed.
    private(set) var abuses: [Abuse: Int] = [:]
    private var ownMistakes: [String] = []

    init(_ daemon: DaemonProcess, _ upstream: FakeUpstream, seed: UInt64) throws {
        self.daemon = daemon
        self.upstream = SoakUpstream(upstream)
        random = Seeded(seed)
        witnesses = try daemon.connect(3, to: "witness").map(SoakWitness.init)
        senders = witnesses.count
    }

    static func configuration(_ upstream: FakeUpstream) -> String {
        """
        upstream:
          address: \(upstream.address)
          max-message: 16K
          oversize: skip
          reconnect: {min: 10ms, max: 50ms}
        buffer: 256K
        outbox: 256K
        hold-time: 500ms
        sockets:
          {witness: {patience: infinity}, default: {patience: 100ms}, lossy: {when-behind: drop, patience: 100ms}}
        """
    }

    /// What must not have happened.
    var mistakes: [String] { ownMistakes + upstream.mistakes }
    /// What each witness has received.
    var witnessed: [(messages: Int, bytes: Int)] { witnesses.map(\.received) }
    /// What the upstream has received.
    var heardUp: Int { upstream.received }

    // MARK: Turns

    /// Abuses it for so long, and calls `sample` about once a second.
    func run(for duration: Duration, sample: () -> Void) throws {
        let end = ContinuousClock.now + duration
        var due = ContinuousClock.now
        while ContinuousClock.now < end, mistakes.isEmpty {
            if Int.random(in: 0..<12, using: &random) == 0,
                let abuse = Abuse.allCases.randomElement(using: &random)
            {
                try commit(abuse)
            }
            if Int.random(in: 0..<20, using: &random) == 0 { speak() }
            if Int.random(in: 0..<3, using: &random) == 0, upstream.server?.queued ?? 0 < 100 {
                upstream.send(.random(in: 1...50, using: &random))
            }
            try takeTurn()
            guard ContinuousClock.now >= due else { continue }
            sample()
            due = .now + .seconds(1)
        }
    }

    /// Ends every abuse, and waits until all that was sent has arrived where it should.
    func calm() throws {
        for abuser in abusers { abuser.stream.close() }
        abusers = []
        for (process, _) in processes { process.signal(SIGKILL) }
        processes = []
        try turns("programs to have sent everything, and to be gone") {
            chatters.isEmpty && upstream.isQuiet && continuesAt == nil
                && daemon.clientCount(of: "default") + daemon.clientCount(of: "lossy") == 0
                && daemon.clientCount(of: "witness") == witnesses.count
        }
        upstream.send(1)
        try turns("the last message of the upstream") {
            witnesses.allSatisfy { $0.lastHeard == upstream.last }
        }
        // So the daemon knows that the connection stands, and discards nothing any more.
        speak()
        try turns("the last message of each witness") {
            (1...witnesses.count).allSatisfy { upstream.heard[$0] == said }
        }
    }

    private func turns(_ what: String, _ condition: () -> Bool) throws {
        try eventually(what, within: .seconds(60)) {
            try takeTurn()
            return condition() || !mistakes.isEmpty
        }
    }

    private func takeTurn() throws {
        turn += 1
        if daemon.process.hasEnded { ownMistakes.append("the daemon has ended") }
        if let when = continuesAt, turn >= when {
            daemon.signal(SIGCONT)
            continuesAt = nil
        }
        try upstream.takeTurn(turn)
        for (index, witness) in witnesses.enumerated() {
            ownMistakes += witness.turn(upstream).map { "witness \(index + 1) \($0)" }
        }
        for (index, chatter) in chatters.enumerated().reversed() where try chatter.turn() {
            chatter.stream.close()
            chatters.remove(at: index)
        }
        for (index, abuser) in abusers.enumerated().reversed() {
            abuser.turn()
            guard turn >= abuser.leavesAt else { continue }
            abuser.stream.close()
            abusers.remove(at: index)
        }
        for (index, (process, leavesAt)) in processes.enumerated().reversed() where turn >= leavesAt {
            process.signal(SIGKILL)
            processes.remove(at: index)
        }
        // Leaves the processor to the daemon.
        witnesses[0].linger(for: .milliseconds(2))
    }

    /// Each witness sends a message.
    private func speak() {
        said += 1
        for (index, witness) in witnesses.enumerated() { witness.say(said, as: index + 1) }
        sentUp += witnesses.count
    }

    // MARK: Abuses

    enum Abuse: CaseIterable {
        case closes, resets, tearsAndCloses, tearsAndResets, refuses, stalls, trickles, sendsTooLong
        case misbehaves, comesAndGoes, leavesUnfinished, isKilled, isStopped
        case hangsUp, stopsDaemon
    }

    private func commit(_ abuse: Abuse) throws {
        abuses[abuse, default: 0] += 1
        let server = upstream.server
        switch abuse {
        case .closes: upstream.close()
        case .resets: reset()
        case .tearsAndCloses:
            server?.tear()
            upstream.close()
        case .tearsAndResets:
            server?.tear()
            reset()
        case .refuses:
            guard server != nil else { return }
            upstream.refuse(until: turn + .random(in: 1...400, using: &random))
            if Bool.random(using: &random) { upstream.close() } else { reset() }
        case .stalls: server?.stallsUntil = turn + .random(in: 1...200, using: &random)
        case .trickles: server?.tricklesUntil = turn + .random(in: 1...200, using: &random)
        case .sendsTooLong:
            let long = [UInt8](repeating: 0x78, count: .random(in: 17_000...600_000, using: &random)) + [0x0A]
            server?.enqueue(long, number: nil)
        case .misbehaves: try misbehave()
        case .comesAndGoes: try chat(tail: [])
        case .leavesUnfinished: try chat(tail: Array("half a message".utf8))
        case .isKilled, .isStopped:
            guard processes.count < 4 else { return }
            let program = try daemon.tail("--socket", Bool.random(using: &random) ? "default" : "lossy")
            if abuse == .isStopped { program.signal(SIGSTOP) }
            processes.append((program, turn + .random(in: 1...200, using: &random)))
        case .hangsUp: daemon.signal(SIGHUP)
        case .stopsDaemon:
            daemon.signal(SIGSTOP)
            continuesAt = turn + .random(in: 1...50, using: &random)
        }
    }

    private func reset() { upstream.reset(lastHeard: witnesses.map(\.lastHeard).min() ?? 0) }

    private func misbehave() throws {
        guard abusers.count < 20, let kind = SoakAbuser.Kind.allCases.randomElement(using: &random) else {
            return
        }
        let path = daemon.path(of: Bool.random(using: &random) ? "default" : "lossy")
        let abuser = SoakAbuser(
            kind: kind, stream: try Stream.connecting(to: .unix(path: path)),
            leavesAt: turn + .random(in: 1...300, using: &random))
        try abuser.begin()
        abusers.append(abuser)
    }

    private func chat(tail: [UInt8]) throws {
        guard chatters.count < 20 else { return }
        senders += 1
        let count = Int.random(in: 1...50, using: &random)
        let stream = try Stream.connecting(to: .unix(path: daemon.path(of: "witness")))
        chatters.append(SoakChatter(stream, sender: senders, messages: count, tail: tail))
        sentUp += count
    }
}
