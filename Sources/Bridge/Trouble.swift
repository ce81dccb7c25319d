import Uplink

/// Everything that is discarded or goes wrong in a bridge: a closed set.
///
/// The raw values are the words by which people and programs know them; they stay as they are.
public enum Trouble: String, CaseIterable, Sendable {
    // Thrown away: `DiscardReason` tells more.
    case cutOff = "cut-off"
    case malformed
    case oversize
    case damaged
    case between
    case first
    case unfinished
    case clientDamaged = "client-damaged"
    case clientBetween = "client-between"
    case upstreamAway = "upstream-away"
    case notAllowed = "not-allowed"
    case behind
    case unrepresentable
    case unacknowledged
    case stopped

    // An attempt to connect that failed.
    /// The name has no address, or no name server has answered in time.
    case unresolved
    case unconnected
    /// TLS could not be begun, or was broken off.
    case tls
    /// The dialogue before everything else has failed, a refused login among it.
    case greeting
    // A connection that was lost.
    /// The upstream has closed it.
    case closed
    /// It ended without TLS saying so.
    case truncated
    case failed
    case idleTimeout = "idle-timeout"
    case writeTimeout = "write-timeout"
    case heartbeat
    /// What came could not be divided into messages.
    case framing

    // A client that was disconnected.
    case clientPatience = "client-patience"
    case clientFraming = "client-framing"
    case clientUnrepresentable = "client-unrepresentable"
    case clientFailed = "client-failed"
    /// By an operator.
    case clientDisconnected = "client-disconnected"
    // A program that was not taken as a client.
    case tooManyClients = "max-clients"
    case tooManyClientsOfUser = "max-clients-per-user"

    /// New clients had to wait.
    case acceptingPaused = "accepting-paused"
    case socketGone = "socket-gone"
    /// The kernel had no memory for a transfer.
    case shortage
}

extension Trouble {
    /// What an event is counted as; `nil` for one that belongs to the normal run of things.
    public init?(_ event: BridgeEvent) {
        switch event {
        case .uplink(.waiting(let reason, _, _, let lifetime)):
            guard let trouble = Trouble(reason, wasReady: lifetime != nil) else { return nil }
            self = trouble
        case .refused(_, _, .tooMany): self = .tooManyClients
        case .refused(_, _, .tooManyOfUser): self = .tooManyClientsOfUser
        case .left(_, .behind): self = .clientPatience
        case .left(_, .framing): self = .clientFraming
        case .left(_, .unrepresentable): self = .clientUnrepresentable
        case .left(_, .failed): self = .clientFailed
        case .left(_, .requested): self = .clientDisconnected
        case .acceptingPaused: self = .acceptingPaused
        case .socketGone: self = .socketGone
        case .shortage: self = .shortage
        case .discarded(let reason, _): self = Trouble(reason)
        case .uplink, .attemptFailed, .networkChanged, .probing, .admitted, .left(_, .closed),
            .left(_, .stopped),
            .fellBehind, .missed, .unrepresentable,
            .acceptingResumed, .flowing, .stopped:
            return nil
        }
    }

    public init(_ reason: DiscardReason) {
        self =
            switch reason {
            case .cutOff: .cutOff
            case .malformed: .malformed
            case .oversize: .oversize
            case .damaged: .damaged
            case .between: .between
            case .first: .first
            case .unfinished: .unfinished
            case .clientDamaged: .clientDamaged
            case .clientBetween: .clientBetween
            case .upstreamAway: .upstreamAway
            case .notAllowed: .notAllowed
            case .behind: .behind
            case .unrepresentable: .unrepresentable
            case .unacknowledged: .unacknowledged
            case .stopped: .stopped
            }
    }

    private init?(_ reason: Uplink.Reason, wasReady: Bool) {
        switch reason {
        case .unresolved, .resolutionTimedOut: self = .unresolved
        case .connectTimedOut, .notBound, .otherFamily, .ownSocket: self = .unconnected
        case .addressGone, .keepaliveUnanswered: self = .failed
        case .system: self = wasReady ? .failed : .unconnected
        case .tls, .handshakeTimedOut: self = .tls
        case .greeting: self = .greeting
        case .heartbeatUnanswered: self = .heartbeat
        case .truncated: self = .truncated
        case .ended: self = .closed
        case .idle: self = .idleTimeout
        case .stuck: self = .writeTimeout
        case .framing: self = .framing
        case .requested, .failBack: return nil
        }
    }
}
