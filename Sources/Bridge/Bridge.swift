public import Configuration
import Exchange
import Framing
public import Linux
public import Memory
import TLS
import Uplink

/// One upstream and its sockets: carries out what the pure parts decide, and reports what happens.
///
/// Everything runs on the loop's thread. A turn reads once from each client that sends, accepts who has come, reads from
/// the upstream once, sends to each client that is behind, and sends once to the upstream: so none of them can starve
/// another.
public final class Bridge {
    /// What is left to do before the end.
    enum Stage {
        case running
        /// The outbox is being sent.
        case drainingOutbox
        /// The clients are being sent what they have not had yet.
        case drainingClients
        case stopped
    }
    enum Timer: CaseIterable {
        case uplink
        case words
        case idle
        case gap
        case heartbeat
        case write
        case probe
        case hold
        case patience
        case shortage
        case drain
    }

    let loop: EventLoop
    let configuration: Configuration
    private unowned let observer: any BridgeObserver
    private let maximumClients: Int
    /// How often those are looked at who hold the upstream up; `nil` when nobody ever loses patience.
    let patienceInterval: Duration?

    let log: BroadcastLog
    /// For the sockets that have a framing of their own.
    let translations: Translations
    let outbox: Outbox
    let resolver: Resolver
    var uplink: Uplink
    /// Addresses of the endpoint that is being tried.
    var candidates: [SocketAddress] = []
    /// Those that race to become the connection, by step.
    var racers: [UInt64: UpstreamConnection] = [:]
    var connection: UpstreamConnection?
    /// Keeps what the next connection can use of the last one; made for the first.
    var tlsClient: TLSClient?
    /// What comes before everything else on the connection, while it lasts.
    var greeting: Greeting?
    /// What came with it, and is for the decoder: not in the log yet.
    var prologue: ArraySlice<UInt8> = []
    /// When the connection became ready; `nil` while it is not.
    var readySince: ContinuousClock.Instant?
    var idleWatch: IdleWatch?
    /// While a connection stands whose messages end with a pause.
    var gapWatch: GapWatch?
    /// The pause is long enough, if nothing has arrived.
    var isGapDue = false
    var heartbeatWatch: HeartbeatWatch?
    /// What is still to be sent of a heartbeat.
    var heartbeat: ArraySlice<UInt8> = []
    /// While something waits that the kernel does not take.
    var writeWatch: WriteWatch?
    /// When it was asked whether the upstream still answers; `nil` while it is not.
    var probeStart: ContinuousClock.Instant?
    /// The address that is being tried, or was tried last of its endpoint.
    var dialled: String?
    /// How long the connection that was just lost had been ready.
    var lifetime: Duration?
    /// A connection was lost, and whole messages of it still wait for room in the log's index.
    var hasUndecodedLoss = false

    var surroundings: Surroundings?
    private(set) var listeners: [Listener] = []
    var clients: [Client] = []
    var clientOfNumber: [UInt32: Client] = [:]
    private var lastClientNumber: UInt32 = 0
    /// How many of them are made to skip messages.
    var skippingClients = 0
    var admission: Admission
    /// Clients that may have sent something.
    var readQueue: [Client] = []
    /// Those of them that this turn reads from.
    var clientsToRead: [Client] = []
    var isOutboxFull = false
    /// The upstream has been away for too long: clients' messages are thrown away.
    var isDiscarding = false
    /// The upstream counts as away: since its connection was lost, or an attempt has failed after a complete one.
    var isAway = false

    var stage = Stage.running
    private var isTurnRequested = false
    var isFanOutNeeded = false
    var isPatienceDue = false
    private var timers: [Timer: TimerID] = [:]

    public internal(set) var totals = Totals()
    /// The bytes that had been moved when `reportNextFlow` was called.
    private var bytesAtRest: Int?
    /// The connection to the upstream, as last reported.
    public internal(set) var uplinkState: UplinkState?

    /// - Parameters:
    ///   - configuration: What to connect, and how.
    ///   - loop: Where everything runs.
    ///   - maximumClients: How many clients the process has descriptors for.
    ///   - observer: Is told what happens; it must outlive the bridge.
    /// - Throws: What keeps the rings from being mapped.
    public init(
        _ configuration: Configuration, loop: EventLoop, maximumClients: Int, observer: any BridgeObserver
    ) throws(BridgeError) {
        self.configuration = configuration
        self.loop = loop
        self.maximumClients = maximumClients
        self.observer = observer
        admission = Admission(configuration.clientLimits)
        let shortest = configuration.sockets.compactMap(\.patience).min()
        patienceInterval = shortest.map { max(min($0 / 20, .milliseconds(50)), .milliseconds(1)) }
        let upstream = configuration.upstream
        do throws(MemoryError) {
            let sizes = MemoryBound(configuration)
            log = BroadcastLog(
                memory: try MirroredMemory(size: sizes.buffer.bytes), framing: upstream.framing,
                limit: upstream.maxMessage, skipsOversize: upstream.oversize == .skip,
                discardsFirst: upstream.firstMessage == .discard, answers: upstream.heartbeat?.answers,
                maximumFrames: sizes.buffer.frames)
            translations = try Translations(configuration, of: log)
            outbox = Outbox(
                memory: try MirroredMemory(size: sizes.outbox.bytes), maximumFrames: sizes.outbox.frames)
        } catch {
            throw .memory(error)
        }
        var settings = upstream.uplink
        settings.isSecured = upstream.tls != nil
        settings.greeting = upstream.onConnect.map(\.timeout)
        if case .close(let every) = upstream.framing.boundary { settings.rest = every }
        uplink = Uplink(settings, seed: .random(in: 0 ... .max))
        do throws(SystemError) {
            resolver = try Resolver()
        } catch {
            throw .system(error)
        }
    }

