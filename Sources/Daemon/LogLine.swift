import Bridge
import Linux
import Systemd
import Uplink

/// One line of the log: operation, object, reason, consequence.
struct LogLine: Equatable {
    let kind: LogKind
    let level: LogLevel
    let text: String
    /// What the journal finds it by; the README explains them.
    let fields: [JournalField]

    init(_ kind: LogKind, _ level: LogLevel, _ text: String, _ fields: [JournalField] = []) {
        self.kind = kind
        self.level = level
        self.text = text
        self.fields = fields
    }

    var entry: JournalEntry { JournalEntry(level, id: kind.rawValue, text, fields) }

    init(admitted client: ClientIdentity) {
        self.init(.clientConnected, .info, "\(client.text) connected", client.fields)
    }

    init(left client: ClientIdentity, _ reason: LeaveReason) {
        let (kind, level, words): (LogKind, LogLevel, String) =
            switch reason {
            case .closed: (.clientLeft, .info, "closed its connection")
            case .behind(let bytes):
                (
                    .clientDisconnected, .warning,
                    "disconnected: it was \(bytes) bytes behind and held the others up for longer than its patience"
                )
            case .framing(let error):
                (.clientDisconnected, .warning, "disconnected for what it sent: \(error)")
            case .unrepresentable(let error, .toUpstream):
                (
                    .clientDisconnected, .warning,
                    "disconnected: it sent what send-framing cannot carry: \(error)"
                )
            case .unrepresentable(let error, .toClients):
                (
                    .clientDisconnected, .warning,
                    "disconnected: a message from the upstream cannot be sent in its socket's framing: \(error)"
                )
            case .failed(let error): (.clientDisconnected, .warning, "disconnected: \(error)")
            case .requested: (.clientDisconnected, .notice, "disconnected through the control socket")
            case .stopped: (.clientLeft, .info, "disconnected: the daemon stops")
            }
        self.init(kind, level, "\(client.text) \(words)", client.fields + reason.fields)
    }

    init(acceptingPausedOn socket: String, _ reason: PauseReason) {
        self.init(
            .acceptingPaused, .warning, "socket \(socket): new clients have to wait: \(reason.text)",
            [.socket(socket)] + reason.fields)
    }

    init(acceptingResumedOn socket: String) {
        self.init(
            .acceptingResumed, .notice, "socket \(socket): new clients are accepted again", [.socket(socket)])
    }

    init(goneFrom path: String, socket: String) {
        self.init(
            .socketGone, .warning,
            "socket \(socket): \(path) was removed: nobody can connect to it until a restart; connected clients stay",
            [.socket(socket)])
    }

    init(controlGoneFrom path: String) {
        self.init(
            .socketGone, .warning,
            "\(path) was removed: the bridge can neither be looked at nor steered until a restart")
    }

    init(discarded amount: Amount, _ reason: DiscardReason) {
        self.init(
            .discarded, reason.level, "discarded \(amount.text) \(reason.text)\(reason.question)",
            [.reason(Trouble(reason).rawValue)])
    }

    init(fellBehind client: ClientIdentity, bytes: Int) {
        self.init(
            .clientSkips, .warning,
            "\(client.text) is \(bytes) bytes behind and held the others up for longer than its patience: it misses"
                + " messages until it has caught up", client.fields + [.reason("patience")])
    }

    init(missed amount: Amount, by client: ClientIdentity, hasCaughtUp: Bool) {
        self.init(
            .clientMissed, .notice,
            "\(client.text) \(hasCaughtUp ? "has caught up: it" : "never caught up: it") missed \(amount.whole)",
            client.fields)
    }

    /// There is no connection; the level says whether a person is needed.
    init(
        waiting reason: Uplink.Reason, _ address: String, until: ContinuousClock.Instant, lifetime: Duration?,
        level: LogLevel, now: ContinuousClock.Instant
    ) {
        let what = reason.text(address: address, wasReady: lifetime != nil)
        let lasted = lifetime.map { " after \($0.text)" } ?? ""
        let next = until <= now ? "at once" : "in \((until - now).text)"
        self.init(
            .upstreamAway, level, "\(what)\(lasted); next attempt \(next)",
            [.upstream(address)] + reason.fields)
    }

