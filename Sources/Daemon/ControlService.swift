import Configuration
import Control
import Linux

/// The control socket: takes connections, and does what they ask a little at a time, so that messages never wait for it.
///
/// It works for half a millisecond, or for one piece if that takes longer, then rests for four times as long as it has
/// worked: whatever is asked of it, the bridge has four fifths of the time.
final class ControlService {
    /// Who comes when there are so many takes the place of another.
    static let maximumConnections = 16
    private static let slice = Duration.microseconds(500)
    private static let restFactor = 4
    /// How long accepting pauses after a failure that only time can mend.
    private static let pause = Duration.seconds(1)

    let loop: EventLoop
    private let bridge: BridgeControl
    private let file: SocketFile
    private var fileWatch: SocketFileWatch?
    private var registration: Registration?
    private var connections: [ControlConnection] = []
    /// Those with work to do, each once.
    private var queue: [ControlConnection] = []
    /// Somebody may be waiting to be accepted.
    private var mayAccept = false
    private var isTurnRequested = false
    private var restEnd: ContinuousClock.Instant
    private var restTimer: TimerID?
    private var pauseTimer: TimerID?

    /// The most bytes that all connections take together, of a bridge with this configuration.
    static func longestMemory(_ configuration: Configuration) -> Int {
        // A reply begins with the configuration, as text and as JSON.
        let head = 3 * configuration.yaml().utf8.count
        return maximumConnections * (ControlConnection.longestMemory + head)
    }

    /// - Parameters:
    ///   - path: Where the socket is.
    ///   - settings: Who may connect.
    ///   - loop: Where it runs.
    ///   - bridge: What is looked at.
    ///   - vanished: Is called when somebody has removed the socket.
    /// - Throws: What keeps the socket from being listened on.
    init(
        at path: String, _ settings: ControlSettings, loop: EventLoop, bridge: BridgeControl,
        vanished: @escaping () -> Void
    ) throws(ControlServiceError) {
        self.loop = loop
        self.bridge = bridge
        restEnd = loop.now
        do throws(SocketFileError) {
            file = try SocketFile(path: path, mode: settings.mode, group: settings.group?.id)
        } catch {
            throw .file(error)
        }
        do throws(SystemError) {
            registration = try loop.add(file.descriptor, for: .readable, handler: self)
        } catch {
            file.remove()
            throw .system(error)
        }
        // Without it all works; only nobody is told when the socket vanishes.
        fileWatch = try? SocketFileWatch(file, loop: loop, vanished: vanished)
    }

    /// What has happened, for all who follow it.
    func tell(_ event: @autoclosure () -> EventDescription) {
        let ready = connections.filter { $0.admitsEvent() }
        guard !ready.isEmpty else { return }
        let bytes = Reply.success(event(), continues: true)
        for connection in ready { connection.follow(bytes) }
    }

    /// Removes the socket, and ends all connections.
    func close() {
        fileWatch?.end()
        if let registration { loop.remove(registration) }
        registration = nil
        for connection in connections {
            connection.finish()
            end(connection)
        }
        for timer in [restTimer, pauseTimer] { if let timer { loop.disarm(timer) } }
        file.remove()
    }

    // MARK: Connections

    private func accept() throws(SystemError) {
        guard let descriptor = try file.descriptor.accept() else { return }
        let credentials = try descriptor.peerCredentials()
        let connection = try ControlConnection(descriptor, from: credentials, bridge: bridge, service: self)
        if connections.count >= Self.maximumConnections, let leaver { end(leaver) }
        connections.append(connection)
    }

    /// Of the user that has most connections, so that nobody locks others out, the one that has been silent for longest.
    private var leaver: ControlConnection? {
        let counts = Dictionary(connections.map { ($0.peer.uid, 1) }, uniquingKeysWith: +)
        let most = counts.values.max()
        return connections.filter { counts[$0.peer.uid] == most }.min { $0.lastActive < $1.lastActive }
    }

    func end(_ connection: ControlConnection) {
        connection.unwatch()
        connections.removeAll { $0 === connection }
        queue.removeAll { $0 === connection }
    }

    // MARK: Work

    /// The connection has something to do.
    func enqueue(_ connection: ControlConnection) {
        if !queue.contains(where: { $0 === connection }) { queue.append(connection) }
        requestTurn()
    }

    private func requestTurn() {
        guard !isTurnRequested, restTimer == nil else { return }
        if loop.now < restEnd {
            restTimer = loop.arm(at: restEnd, handler: self)
        } else {
            isTurnRequested = true
            loop.requestTurn(self)
        }
    }
}

extension ControlService: TurnTaker {
    func takeTurn() -> Bool {
        let start = ContinuousClock.now
        var end = start
        if mayAccept { acceptOne() }
        while let connection = queue.first, end - start < Self.slice {
            queue.removeFirst()
            if connection.work() { queue.append(connection) }
            end = ContinuousClock.now
        }
        restEnd = end + (end - start) * Self.restFactor
        isTurnRequested = false
        if !queue.isEmpty { requestTurn() }
        return false
    }
}

extension ControlService: TimerHandler {
    func timerFired(_ timer: TimerID) {
        if timer == restTimer {
            restTimer = nil
            requestTurn()
        } else if timer == pauseTimer {
            pauseTimer = nil
            watch()
        }
    }
}

extension ControlService: ReadinessHandler {
    /// Somebody may be waiting: who it is, the next turn tells.
    func becameReady(_ readiness: Readiness) {
        if let registration { try? loop.modify(registration, for: []) }
        mayAccept = true
        requestTurn()
    }

    private func acceptOne() {
        mayAccept = false
        do throws(SystemError) {
            try accept()
            watch()
        } catch {
            // Who was accepted is gone again, or there is no descriptor left: nothing is hurt but looking.
            pause()
        }
    }

    private func watch() {
        guard let registration else { return }
        do throws(SystemError) { try loop.modify(registration, for: .readable) } catch { pause() }
    }

    private func pause() { pauseTimer = loop.arm(at: loop.now + Self.pause, handler: self) }
}

/// Why the control socket cannot be had.
enum ControlServiceError: Error, CustomStringConvertible {
    case file(SocketFileError)
    case system(SystemError)

    var description: String {
        switch self {
        case .file(let error): error.description
        case .system(let error): error.description
        }
    }
}
