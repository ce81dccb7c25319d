import Glibc
import Linux
import TLS

/// Listens, and gives each connection what the options say.
final class SimulatedServer: ReadinessHandler, TimerHandler {
    let options: Options
    let source: MessageSource
    let loop: EventLoop
    let record: RecordFile?
    let received: RecordFile?
    let tls: TLSServer?
    /// The next message of all connections together, with `--continue`.
    var nextMessage: UInt64
    /// For one read at a time.
    var receiveBuffer = ReceiveBuffer()

    private let listener: FileDescriptor
    private var registration: Registration?
    private let signals: TerminationSignals
    private var connections: [Int: Connection] = [:]
    private var accepted = 0
    private var endedConnections = 0
    private var isStopping = false

    init(_ options: Options, source: MessageSource) throws {
        self.options = options
        self.source = source
        loop = try EventLoop()
        record = try options.recordPath.map(RecordFile.init(path:))
        received = try options.receivedPath.map(RecordFile.init(path:))
        nextMessage = options.firstNumber
        tls = try options.tlsServer()
        signals = try TerminationSignals()
        do {
            listener = try Self.listen(on: try options.address.socketAddress())
        } catch {
            throw StartError(description: "cannot listen on \(options.address): \(error)")
        }
    }

    /// The address with its real port.
    func localAddress() throws(SystemError) -> SocketAddress { try listener.localAddress() }

    /// Serves until a signal or `--connections` ends it.
    func run() throws(SystemError) {
        registration = try loop.add(listener, for: .readable, handler: self)
        signals.server = self
        try signals.watch(on: loop)
        try loop.run()
        if case .unix(let path) = options.address { try removeFile(path) }
    }

    private static func listen(on address: SocketAddress) throws(SystemError) -> FileDescriptor {
        do {
            return try .listening(on: address)
        } catch {
            guard error.code == EADDRINUSE, case .some(let path) = stalePath(of: address) else { throw error }
            try removeFile(path)
            return try .listening(on: address)
        }
    }

    /// The path of a Unix socket that nobody listens on: one that a killed process has left.
    private static func stalePath(of address: SocketAddress) -> String? {
        guard address.isUnix else { return nil }
        do {
            _ = try FileDescriptor.connecting(to: address)
            return nil
        } catch {
            return error.code == ECONNREFUSED ? String("\(address)".dropFirst("unix:".count)) : nil
        }
    }

    // MARK: Connections

    func becameReady(_ readiness: Readiness) {
        do {
            guard let descriptor = try listener.accept() else { return }
            accepted += 1
            let connection = Connection(number: accepted, descriptor: descriptor, server: self)
            connections[accepted] = connection
            if options.isVerbose { complain("connection \(accepted): opened") }
            connection.start()
        } catch {
            guard error.code != ECONNABORTED else { return }
            complain("\(error); no connection is accepted for a moment")
            watchListener(for: [])
            _ = loop.arm(at: loop.now + .milliseconds(100), handler: self)
        }
    }

    func timerFired(_ timer: TimerID) { watchListener(for: .readable) }

    private func watchListener(for interest: Interest) {
        guard let registration else { return }
        do { try loop.modify(registration, for: interest) } catch { fail("\(error)") }
    }

    func ended(_ connection: Connection) {
        // What was not wholly sent is sent again, unless another connection has gone on already.
        if nextMessage == connection.nextMessage {
            nextMessage -= UInt64(connection.queuedOwn - connection.sentOwn)
        }
        connections[connection.number] = nil
        endedConnections += 1
        if isStopping ? connections.isEmpty : endedConnections == options.connections { stop() }
    }

    /// Ends the connections in order, then the loop; called again, at once.
    func stop() {
        if isStopping || connections.isEmpty { return loop.stop() }
        isStopping = true
        if let registration { loop.remove(registration) }
        registration = nil
        for connection in Array(connections.values) { connection.shutDown() }
    }
}

/// SIGTERM and SIGINT stop the server.
final class TerminationSignals: ReadinessHandler {
    private let signals: Signals
    weak var server: SimulatedServer?

    init() throws(SystemError) { signals = try Signals([SIGTERM, SIGINT]) }

    func watch(on loop: EventLoop) throws(SystemError) {
        _ = try loop.add(signals.descriptor, for: .readable, handler: self)
    }

    func becameReady(_ readiness: Readiness) {
        while signals.next() != nil { server?.stop() }
    }
}
