import Linux
import Testing

/// A daemon with an upstream and a witness: a local program that behaves, and tells whether others made it suffer.
final class AbuseScene {
    let upstream: FakeUpstream
    let daemon: DaemonProcess
    let wire: Wire
    let witness: Stream
    /// The upstream's end of the connection that stands.
    private(set) var server: Stream
    /// Local programs that misbehave; closed at the end.
    var abusers: [Stream] = []
    /// Whole messages from the upstream, and whether the witness must have had them.
    private var sent: [(frame: [UInt8], isCertain: Bool)] = []
    private var witnessed: [UInt8] = []
    private var number = 0

    init(_ daemon: DaemonProcess, _ upstream: FakeUpstream, _ wire: Wire) throws {
        self.daemon = daemon
        self.upstream = upstream
        self.wire = wire
        server = try upstream.accept()
        witness = try daemon.connect(to: "witness")
    }

    func nextFrame(size: Int = 0) -> [UInt8] {
        number += 1
        return wire.frame(number, size: size)
    }

    // MARK: What the upstream does

    /// Sends a whole message.
    func send() throws { try send(nextFrame()) }

    /// Sends a whole message, in pieces of so many bytes.
    func send(_ frame: [UInt8], piece: Int = .max) throws {
        sent.append((frame, true))
        var rest = frame[...]
        while !rest.isEmpty {
            try server.send(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
    }

    /// Sends whole messages as fast as the daemon takes them, and has the witness read them.
    func flood(messages: Int = 1500, isCertain: Bool = true) throws {
        for _ in 0..<messages {
            let frame = nextFrame(size: 1000)
            sent.append((frame, isCertain))
            var rest = frame[...]
            let deadline = ContinuousClock.now + Stream.patience
            while !rest.isEmpty {
                let count = try server.sendSome(rest)
                rest = rest.dropFirst(count)
                try collect(waitingFor: count == 0 ? .milliseconds(1) : .zero)
                guard ContinuousClock.now < deadline else { throw DeadlinePassed(what: "the daemon to read") }
            }
        }
        if isCertain { try catchUp() }
    }

    /// Waits for the next connection.
    func accept() throws { server = try upstream.accept() }

    // MARK: What local programs do

    /// Connects programs that misbehave.
    @discardableResult
    func connect(_ count: Int = 1, to socket: String = "default") throws -> [Stream] {
        let streams = try daemon.connect(count, to: socket)
        abusers += streams
        return streams
    }

    /// Connects programs that misbehave to the control socket.
    @discardableResult
    func control(_ count: Int = 1) throws -> [Stream] {
        let streams = try (0..<count).map { _ in try Controller(daemon).stream }
        abusers += streams
        return streams
    }

    func closeAbusers() throws {
        for stream in abusers { stream.close() }
        abusers = []
        try eventually("the witness to be alone") {
            // What those who have left had sent still goes up.
            _ = server.receiveNow()
            return daemon.clientCount() == 0
        }
    }

    // MARK: What the witness sees

    private func collect(waitingFor duration: Duration) throws {
        if duration > .zero { _ = witness.staysSilent(for: duration) }
        switch witness.receiveNow() {
        case .bytes(let bytes): witnessed += bytes
        case .nothing: break
        case .end: throw UnexpectedEnd(received: witnessed, wanted: 0)
        case .failed(let code): throw SystemError(call: "recv", code: code)
        }
    }

    /// A message goes through in each direction.
    func converse() throws {
        let up = wire.frame("from the witness \(number)")
        try witness.send(up)
        _ = try server.receive(through: up)
        try send()
        try catchUp()
    }

    /// The witness reads until it has had the last message.
    private func catchUp() throws {
        guard let last = sent.last?.frame else { return }
        while !witnessed.suffix(last.count).elementsEqual(last) {
            witnessed += try witness.receive(max(1, witness.waiting))
        }
    }

    /// Whether the witness has had all that is certain, whole, in order, and nothing that was never sent.
    func verify() {
        let (frames, rest) = wire.split(witnessed)
        #expect(rest == [])
        var expected = sent[...]
        for frame in frames {
            while let first = expected.first, !first.isCertain, first.frame != frame {
                expected.removeFirst()
            }
            guard let next = expected.popFirst(), next.frame == frame else {
                Issue.record(
                    "the witness received \(String(decoding: frame.prefix(40), as: UTF8.self).debugDescription)"
                )
                return
            }
        }
        #expect(expected.allSatisfy { !$0.isCertain }, "\(expected.count) messages never came")
    }
}