    /// The connection was complete.
    init(
        completed address: String, until: ContinuousClock.Instant, level: LogLevel,
        now: ContinuousClock.Instant
    ) {
        let next = until <= now ? "at once" : "in \((until - now).text), or when a client sends something"
        self.init(
            .upstreamComplete, level, "what \(address) sends is complete; next connection \(next)",
            [.upstream(address)])
    }

    /// An address was tried in vain, and others are left.
    init(failedAttempt reason: Uplink.Reason, _ address: String) {
        let what = reason.text(address: address, wasReady: false)
        self.init(.attempt, .debug, "\(what); others are tried", [.upstream(address)] + reason.fields)
    }

    init(networkChanged change: NetworkChange) {
        let what =
            switch change {
            case .appeared: "an address or a route has appeared"
            case .missed: "there were more changes than could be told"
            case .resumed: "the machine was in suspend"
            case .resolverConfigured: "names may be resolved in another way"
            }
        self.init(.networkChanged, .debug, "the network has changed, trying at once: \(what)")
    }

    init(probing address: String) {
        self.init(
            .probing, .debug,
            "this machine's address of the connection to \(address) has gone: the upstream is asked whether it answers",
            [.upstream(address)])
    }

    /// A change of the uplink's state that is of interest only to those who follow each.
    init?(detail state: UplinkState, now: ContinuousClock.Instant) {
        switch state {
        case .resolving(let endpoint):
            self.init(.attempt, .debug, "resolving \(endpoint)", [.upstream("\(endpoint)")])
        case .connecting(let address):
            self.init(.attempt, .debug, "connecting to \(address)", [.upstream(address)])
        case .securing(let address):
            self.init(.attempt, .debug, "beginning TLS with \(address)", [.upstream(address)])
        case .greeting(let address, let step):
            self.init(.attempt, .debug, "\(address): step \(step + 1) of on-connect", [.upstream(address)])
        case .ready(let address, _):
            self.init(
                .connected, .debug, "connected to \(address); the outage is over if that lasts",
                [.upstream(address)])
        case .ended(let address):
            self.init(
                .upstreamEnded, .debug,
                "the connection to \(address) was ended by the upstream; slow clients have yet to read",
                [.upstream(address)])
        case .waiting(let reason, let address, let until, let lifetime):
            self.init(waiting: reason, address, until: until, lifetime: lifetime, level: .debug, now: now)
        case .resting(let address, let until):
            self.init(completed: address, until: until, level: .debug, now: now)
        case .cancelled: return nil
        }
    }

    init(refused program: PeerCredentials, socket: String, _ reason: RefusalReason) {
        self.init(
            .clientRefused, .warning,
            "socket \(socket): refused and disconnected pid \(program.pid), uid \(program.uid): \(reason.text)",
            JournalField.client(of: socket, pid: program.pid, uid: program.uid) + [.reason(reason.name)])
    }
}

/// `1 client`, `2 clients`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension ClientIdentity {
    /// `client 7 of default (pid 1234, uid 1000)`.
    var text: String { "client \(number) of \(socket) (pid \(pid), uid \(uid))" }
}

extension RefusalReason {
    var text: String {
        switch self {
        case .tooMany(let limit): "\(name) (\(limit)) are connected"
        case .tooManyOfUser(let limit): "\(name) (\(limit)) of this user are connected"
        }
    }
}

extension PauseReason {
    var text: String {
        switch self {
        case .full(let clients):
            "\(counted(clients, "client")) \(clients == 1 ? "is" : "are") as many as the limit of open files allows"
        case .failed(let error): error.description
        }
    }
}

extension Amount {
    /// `3 messages (120 bytes)`, `20 bytes` when no whole message is among them.
    var text: String { messages > 0 ? whole : counted(bytes, "byte") }

    /// `3 messages (120 bytes)`, also when there are none.
    var whole: String { "\(counted(messages, "message")) (\(counted(bytes, "byte")))" }
}

