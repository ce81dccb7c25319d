public import Framing
public import Linux
public import Uplink

/// Everything that a bridge tells about itself: a closed set, which the process renders.
public enum BridgeEvent: Equatable, Sendable {
    /// The connection to the upstream changed its state.
    case uplink(UplinkState)
    /// An address was tried in vain, and the attempt goes on with others.
    case attemptFailed(String, Uplink.Reason)
    /// The network has changed, and therefore an attempt begins at once.
    case networkChanged(NetworkChange)
    /// The address of this machine that the connection to the upstream came from has gone, or may have: the upstream is
    /// asked whether it still answers.
    case probing(String)
    /// A client connected.
    case admitted(ClientIdentity)
    /// A program was not taken as a client, and its connection closed.
    case refused(socket: String, PeerCredentials, RefusalReason)
    /// A client is gone.
    case left(ClientIdentity, LeaveReason)
    /// A client's patience is used up: from now on it misses messages, until it has caught up.
    case fellBehind(ClientIdentity, bytes: Int)
    /// What a client has missed since it fell behind: it has caught up, or it leaves.
    case missed(ClientIdentity, Amount, hasCaughtUp: Bool)
    /// Clients have to wait before they are accepted.
    case acceptingPaused(socket: String, PauseReason)
    case acceptingResumed(socket: String)
    /// Somebody has removed or renamed the socket: nobody finds it any more. Who is connected stays so.
    case socketGone(socket: String, path: String)
    /// So much has just been thrown away.
    case discarded(DiscardReason, Amount)
    /// A message was passed over that a framing cannot carry, or has led to a client's end.
    case unrepresentable(Unrepresentable)
    /// The kernel has no memory for a transfer: it is tried again after a while.
    case shortage
    /// Bytes come from the upstream or go to it, for the first time since `reportNextFlow`.
    case flowing
    /// `stop` has done its work: the loop can end.
    case stopped
}

/// The uplink's state with the addresses that people want to see.
public enum UplinkState: Equatable, Sendable {
    case resolving(Endpoint)
    case connecting(String)
    /// The TLS handshake.
    case securing(String)
    /// The dialogue that comes before everything else: which step of it, counted from 0.
    case greeting(String, step: Int)
    /// - Parameter attempts: Rounds of all addresses that it took.
    case ready(String, attempts: Int)
    /// The upstream has ended the connection, and what it sent is not read yet, for slow clients have no room.
    case ended(String)
    /// - Parameter lifetime: How long the connection had been ready, when it was one that was lost.
    case waiting(Uplink.Reason, address: String, until: ContinuousClock.Instant, lifetime: Duration?)
    /// Until the next connection: the last one was complete.
    case resting(String, until: ContinuousClock.Instant)
    case cancelled
}

/// Why an attempt to connect may succeed that has failed before.
public enum NetworkChange: Equatable, Sendable {
    /// This machine has a new address or a new route.
    case appeared
    /// There were more changes than the kernel keeps.
    case missed
    /// The machine was in suspend.
    case resumed
    /// A file was changed by which names are resolved.
    case resolverConfigured
}

/// A client as the kernel knew it when it connected.
public struct ClientIdentity: Hashable, Sendable {
    /// Counts the bridge's clients from 1.
    public let number: UInt32
    /// The name of its socket.
    public let socket: String
    public let pid: Int32
    public let uid: UInt32
}

/// Why a client is gone.
public enum LeaveReason: Equatable, Sendable {
    /// It closed its connection.
    case closed
    /// It held the others up for longer than its patience.
    case behind(bytes: Int)
    /// What it sent could not be divided into messages.
    case framing(FramingError)
    /// A message could not be translated, to be sent to it, or to the upstream.
    case unrepresentable(UnrepresentableError, Unrepresentable.Direction)
    /// A system call on its socket failed.
    case failed(SystemError)
    /// `disconnect` was called.
    case requested
    /// The daemon ends.
    case stopped
}

/// Why a program is not taken as a client.
public enum RefusalReason: Equatable, Sendable {
    /// `max-clients` are connected.
    case tooMany(limit: Int)
    /// `max-clients-per-user` of its user are connected.
    case tooManyOfUser(limit: Int)
}

/// Why clients are not being accepted.
public enum PauseReason: Equatable, Sendable {
    /// As many are connected as the limit of open files allows.
    case full(clients: Int)
    case failed(SystemError)
}

/// Why bytes or messages were thrown away: nothing is without a reason.
public enum DiscardReason: Int, Equatable, Sendable, CaseIterable {
    /// A message from the upstream that the connection's end cut off.
    case cutOff
    /// What could not be divided into messages, for which its connection was ended.
    case malformed
    /// Messages from the upstream that are longer than max-message, with `oversize: skip`.
    case oversize
    /// Messages from the upstream whose bytes are damaged, in framings that can tell.
    case damaged
    /// Bytes from the upstream that stand in no message, in framings that allow for that.
    case between
    /// The first message of a connection, or the rest of one, with `first-message: discard`.
    case first
    /// A message that a client had begun and never finished.
    case unfinished
    /// As `damaged`, from clients.
    case clientDamaged
    /// As `between`, from clients.
    case clientBetween
    /// Messages from clients while the upstream was away for too long.
    case upstreamAway
    /// What a client of a socket with `send: no` had sent.
    case notAllowed
    /// Messages that clients missed which read too slowly, on sockets with `when-behind: drop`: counted for each client.
    case behind
    /// Messages that the framing of those who were to get them cannot carry: counted for each socket.
    case unrepresentable
    /// Whole messages that the kernel had taken, and that the upstream had not acknowledged when the connection was lost.
    case unacknowledged
    /// Messages from clients that the upstream had not taken when the daemon ended.
    case stopped
}

/// Is told what happens. It may ask the bridge for its status, and must not change it.
public protocol BridgeObserver: AnyObject {
    func report(_ event: BridgeEvent)
}
