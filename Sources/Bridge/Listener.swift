import Configuration
import Linux

/// One socket of the bridge: accepts its clients, and pauses while it cannot.
final class Listener: ReadinessHandler, TimerHandler {
    /// How many clients one turn accepts at the most.
    private static let batch = 64
    /// How long accepting pauses after a failure that only time can mend.
    private static let pause = Duration.seconds(1)

    let settings: SocketSettings
    private let file: SocketFile
    private unowned let bridge: Bridge
    private var registration: Registration?
    private var fileWatch: SocketFileWatch?
    private var retry: TimerID?
    private var isPaused = false
    /// Why clients wait, as last reported; `nil` once accepting has worked again.
    private var reported: PauseReason?
    /// Somebody may be waiting.
    private(set) var isReady = false

    init(_ settings: SocketSettings, bridge: Bridge) throws(SocketFileError) {
        self.settings = settings
        self.bridge = bridge
        file = try SocketFile(path: settings.path, mode: settings.mode, group: settings.group?.id)
    }

    func watch() throws(SystemError) {
        registration = try bridge.loop.add(file.descriptor, for: .readable, handler: self)
        // Without it all works; only nobody is told when the socket vanishes.
        let gone = BridgeEvent.socketGone(socket: settings.name, path: settings.path)
        fileWatch = try? SocketFileWatch(file, loop: bridge.loop) { [unowned bridge] in bridge.report(gone) }
    }

    /// Stops listening, and removes the socket.
    func close() {
        fileWatch?.end()
        if let registration { bridge.loop.remove(registration) }
        if let retry { bridge.loop.disarm(retry) }
        file.remove()
    }

    func status(clients: Int) -> SocketStatus {
        let obstacle: SocketStatus.Obstacle? =
            if fileWatch?.isGone ?? false { .gone } else if isPaused { reported.map { .paused($0) } } else {
                nil
            }
        return SocketStatus(
            name: settings.name, path: settings.path, clients: clients, obstacle: obstacle)
    }

    /// Whether who connects to a path comes here.
    func isReached(by path: String) -> Bool { file.isReached(by: path) }

    func becameReady(_ readiness: Readiness) {
        isReady = true
        bridge.requestTurn()
    }

    /// Accepts who is waiting, if anybody is: in the turn, when those who have left no longer count.
    func accept() {
        guard isReady else { return }
        isReady = false
        var failures = 0
        for _ in 0..<Self.batch {
            guard bridge.canAccept else { return pause(.full(clients: bridge.clientCount)) }
            do throws(SystemError) {
                guard let descriptor = try file.descriptor.accept() else { return accepted() }
                try bridge.admit(descriptor, on: settings)
                accepted()
                // The oldest that waits was there when the loop saw it, and with it who had left before: a later one may have
                // come in the place of somebody of whose end nothing is known yet.
                if bridge.configuration.clientLimits.mayRefuse { return }
            } catch {
                // The client is gone already; that is all (accept(2)), unless it is all that ever happens.
                failures += 1
                if error.isOfConnection && failures < Self.batch { continue }
                return pause(.failed(error))
            }
        }
    }

    /// A client has left, or time has passed: tries again.
    func resume() {
        guard isPaused, let registration else { return }
        isPaused = false
        if let retry { bridge.loop.disarm(retry) }
        retry = nil
        do throws(SystemError) {
            try bridge.loop.modify(registration, for: .readable)
            isReady = true
            bridge.requestTurn()
        } catch {
            pause(.failed(error))
        }
    }

    private func accepted() {
        guard reported != nil else { return }
        reported = nil
        bridge.report(.acceptingResumed(socket: settings.name))
    }

    func timerFired(_ timer: TimerID) { resume() }

    private func pause(_ reason: PauseReason) {
        guard !isPaused, let registration else { return }
        isPaused = true
        // An empty interest cannot fail to be set.
        try? bridge.loop.modify(registration, for: [])
        if case .failed = reason { retry = bridge.loop.arm(at: bridge.loop.now + Self.pause, handler: self) }
        guard reported != reason else { return }
        reported = reason
        bridge.report(.acceptingPaused(socket: settings.name, reason))
    }
}
