import Glibc
import Linux
import TLS

/// One client of the simulated server.
final class Connection: ReadinessHandler, TimerHandler, TurnTaker {
    enum Phase {
        case open
        /// Nothing more is queued; what is, is sent, and then the connection is closed.
        case finishing
        /// We have closed our direction, and read as long as the peer likes.
        case halfClosed
        /// All is sent, and must have arrived before the reset.
        case settling(since: ContinuousClock.Instant)
        /// We have closed our direction, and read until the peer has closed its own.
        case draining
        case ended
    }

    let number: Int
    let descriptor: FileDescriptor
    let server: SimulatedServer
    var phase = Phase.open
    var registration: Registration?
    var timer: TimerID?
    var hasTurn = false
    /// The socket's buffer is full.
    var isBlocked = false
    /// When the next chunk may be sent.
    var chunkDue: ContinuousClock.Instant?
    /// The peer sends nothing more.
    var hasPeerEnded = false

    let schedule: Schedule
    var queue = OutgoingQueue()
    var nextMessage: UInt64
    /// Messages, own and echoed, that were queued and wholly sent; the own ones among them.
    var queued = 0
    var sent = 0
    var queuedOwn = 0
    var sentOwn = 0

    var incoming: Incoming
    /// With `--tls-certificate`.
    let tls: TLSSession?
    var isInHandshake: Bool

    var options: Options { server.options }

    init(number: Int, descriptor: consuming FileDescriptor, server: SimulatedServer) {
        self.number = number
        self.descriptor = descriptor
        self.server = server
        schedule = Schedule(rate: server.options.rate, start: server.loop.now)
        nextMessage = server.options.firstNumber
        incoming = Incoming(server.options.receiveFraming)
        tls = server.tls?.accept(self.descriptor.raw)
        isInHandshake = tls != nil
    }

    func start() {
        do {
            if case .loopback = options.address {
                try descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
            }
            registration = try server.loop.add(descriptor, for: interest, handler: self)
        } catch {
            return end("\(error)")
        }
        queue.append(raw: options.greeting)
        pump()
    }

    // MARK: Events

    func becameReady(_ readiness: Readiness) {
        if readiness.contains(.writable) {
            isBlocked = false
            pump()
        }
        if isInHandshake {
            continueHandshake()
        } else if wantsToRead {
            if !readiness.isDisjoint(with: [.readable, .hangup]) { receive() }
        } else if readiness.contains(.hangup) {
            end(describe(errno: descriptor.takeError()))
        }
        updateInterest()
    }

    func timerFired(_ timer: TimerID) {
        self.timer = nil
        switch phase {
        case .open, .finishing: pump()
        case .settling: settle()
        case .draining: end("closed, though the peer went on")
        case .halfClosed, .ended: break
        }
    }

    func takeTurn() -> Bool {
        hasTurn = false
        pump()
        if tls?.hasMore ?? false, wantsToRead { receive() }
        return false
    }

    // MARK: Interest

    var wantsToRead: Bool {
        switch phase {
        case .open, .finishing: options.reads && !hasPeerEnded && queue.pending < Self.batch * 4
        case .halfClosed, .draining: options.reads && !hasPeerEnded
        case .settling, .ended: false
        }
    }

    private var interest: Interest {
        var interest: Interest = wantsToRead || isInHandshake ? .readable : []
        if isBlocked { interest.insert(.writable) }
        // Edge-triggered and nothing else: told of a reset, and once only.
        return interest.isEmpty ? .edgeTriggered : interest
    }

    func updateInterest() {
        guard let registration else { return }
        do { try server.loop.modify(registration, for: interest) } catch { end("\(error)") }
    }

    func armTimer(at instant: ContinuousClock.Instant) {
        disarmTimer()
        timer = server.loop.arm(at: instant, handler: self)
    }

    func disarmTimer() {
        if let timer { server.loop.disarm(timer) }
        timer = nil
    }
}
