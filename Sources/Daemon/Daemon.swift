public import Bridge
public import Configuration
import Glibc
public import Linux
import Systemd

/// The process: one bridge, its signals, and what people and the service manager are told of it.
public final class Daemon {
    /// How long the end waits for what is still to be sent.
    private static let drainLimit = Duration.seconds(2)
    /// Descriptors that clients never get: the uplink's, the resolver's, and our own.
    private static let reservedDescriptors = 64
    /// `STATUS=` follows the clients' coming and going at most so often.
    private static let statusInterval = Duration.seconds(1)

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
    private var bridge: Bridge?

    private var status = StatusText()
    private var outage = OutageLog()
    /// What can be said again and again is said so often at the most; the rest is counted.
    private var throttles = Dictionary(
        uniqueKeysWithValues: Topic.allCases.map { ($0, Throttle(limit: 20, interval: .seconds(10))) })
    private var discards = DiscardLog()
    private var statusDue: ContinuousClock.Instant
    private var statusTimer: TimerID?
    private var outageTimer: TimerID?
    private var summaryTimer: TimerID?
    private var exitStatus: Int32 = 0

    /// - Parameters:
    ///   - configuration: The bridge.
    ///   - notifySocket: `$NOTIFY_SOCKET`; `nil` without a service manager.
    /// - Throws: What keeps the event loop or the log from being set up.
    public init(_ configuration: Configuration, notifySocket: String?) throws(SystemError) {
        name = configuration.name
        signals = try Signals([SIGTERM, SIGINT, SIGHUP])
        loop = try EventLoop()
        journal = try Journal()
        var notifier: Notifier?
        if let notifySocket {
            do throws(SystemError) {
                notifier = try Notifier(address: notifySocket, loop: loop)
            } catch {
                journal.log(.warning, "cannot tell the service manager anything: \(notifySocket): \(error)")
            }
        }
        self.notifier = notifier
        statusDue = loop.now
        _ = try loop.add(signals.descriptor, for: .readable, handler: self)
        start(configuration)
    }

    private func start(_ configuration: Configuration) {
        let limit = raiseOpenFileLimit()
        do throws(BridgeError) {
            let bridge = try Bridge(
                configuration, loop: loop, maximumClients: max(1, limit - Self.reservedDescriptors),
                observer: self)
            self.bridge = bridge
            try bridge.start()
            let paths = configuration.sockets.map(\.path).joined(separator: ", ")
            journal.log(.info, "listening on \(paths)")
            notifier?.ready()
        } catch {
            journal.log(.error, "\(error); cannot start")
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
            journal.log(.error, "\(error); the event loop cannot go on")
            exitStatus = 1
        }
        journal.close(atMost: .milliseconds(200))
        return exitStatus
    }

    // MARK: Status

    /// A change of the uplink is told at once, one of the clients within a second.
    private func statusChanged(atOnce: Bool) {
        guard let notifier else { return }
        let now = loop.now
        guard atOnce || now >= statusDue else {
            if statusTimer == nil { statusTimer = loop.arm(at: statusDue, handler: self) }
            return
        }
        if let statusTimer { loop.disarm(statusTimer) }
        statusTimer = nil
        statusDue = now + Self.statusInterval
        notifier.status(status.text(clients: bridge?.clientCount ?? 0, now: now))
    }

    // MARK: Log

    private func log(_ line: LogLine?) {
        guard let line else { return }
        journal.log(line.level, line.text)
    }

    private func log(_ line: LogLine, on topic: Topic) {
        if throttles[topic]?.allows(at: loop.now) ?? true {
            log(line)
        } else if summaryTimer == nil {
            armSummary()
        }
    }

    private func armSummary() { summaryTimer = loop.arm(at: loop.now + .seconds(10), handler: self) }

    private func logSummaries() {
        for topic in Topic.allCases {
            let count = throttles[topic]?.takeSuppressed() ?? 0
            let level: LogLevel = topic == .clients ? .info : .warning
            if count > 0 { log(LogLine(level, "\(count) more \(topic.rawValue) were left out")) }
        }
        for line in discards.takeSuppressed() { log(line) }
    }
}

extension Daemon: BridgeObserver {
    public func report(_ event: BridgeEvent) {
        switch event {
        case .uplink(let state):
            status.show(state)
            statusChanged(atOnce: true)
            log(outage.line(for: state, now: loop.now))
            armOutageTimer()
        case .admitted(let client):
            log(LogLine(.info, "\(client.text) connected"), on: .clients)
            statusChanged(atOnce: false)
        case .left(let client, let reason):
            let line = LogLine(left: client, reason)
            log(line, on: line.level == .warning ? .clientTrouble : .clients)
            statusChanged(atOnce: false)
        case .fellBehind(let client, let bytes):
            log(LogLine(fellBehind: client, bytes: bytes), on: .clientTrouble)
        case .missed(let client, let amount, let hasCaughtUp):
            log(LogLine(missed: amount, by: client, hasCaughtUp: hasCaughtUp), on: .clientTrouble)
        case .acceptingPaused(let socket, let reason):
            log(
                LogLine(.warning, "socket \(socket): new clients have to wait: \(reason.text)"),
                on: .accepting)
        case .acceptingResumed(let socket):
            log(LogLine(.notice, "socket \(socket): new clients are accepted again"), on: .accepting)
        case .discarded(let reason, let amount):
            log(discards.line(for: reason, amount))
            if discards.isDue && summaryTimer == nil { armSummary() }
        case .stopped:
            stopped()
        }
    }

    private func armOutageTimer() {
        if let outageTimer { loop.disarm(outageTimer) }
        outageTimer = outage.due.map { loop.arm(at: $0, handler: self) }
    }

    private func stopped() {
        logSummaries()
        if let totals = bridge?.totals { log(LogLine(.info, "stopped: \(totals.text)")) }
        loop.stop()
    }
}

extension Daemon: TimerHandler {
    public func timerFired(_ timer: TimerID) {
        if timer == statusTimer {
            statusTimer = nil
            statusChanged(atOnce: false)
        } else if timer == outageTimer {
            outageTimer = nil
            log(outage.settled(now: loop.now))
        } else if timer == summaryTimer {
            summaryTimer = nil
            logSummaries()
            if discards.isDue { armSummary() }
        }
    }
}

extension Daemon: ReadinessHandler {
    /// A signal has arrived.
    public func becameReady(_ readiness: Readiness) {
        while let signal = signals.next() {
            guard signal != SIGHUP else {
                log(
                    LogLine(
                        .notice, "SIGHUP: the configuration is read at the start only: restart to change it"))
                continue
            }
            log(LogLine(.info, "\(signal == SIGINT ? "SIGINT" : "SIGTERM"): stopping"))
            notifier?.stopping()
            bridge?.stop(draining: Self.drainLimit)
        }
    }
}
