public import Bridge
public import Configuration
import Control
import Glibc
public import Linux
import Systemd
import TLS
import Uplink

/// The process: one bridge, its signals, and what people and the service manager are told of it.
public final class Daemon {
    /// How long the end waits for what is still to be sent.
    private static let drainLimit = Duration.seconds(2)
    /// Descriptors that clients never get: our own and the resolver's, the uplink's, and those of who looks and steers.
    private static let reservedDescriptors = 42 + Uplink.mostConnections + ControlService.maximumConnections
    /// A socket has itself, its lock and the watch on its file.
    private static let descriptorsOfSocket = 3

    private enum Topic: String, CaseIterable {
        case clients = "lines about clients"
        case clientTrouble = "warnings about clients"
        case accepting = "lines about accepting clients"
        case requests = "requests of operators"
    }

    private let loop: EventLoop
    private let signals: Signals
    private let journal: Journal
    private let notifier: Notifier?
    private let supervision: Supervision?
    /// Whether the upstream's key has to be one of those of `pin`.
    private let isPinned: Bool
    private var bridge: Bridge?
    private var control: ControlService?

    private var status: Status?
    private(set) var counters = Counters()
    /// What is less urgent is not logged.
    var logLevel = LogLevel.info
    private var outage = OutageLog()
    private var expiry = ExpiryLog()
    /// What can be said again and again is said so often at the most; the rest is counted.
    private var throttles = Dictionary(
        uniqueKeysWithValues: Topic.allCases.map {
            ($0, Throttle(limit: 20, interval: .seconds(10)))
        })
    private var discards = DiscardLog()
    private var unrepresentable = UnrepresentableLog()
    private var outageTimer: TimerID?
    private var summaryTimer: TimerID?
    private var discardTimer: TimerID?
    private var exitStatus: Int32 = 0

    /// - Parameters:
    ///   - configuration: The bridge.
    ///   - controlPath: Where its control socket is to be.
    ///   - notifySocket: `$NOTIFY_SOCKET`; `nil` without a service manager.
    /// - Throws: What keeps the event loop or the log from being set up.
    public init(
        _ configuration: Configuration, controlPath: String, notifySocket: String?
    ) throws(SystemError) {
        isPinned = configuration.upstream.tls?.pins.isEmpty == false
        signals = try Signals([SIGTERM, SIGINT, SIGHUP, SIGUSR1])
        loop = try EventLoop()
        journal = try Journal(
            fields: JournalField.common(bridge: configuration.name), lossID: LogKind.linesLost.rawValue)
        var notifier: Notifier?
        if let notifySocket {
            do throws(SystemError) {
                notifier = try Notifier(address: notifySocket, loop: loop)
            } catch {
                let words = "cannot tell the service manager anything: \(notifySocket): \(error)"
                let line = LogLine(.managerUnreachable, .warning, words, JournalField.failure(error))
                journal.log(line.entry)
            }
        }
        self.notifier = notifier
        let loop = loop
        supervision = notifier.map {
            Supervision(
                $0, loop: loop, readyWhen: configuration.readyWhen,
                watchdogInterval: Heartbeat.watchdogInterval(pid: getpid(), Program.environment))
        }
        _ = try loop.add(signals.descriptor, for: .readable, handler: self)
        start(configuration, controlPath: controlPath)
    }

    private func start(_ configuration: Configuration, controlPath: String) {
        let reserve = Self.reservedDescriptors + Self.descriptorsOfSocket * configuration.sockets.count
        let limit = raiseOpenFileLimit()
        do throws(BridgeError) {
            let bridge = try Bridge(
                configuration, loop: loop, maximumClients: max(1, limit - reserve),
                observer: self)
            self.bridge = bridge
            let status = Status(of: bridge, notifier: notifier, loop: loop)
            self.status = status
            try bridge.start()
            control = listen(
                at: controlPath, configuration.control,
                BridgeControl(
                    of: bridge, status: status, configuration: configuration, daemon: self, loop: loop))
            let paths = configuration.sockets.map(\.path).joined(separator: ", ")
            log(LogLine(.listening, .info, "listening on \(paths)"))
            if let tls = configuration.upstream.tls, tls.verify == .insecure { log(LogLine(unverified: tls)) }
            supervision?.listening()
        } catch {
            log(LogLine(.cannotStart, .error, "\(error); cannot start"))
            exitStatus = 1
        }
    }

    /// Messages matter more than looking: without a control socket the bridge works all the same.
    private func listen(
        at path: String, _ settings: ControlSettings, _ bridge: BridgeControl
    ) -> ControlService? {
        do throws(ControlServiceError) {
            return try ControlService(at: path, settings, loop: loop, bridge: bridge) { [unowned self] in
                log(LogLine(controlGoneFrom: path))
            }
        } catch {
            log(LogLine(.noControl, .warning, "\(error); the bridge can neither be looked at nor steered"))
            return nil
        }
    }

    /// Runs until a signal ends it.
    ///
    /// - Returns: The process's exit status.
    public func run() -> Int32 {
        do throws(SystemError) {
            if exitStatus == 0 { try loop.run() }
        } catch {
            log(
                LogLine(
                    .loopFailed, .error, "\(error); the event loop cannot go on",
                    JournalField.failure(error)))
            exitStatus = 1
        }
        journal.close(atMost: .milliseconds(200))
        return exitStatus
    }

    // MARK: Log

    private func log(_ line: LogLine) {
        tell(line)
        write(line)
    }

    /// What an operator has asked for.
    func log(request line: LogLine) { log(line, on: .requests) }