extension DiscardReason {
    /// What follows an amount: `of a message that …`.
    var text: String {
        switch self {
        case .cutOff: "of a message that the end of the connection cut off"
        case .malformed: "that could not be divided into messages"
        case .oversize: "from the upstream, longer than max-message"
        case .damaged: "from the upstream that were damaged"
        case .between: "from the upstream that stood between messages and belong to none"
        case .first: "that came first on a connection (first-message: discard)"
        case .unfinished: "of a message that a client began and never finished"
        case .clientDamaged: "from clients that were damaged"
        case .clientBetween: "from clients that stood between messages and belong to none"
        case .upstreamAway: "from clients, for the upstream is away"
        case .notAllowed: "from clients of a socket with send: no"
        case .behind: "for clients that read too slowly (when-behind: drop)"
        case .unrepresentable: "that the framing of those who were to get them cannot carry"
        case .unacknowledged:
            "sent to the upstream, which had not acknowledged them when the connection was lost"
        case .stopped: "from clients that the upstream had not taken when the daemon stopped"
        }
    }

    /// What a person may look at first.
    var question: String { self == .clientBetween ? ": do they use the framing of their socket?" : "" }

    /// What a client meant to be delivered and was not, a person may want to know.
    var level: LogLevel {
        switch self {
        case .first: .debug
        case .cutOff, .malformed, .between, .unfinished, .behind: .info
        // Told in a line of its own.
        case .unrepresentable: .debug
        case .oversize, .damaged, .clientDamaged, .clientBetween, .upstreamAway, .notAllowed, .unacknowledged,
            .stopped:
            .warning
        }
    }
}

extension Uplink.Reason {
    /// What failed and why.
    ///
    /// - Parameters:
    ///   - address: What was tried, or was connected to.
    ///   - wasReady: The connection had stood, and was lost.
    /// - Returns: A sentence without its end: an operation, its object, the reason.
    func text(address: String, wasReady: Bool) -> String {
        let lost = wasReady ? "connection to \(address) lost" : "cannot connect to \(address)"
        return switch self {
        case .unresolved(let words, _): "cannot resolve \(address): \(words)"
        case .resolutionTimedOut: "cannot resolve \(address): no answer within connect-timeout"
        case .connectTimedOut: "cannot connect to \(address): no answer within connect-timeout"
        case .system(_, let code): "\(lost): \(describe(errno: code))"
        case .notBound(let local, let code):
            "\(lost): bind-address \(local): \(describe(errno: code)); an interface of this machine must have it"
        case .otherFamily(let local):
            "\(lost): it has no address of the family of bind-address \(local)"
        case .ownSocket: "\(lost): it is a socket of this bridge itself"
        case .ended: "\(lost): the upstream closed it"
        case .idle: "\(lost): nothing was received for idle-timeout"
        case .failBack: "connection to \(address) given up for the first address, after fail-back"
        case .addressGone: "\(lost): the address that it came from has gone"
        case .requested: "connection to \(address) given up: a new one was asked for"
        case .stuck: "\(lost): the upstream took nothing for write-timeout"
        case .framing(let error): "\(lost): \(error)"
        case .tls(let words, _): "\(lost): \(words)"
        case .handshakeTimedOut: "\(lost): no TLS handshake within connect-timeout"
        case .truncated: "\(lost): it ended without TLS saying so, and may have been cut off"
        case .greeting(let step, let fault, let said):
            "\(lost): step \(step + 1) of on-connect: \(fault.text(said))"
        case .heartbeatUnanswered: "\(lost): the heartbeat was not answered before the next was due"
        case .keepaliveUnanswered: "\(lost): no answer to keepalive"
        }
    }
}

extension Uplink.GreetingFault {
    /// What went wrong, with the upstream's words.
    fileprivate func text(_ said: String) -> String {
        let words = said.isEmpty ? "said nothing" : "said \"\(said)\""
        return switch self {
        case .unexpected(let expected):
            "the upstream \(words) where \"\(expected)\" was expected; check on-connect and its credentials"
        case .ended: "the upstream \(words), and closed the connection"
        case .timedOut: "not done within its timeout; the upstream \(words)"
        case .credential(let name, let reason): "cannot use credential \(name): \(reason)"
        }
    }
}

extension Duration {
    /// `340 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`.
    var text: String {
        let milliseconds = Int(self / .milliseconds(1))
        let seconds = milliseconds / 1000
        return switch seconds {
        case 0: "\(milliseconds) ms"
        case 1..<10: "\(seconds).\(milliseconds % 1000 / 100) s"
        case 10..<60: "\(seconds) s"
        case 60..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3600) h \(seconds % 3600 / 60) min"
        }
    }
}
