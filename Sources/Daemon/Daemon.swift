public import Bridge
public import Configuration
import Glibc
public import Linux
import Systemd

/// The process: one bridge, its signals, and what people and the service manager are told of it.
public final class Daemon {
    /// How long the end waits for what is still to be sent.
    private static let drainLimit = Duration.seconds(2)
    /// Descriptors that clients never get: the uplink's, the resolver's, and our own but those of sockets.
    private static let reservedDescriptors = 64
    /// A socket has itself, its lock and the watch on its file.
    private static let descriptorsOfSocket = 3

    private enum Topic: String, CaseIterable {
        case clients = "lines about clients"
        case clientTrouble = "warnings about clients"
        case accepting = "lines about accepting clients"
    }

    private let loop: EventLoop
    private let name: String
    private let signals: Signals
    private let journal: Journal
    private let notifier: Notifier?
    private let supervision: Supervision?
    private var bridge: Bridge?

    private var status: Status?
    private var outage = OutageLog()
    /// What can be said again and again is said so often at the most; the rest is counted.
    private var throttles = Dictionary(
        uniqueKeysWithValues: Topic.allCases.map {
            ($0, Throttle(limit: 20, interval: .seconds(10)))
        })
    private var discards = DiscardLog()
    private var outageTimer: TimerID?
    private var summaryTimer: TimerID?
    private var discardTimer: TimerID?
    private var exitStatus: Int32 = 0

    /// - Parameters:
    ///   - configuration: The bridge.
    ///   - notifySocket: `$NOTIFY_SOCKET`; `nil` without a service manager.
    /// - Throws: What keeps the event loop or the log from being set up.
    public init(_ configuration: Configuration, notifySocket: String?) throws(SystemError) {
        name = configuration.name
        signals = try Signals([SIGTERM, SIGINT, SIGHUP, SIGUSR1])
        loop = try EventLoop()
        journal = try Journal(
            fields: JournalField.common(bridge: name), lossID: LogKind.linesLost.rawValue)
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
        start(configuration)
    }

    private func start(_ configuration: Configuration) {
        let reserve = Self.reservedDescriptors + Self.descriptorsOfSocket * configuration.sockets.count
        let limit = raiseOpenFileLimit()
        do throws(BridgeError) {
            let bridge = try Bridge(
                configuration, loop: loop, maximumClients: max(1, limit - reserve),
                observer: self)
            self.bridge = bridge
            status = notifier.map { Status(of: bridge, notifier: $0, loop: loop) }
            try bridge.start()
            let paths = configuration.sockets.map(\.path).joined(separator: ", ")
            log(LogLine(.listening, .info, "listening on \(paths)"))
            supervision?.listening()
        } catch {
            log(LogLine(.cannotStart, .error, "\(error); cannot start"))
            exitStatus = 1
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

    private func log(_ line: LogLine?) {
        guard let line else { return }
        journal.log(line.entry)
    }

    private func log(_ line: LogLine, on topic: Topic) {
        if throttles[topic]?.allows(at: loop.now) ?? true {
            log(line)
        } else if summaryTimer == nil, let interval = throttles[topic]?.interval {
            summaryTimer = loop.arm(at: loop.now + interval, handler: self)
        }
    }

    private func logSummary() {
        for topic in Topic.allCases {
            let count = throttles[topic]?.takeSuppressed() ?? 0
            let level: LogLevel = topic == .clients ? .info : .warning
            if count > 0 { log(LogLine(.leftOut, level, "\(count) more \(topic.rawValue) were left out")) }
        }
    }

    private func logDiscards() {
        for line in discards.takeSuppressed() { log(line) }
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
        switch event {
        case .uplink(let state):
            status?.uplinkChanged(state)
            logOutage(outage.line(for: state, now: loop.now))
            if case .ready = state { supervision?.connected() }
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
            log(discards.line(for: reason, amount))
            armDiscards()
        case .flowing: status?.flowing()
        case .stopped: stopped()
        }
    }

    private func logOutage(_ line: LogLine?) {
        log(line)
        // What the outage has cost is told with its end.
        if line?.kind == .connected { logDiscards() }
        if let outageTimer { loop.disarm(outageTimer) }
        outageTimer = outage.due.map { loop.arm(at: $0, handler: self) }
    }

    private func stopped() {
        logSummary()
        logDiscards()
        if let totals = bridge?.totals { log(LogLine(.stopped, .info, "stopped: \(totals.text)")) }
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