    /// Listens on every socket, and begins to connect.
    ///
    /// - Throws: What keeps a socket from being listened on; no socket is left behind then.
    public func start() throws(BridgeError) {
        do throws(SocketFileError) {
            for socket in configuration.sockets { listeners.append(try Listener(socket, bridge: self)) }
        } catch {
            closeListeners()
            throw .socket(error)
        }
        do throws(SystemError) {
            _ = try loop.add(resolver.answers, handler: self)
            for listener in listeners { try listener.watch() }
        } catch {
            closeListeners()
            throw .system(error)
        }
        hold()
        surroundings = Surroundings(of: self)
        perform(uplink.started(now: loop.now))
    }

    func closeListeners() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// Asks for one `flowing` when the next bytes come from the upstream or go to it.
    public func reportNextFlow() { bytesAtRest = bytesMoved }

    private var bytesMoved: Int { totals.received.bytes + totals.sent.bytes }

    private func reportFlow() {
        guard let bytesAtRest, bytesAtRest != bytesMoved else { return }
        self.bytesAtRest = nil
        report(.flowing)
    }

    public var clientCount: Int { clients.count }

    func newClientNumber() -> UInt32 {
        repeat {
            lastClientNumber = lastClientNumber == .max - 1 ? 1 : lastClientNumber + 1
        } while clientOfNumber[lastClientNumber] != nil
        return lastClientNumber
    }

    /// Whether one more can be accepted: there is a descriptor for it, or it will be refused at once.
    var canAccept: Bool { clients.count < maximumClients || admission.isFull }

    func report(_ event: BridgeEvent) { observer.report(event) }

    func record(_ reason: DiscardReason, _ amount: Amount) {
        guard amount != Amount() else { return }
        report(.discarded(reason, amount))
    }

    // MARK: Timers

    /// Replaces the timer.
    func arm(_ timer: Timer, at instant: ContinuousClock.Instant) {
        disarm(timer)
        timers[timer] = loop.arm(at: instant, handler: self)
    }

    func disarm(_ timer: Timer) {
        if let armed = timers.removeValue(forKey: timer) { loop.disarm(armed) }
    }

    func isArmed(_ timer: Timer) -> Bool { timers[timer] != nil }
}

extension Bridge: TimerHandler {
    public func timerFired(_ timer: TimerID) {
        guard let fired = timers.first(where: { $0.value == timer })?.key else { return }
        timers[fired] = nil
        switch fired {
        case .uplink:
            perform(uplink.timerFired(now: loop.now, jitter: jitter(), said: greeting?.said ?? ""))
        case .words: refused()
        case .idle: idleTimerFired()
        case .gap: gapTimerFired()
        case .heartbeat: heartbeatTimerFired()
        case .write: writeTimerFired()
        case .probe: probeTimerFired()
        case .hold: discardHeld()
        case .patience: isPatienceDue = true
        case .shortage: shortageMayBeOver()
        case .drain: finishStopping()
        }
        requestTurn()
    }
}

extension Bridge: TurnTaker {
    func requestTurn() {
        guard !isTurnRequested else { return }
        isTurnRequested = true
        loop.requestTurn(self)
    }

    func needsFanOut() {
        isFanOutNeeded = true
        requestTurn()
    }

    /// The upstream is not read, for some client has no room yet for what there is.
    var isReadingPaused: Bool { readySince != nil && log.space == 0 }

    public func takeTurn() -> Bool {
        isTurnRequested = false
        guard stage != .stopped else { return false }
        if stage == .running { readClients() }
        // Who has connected by now gets what is received next, and has the place of who has left.
        if listeners.contains(where: \.isReady) {
            if isFanOutNeeded { fanOut() }
            for listener in listeners { listener.accept() }
        }
        if greeting != nil { converse() }
        receive()
        if isFanOutNeeded { fanOut() }
        sendOutbox()
        watchWriting()
        reportFlow()
        watchPatience()
        watchIdle()
        watchGap()
        watchHeartbeat()
        watchEnd()
        connection?.updateInterest(isReadingPaused: greeting.map { !$0.hasRoom } ?? (log.space == 0))
        if stage != .running { continueStopping() }
        if hasMoreToDo { requestTurn() }
        return false
    }

    private var hasMoreToDo: Bool {
        guard stage != .stopped else { return false }
        return canReceive || canConverse || log.canResume || isFanOutNeeded
            || stage == .running && !readQueue.isEmpty && !isOutboxFull
    }
}

extension HeartbeatSettings {
    fileprivate var answers: Answers? {
        answer.map { Answers(beginning: $0, areHidden: hidesAnswers) }
    }
}

/// What keeps a bridge from starting.
public enum BridgeError: Error, Equatable, Sendable {
    case memory(MemoryError)
    case socket(SocketFileError)
    case system(SystemError)
}

extension BridgeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .memory(let error): "cannot map the rings: \(error.call): \(describe(errno: error.code))"
        case .socket(let error): error.description
        case .system(let error): error.description
        }
    }
}