    private func log(_ line: LogLine, on topic: Topic) {
        tell(line)
        if throttles[topic]?.allows(at: loop.now) ?? true {
            write(line)
        } else if summaryTimer == nil, let interval = throttles[topic]?.interval {
            summaryTimer = loop.arm(at: loop.now + interval, handler: self)
        }
    }

    /// To those who follow what happens.
    private func tell(_ line: @autoclosure () -> LogLine) {
        control?.tell(EventDescription(line(), time: wallMicroseconds()))
    }

    private func write(_ line: LogLine) {
        if line.level <= logLevel { journal.log(line.entry) }
    }

    private func logSummary() {
        for topic in Topic.allCases {
            let count = throttles[topic]?.takeSuppressed() ?? 0
            let level: LogLevel =
                switch topic {
                case .clients: .info
                case .requests: .notice
                case .clientTrouble, .accepting: .warning
                }
            if count > 0 { write(LogLine(.leftOut, level, "\(count) more \(topic.rawValue) were left out")) }
        }
    }

    private func logDiscards() {
        for line in discards.takeSuppressed() { write(line) }
        if let discardTimer { loop.disarm(discardTimer) }
        discardTimer = nil
        armDiscards()
    }

    private func armDiscards() {
        guard discardTimer == nil, discards.isDue else { return }
        discardTimer = loop.arm(at: loop.now + discards.interval, handler: self)
    }
}

extension Daemon: BridgeObserver {
    public func report(_ event: BridgeEvent) {
        counters.count(event)
        switch event {
        case .uplink(let state):
            status?.uplinkChanged(state)
            let line = outage.line(for: state, now: loop.now)
            if line == nil, let detail = LogLine(detail: state, now: loop.now) { log(withTLS(detail)) }
            logOutage(line)
            if case .ready(let address, _) = state {
                supervision?.connected()
                logExpiry(of: address)
            }
        case .attemptFailed(let address, let reason):
            status?.addressFailed(address, reason)
            log(LogLine(failedAttempt: reason, address))
        case .networkChanged(let change): log(LogLine(networkChanged: change))
        case .probing(let address): log(LogLine(probing: address))
        case .admitted(let client):
            log(LogLine(admitted: client), on: .clients)
            status?.clientsChanged()
        case .refused(let socket, let program, let reason):
            log(LogLine(refused: program, socket: socket, reason), on: .accepting)
        case .left(let client, let reason):
            let line = LogLine(left: client, reason)
            log(line, on: line.level == .warning ? .clientTrouble : .clients)
            status?.clientsChanged()
        case .fellBehind(let client, let bytes):
            log(LogLine(fellBehind: client, bytes: bytes), on: .clientTrouble)
        case .missed(let client, let amount, let hasCaughtUp):
            log(LogLine(missed: amount, by: client, hasCaughtUp: hasCaughtUp), on: .clientTrouble)
        case .acceptingPaused(let socket, let reason):
            log(LogLine(acceptingPausedOn: socket, reason), on: .accepting)
        case .acceptingResumed(let socket):
            log(LogLine(acceptingResumedOn: socket), on: .accepting)
        case .socketGone(let socket, let path): log(LogLine(goneFrom: path, socket: socket))
        case .discarded(let reason, let amount):
            tell(LogLine(discarded: amount, reason))
            if let line = discards.line(for: reason, amount) { write(line) }
            armDiscards()
        case .unrepresentable(let what):
            tell(LogLine(unrepresentable: what))
            if let line = unrepresentable.line(for: what, now: loop.now) { write(line) }
        case .shortage: break
        case .flowing: status?.flowing()
        case .stopped: stopped()
        }
    }

    private func logOutage(_ line: LogLine?) {
        if let line { log(withTLS(line)) }
        // What the outage has cost is told with its end.
        if line?.kind == .connected, line?.level == .notice { logDiscards() }
        if let outageTimer { loop.disarm(outageTimer) }
        outageTimer = outage.due.map { loop.arm(at: $0, handler: self) }
    }

    /// A line that tells of a connection tells of its TLS, too.
    private func withTLS(_ line: LogLine) -> LogLine {
        guard line.kind == .connected, let tls = bridge?.tlsDetails else { return line }
        return line.with(tls, isPinned: isPinned)
    }

    private func logExpiry(of address: String) {
        guard let tls = bridge?.tlsDetails,
            let line = expiry.line(for: tls, of: address, now: wallMicroseconds() / 1_000_000)
        else { return }
        log(line)
    }

    private func stopped() {
        logSummary()
        logDiscards()
        if let totals = bridge?.totals {
            log(LogLine(.stopped, .info, "stopped: \(counters.text(totals))"))
        }
        control?.close()
        loop.stop()
    }
}

extension Daemon: TimerHandler {
    public func timerFired(_ timer: TimerID) {
        if timer == outageTimer {
            logOutage(outage.timerFired(now: loop.now))
        } else if timer == summaryTimer {
            summaryTimer = nil
            logSummary()
        } else if timer == discardTimer {
            logDiscards()
        }
    }
}

extension Daemon: ReadinessHandler {
    /// A signal has arrived.
    public func becameReady(_ readiness: Readiness) {
        while let signal = signals.next() {
            switch signal {
            case SIGHUP:
                log(
                    LogLine(
                        .notReloaded, .notice,
                        "SIGHUP: the configuration is read at the start only: restart to change it"))
            case SIGUSR1:
                log(LogLine(.reconnecting, .notice, "SIGUSR1: connecting anew"))
                bridge?.reconnect()
            default:
                log(LogLine(.stopping, .info, "\(signal == SIGINT ? "SIGINT" : "SIGTERM"): stopping"))
                supervision?.stopping()
                bridge?.stop(draining: Self.drainLimit)
            }
        }
    }
}
