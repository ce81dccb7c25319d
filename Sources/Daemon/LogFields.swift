import Bridge
import Framing
import Linux
import Systemd
import Uplink

/// The fields that lines of the log have in the journal, and the words that they hold: people search for them, so they
/// stay as they are.
extension JournalField {
    /// The program, for `journalctl --identifier`, and the bridge's name.
    static func common(bridge: String) -> [JournalField] {
        [JournalField("SYSLOG_IDENTIFIER", "trunklined"), JournalField("BRIDGE", bridge)]
    }

    /// What the uplink is, was or should be connected to.
    static func upstream(_ address: String) -> JournalField { JournalField("UPSTREAM", address) }

    /// The name of one of the bridge's sockets.
    static func socket(_ name: String) -> JournalField { JournalField("SOCKET", name) }

    static func reason(_ word: String) -> JournalField { JournalField("REASON", word) }

    static func errno(_ code: Int32) -> JournalField { JournalField("ERRNO", "\(code)") }

    /// A system call that failed.
    static func failure(_ error: SystemError) -> [JournalField] {
        [.reason("\(error.call)"), .errno(error.code)]
    }

    /// A local program, and the name of the socket that it came to.
    static func client(of socket: String, pid: Int32, uid: UInt32) -> [JournalField] {
        [.socket(socket), JournalField("CLIENT_PID", "\(pid)"), JournalField("CLIENT_UID", "\(uid)")]
    }
}

extension ClientIdentity {
    var fields: [JournalField] { JournalField.client(of: socket, pid: pid, uid: uid) }
}

extension Uplink.Reason {
    var fields: [JournalField] {
        switch self {
        case .unresolved: [.reason("unresolved")]
        case .resolutionTimedOut: [.reason("resolve-timeout")]
        case .connectTimedOut: [.reason("connect-timeout")]
        case .system(let call, let code): [.reason(call), .errno(code)]
        case .notBound(_, let code): [.reason("bind-address"), .errno(code)]
        case .otherFamily: [.reason("bind-address")]
        case .ownSocket: [.reason("own-socket")]
        case .tls: [.reason("tls")]
        case .handshakeTimedOut: [.reason("tls-timeout")]
        case .greeting(let step, let fault, _):
            [.reason("on-connect"), JournalField("STEP", "\(step + 1)"), JournalField("FAULT", fault.name)]
        case .heartbeatUnanswered: [.reason("heartbeat")]
        case .keepaliveUnanswered: [.reason("keepalive")]
        case .truncated: [.reason("truncated")]
        case .ended: [.reason("closed")]
        case .stuck: [.reason("write-timeout")]
        case .idle: [.reason("idle-timeout")]
        case .addressGone: [.reason("address-gone")]
        case .requested: [.reason("requested")]
        case .failBack: [.reason("fail-back")]
        case .framing: [.reason("framing")]
        }
    }
}

extension Uplink.GreetingFault {
    fileprivate var name: String {
        switch self {
        case .unexpected: "unexpected"
        case .ended: "closed"
        case .timedOut: "timeout"
        case .credential: "credential"
        }
    }
}

extension LeaveReason {
    var fields: [JournalField] {
        switch self {
        case .closed: [.reason("closed")]
        case .behind: [.reason("patience")]
        case .framing: [.reason("framing")]
        case .unrepresentable: [.reason("unrepresentable")]
        case .failed(let error): JournalField.failure(error)
        case .requested: [.reason("requested")]
        case .stopped: [.reason("stopped")]
        }
    }
}

extension PauseReason {
    var fields: [JournalField] {
        switch self {
        case .full: [.reason("open-files")]
        case .failed(let error): JournalField.failure(error)
        }
    }
}

extension RefusalReason {
    /// The setting that does not allow one more.
    var name: String {
        switch self {
        case .tooMany: "max-clients"
        case .tooManyOfUser: "max-clients-per-user"
        }
    }
}

extension UnrepresentableError {
    /// For the journal.
    var word: String {
        switch self {
        case .holdsDelimiter: "holds-delimiter"
        case .endsInCarriageReturn: "ends-in-cr"
        case .notOfSize: "not-of-size"
        case .tooLong: "too-long"
        case .tooShort: "too-short"
        case .wrongLength: "wrong-length"
        case .unknownHeader: "unknown-header"
        case .empty: "empty"
        case .notBeast: "not-beast"
        case .notJSON: "not-json"
        }
    }
}
