import Configuration
import Control
import Linux

/// Whom the control socket lets people look at and steer.
protocol Controlled: AnyObject {
    var bridgeDescription: BridgeDescription { get }
    /// The numbers of the connected clients.
    var clientNumbers: [UInt32] { get }
    /// - Returns: `nil` when that client is gone.
    func clientDescription(_ number: UInt32) -> ClientDescription?
    /// How things stand, for who begins to follow what happens.
    var currentEvent: EventDescription { get }

    func reconnect(for operator: PeerCredentials)
    /// - Returns: Whether there was such a client.
    func disconnect(client number: Int, for operator: PeerCredentials) -> Bool
    /// - Returns: Whether there is such a level.
    func setLogLevel(_ level: String, for operator: PeerCredentials) -> Bool
}

/// The control socket: takes connections, and does what they ask a little at a time, so that messages never wait for it.
///
/// It works for half a millisecond at the most, then rests for four times as long as it has worked: whatever is asked of
/// it, the bridge has four fifths of the time.
final class ControlService {
    /// Who comes when there are so many takes the place of the one that has been silent for longest.
    static let maximumConnections = 16
    private static let slice = Duration.microseconds(500)
    private static let restFactor = 4
    /// How long accepting pauses after a failure that only time can mend.
    private static let pause = Duration.seconds(1)

    let loop: EventLoop
    private let controlled: any Controlled
    private let file: SocketFile
    private var registration: Registration?
    private var connections: [ControlConnection] = []
    /// Those with work to do, each once.
    private var queue: [ControlConnection] = []
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
    ///   - controlled: What is looked at.
    /// - Throws: What keeps the socket from being listened on.
    init(
        at path: String, _ settings: ControlSettings, loop: EventLoop, controlled: any Controlled
    ) throws(ControlServiceError) {
        self.loop = loop
        self.controlled = controlled
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
    }

    /// What has happened, for all who follow it.
    func tell(_ event: @autoclosure () -> EventDescription) {
        let followers = connections.filter(\.isFollowing)
        guard !followers.isEmpty else { return }
        let ready = followers.filter { $0.hasRoomForEvent() }
        guard !ready.isEmpty else { return }
        let bytes = Reply.success(event(), continues: true)
        for connection in ready { connection.follow(bytes) }
    }

    /// Removes the socket, and ends all connections.
    func close() {
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
        if connections.count >= Self.maximumConnections,
            let oldest = connections.min(by: { $0.lastActive < $1.lastActive })
        {
            end(oldest)
        }
        connections.append(
            try ControlConnection(descriptor, from: credentials, controlled: controlled, service: self))
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
        isTurnRequested = false
        let start = ContinuousClock.now
        var end = start
        while let connection = queue.first, end - start < Self.slice {
            queue.removeFirst()
            if connection.work() { queue.append(connection) }
            end = ContinuousClock.now
        }
        restEnd = end + (end - start) * Self.restFactor
        if !queue.isEmpty { requestTurn() }
        return false
    }
}

extension ControlService: TimerHandler {
    func timerFired(_ timer: TimerID) {
        if timer == restTimer {
            restTimer = nil
            requestTurn()
        } else if timer == pauseTimer, let registration {
            pauseTimer = nil
            try? loop.modify(registration, for: .readable)
        }
    }
}

extension ControlService: ReadinessHandler {
    /// Somebody may be waiting.
    func becameReady(_ readiness: Readiness) {
        do throws(SystemError) {
            try accept()
        } catch {
            // Who was accepted is gone again, or there is no descriptor left; either way nothing is hurt but looking.
            guard !error.isOfConnection, let registration, pauseTimer == nil else { return }
            try? loop.modify(registration, for: [])
            pauseTimer = loop.arm(at: loop.now + Self.pause, handler: self)
        }
    }
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
