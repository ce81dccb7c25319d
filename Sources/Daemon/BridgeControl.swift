import Bridge
import Configuration
import Control
import Glibc
import Linux
import Systemd
import TLS

/// What the control socket shows of a bridge, and does to it.
final class BridgeControl {
    private let bridge: Bridge
    private let status: Status
    private let configuration: Configuration
    /// Every setting, as YAML.
    private let settings: String
    private unowned let daemon: Daemon
    private let loop: EventLoop
    /// Microseconds since 1970.
    private let start = wallMicroseconds()

    /// - Parameters:
    ///   - bridge: Is shown and steered.
    ///   - status: Its status.
    ///   - configuration: Its configuration.
    ///   - daemon: Has the log and the counters; it must outlive this.
    ///   - loop: Its clock.
    init(
        of bridge: Bridge, status: Status, configuration: Configuration, daemon: Daemon, loop: EventLoop
    ) {
        self.bridge = bridge
        self.status = status
        self.configuration = configuration
        settings = configuration.yaml()
        self.daemon = daemon
        self.loop = loop
    }

    var bridgeDescription: BridgeDescription {
        let now = loop.now
        let totals = bridge.totals
        var uplink = status.uplink.description(now: now)
        uplink.tls = bridge.tlsDetails.map(TLSDescription.init)
        return BridgeDescription(
            name: configuration.name, version: Program.version, pid: getpid(),
            since: start, status: status.text,
            configuration: settings, logLevel: "\(daemon.logLevel)",
            uplink: uplink, received: AmountDescription(totals.received),
            sent: AmountDescription(totals.sent),
            receiveRates: RatesDescription { status.rates.received(over: $0, totals, now: now) },
            sendRates: RatesDescription { status.rates.sent(over: $0, totals, now: now) },
            counters: daemon.counters.descriptions,
            buffer: FillDescription(used: bridge.bufferedBytes, size: configuration.buffer),
            outbox: FillDescription(used: bridge.outboxBytes, size: configuration.outbox),
            sockets: bridge.sockets.map(SocketDescription.init))
    }

    /// The numbers of the connected clients.
    var clientNumbers: [UInt32] { bridge.clientNumbers }

    /// - Returns: `nil` when that client is gone.
    func clientDescription(_ number: UInt32) -> ClientDescription? {
        guard let client = bridge.client(number) else { return nil }
        let identity = client.identity
        return ClientDescription(
            number: Int(identity.number), socket: identity.socket, pid: identity.pid, uid: identity.uid,
            command: client.command, since: client.since,
            lag: AmountDescription(client.lag), sent: AmountDescription(client.sent),
            received: AmountDescription(client.received), missed: AmountDescription(client.missed),
            skipping: client.isSkipping)
    }

    /// How things stand, for who begins to follow what happens.
    var currentEvent: EventDescription {
        EventDescription(
            event: "monitoring", level: "\(LogLevel.info)", text: status.text,
            time: wallMicroseconds(), fields: [:])
    }

    func reconnect(for peer: PeerCredentials) {
        daemon.log(request: LogLine(.reconnecting, .notice, "\(peer.text): connecting anew"))
        bridge.reconnect()
    }

    /// - Returns: Whether there was such a client.
    func disconnect(client number: Int, for peer: PeerCredentials) -> Bool {
        guard let number = UInt32(exactly: number), let client = bridge.client(number) else { return false }
        let words = "\(peer.text): disconnecting \(client.identity.text)"
        daemon.log(request: LogLine(.disconnecting, .notice, words, client.identity.fields))
        return bridge.disconnect(client: number)
    }

    /// - Returns: Whether there is such a level.
    func setLogLevel(_ name: String, for peer: PeerCredentials) -> Bool {
        guard let level = LogLevel.allCases.first(where: { "\($0)" == name }) else { return false }
        let line = LogLine(
            .logLevelSet, .notice, "\(peer.text): logging what is \(level) or worse from now on")
        // By whichever level lets it through: what will be missing must be explained.
        daemon.logLevel = max(level, daemon.logLevel)
        daemon.log(request: line)
        daemon.logLevel = level
        return true
    }
}

extension PeerCredentials {
    /// Who asks through the control socket.
    fileprivate var text: String { "asked for by pid \(pid), uid \(uid)" }
}

extension EventDescription {
    /// A line that was logged at this time, in microseconds since 1970.
    init(_ line: LogLine, time: Int) {
        self.init(
            event: "\(line.kind)", level: "\(line.level)", text: line.text, time: time,
            fields: Dictionary(line.fields.map { ($0.name, $0.value) }) { $1 })
    }
}

extension AmountDescription {
    fileprivate init(_ amount: Amount) { self.init(messages: amount.messages, bytes: amount.bytes) }
}

extension TLSDescription {
    fileprivate init(_ details: TLSDetails) {
        let certificate = details.certificate
        self.init(
            version: details.version, cipher: details.cipher, alpn: details.alpn, resumed: details.isResumed,
            verified: details.isVerified, subject: certificate?.subject ?? "",
            issuer: certificate?.issuer ?? "", names: certificate?.names ?? [],
            notAfter: (certificate?.notAfter ?? 0) * 1_000_000, pin: certificate?.pin ?? "")
    }
}

extension RatesDescription {
    fileprivate init(_ rate: (Duration) -> Rates.Rate) {
        func description(over seconds: Int) -> RateDescription {
            let rate = rate(.seconds(seconds))
            return RateDescription(messages: rate.messages, bytes: rate.bytes)
        }
        self.init(
            second: description(over: 1), tenSeconds: description(over: 10), minute: description(over: 60))
    }
}

extension SocketDescription {
    fileprivate init(_ socket: SocketStatus) {
        let trouble: String? =
            switch socket.obstacle {
            case .paused(let reason): "new clients have to wait: \(reason.text)"
            case .gone: "its file was removed"
            case nil: nil
            }
        self.init(name: socket.name, path: socket.path, clients: socket.clients, trouble: trouble)
    }
}
