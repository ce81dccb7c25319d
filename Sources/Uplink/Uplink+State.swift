public import Framing

extension Uplink {
    /// What people are shown.
    public enum State: Equatable, Sendable {
        case setup
        case preparing(Phase)
        case ready
        /// Until the next attempt.
        case waiting(Failure, until: ContinuousClock.Instant)
        /// Until the next connection: the last one, to this endpoint, ended as it should.
        case resting(endpoint: Int, until: ContinuousClock.Instant)
        case cancelled
    }

    public enum Phase: Equatable, Sendable {
        case resolving(endpoint: Int)
        case connecting(endpoint: Int, candidate: Int)
        /// The TLS handshake.
        case securing(endpoint: Int)
        /// The dialogue that comes before everything else; `step` of it is next.
        case greeting(endpoint: Int, step: Int)
    }

    /// What went wrong, and with which endpoint.
    public struct Failure: Equatable, Sendable {
        public var endpoint: Int
        public var reason: Reason

        public init(endpoint: Int, reason: Reason) {
            self.endpoint = endpoint
            self.reason = reason
        }
    }

    public enum Reason: Equatable, Sendable {
        /// A name could not be looked up: the resolver's words. It is lasting when there is no such name.
        case unresolved(String, isLasting: Bool)
        /// A look-up took longer than `connect-timeout`.
        case resolutionTimedOut
        /// A system call failed with this errno.
        case system(call: String, errno: Int32)
        /// The socket could not be bound to this address, the `bind-address`.
        case notBound(String, errno: Int32)
        /// None of the addresses is of the same family as this one, the `bind-address`.
        case otherFamily(String)
        /// The address leads to one of the bridge's own sockets.
        case ownSocket
        /// A connection took longer than `connect-timeout`.
        case connectTimedOut
        /// The TLS handshake took longer than `connect-timeout`.
        case handshakeTimedOut
        /// TLS could not be begun, or was broken off: what happened, and what to do. It is lasting when nothing but a
        /// person can mend it, such as a certificate that has expired.
        case tls(String, isLasting: Bool)
        /// The connection ended without TLS saying so: what came last may have been cut off by anybody.
        case truncated
        /// The dialogue before everything else has failed in one of its steps, counted from 0. What the upstream said,
        /// as text that can be shown.
        case greeting(step: Int, GreetingFault, said: String)
        /// What `heartbeat` expects did not come in time.
        case heartbeatUnanswered
        /// The kernel has asked whether the upstream is still there, and no answer has come.
        case keepaliveUnanswered
        /// The upstream closed the connection.
        case ended
        /// Nothing was received for `idle-timeout`.
        case idle
        /// Nothing was answered after the address of ours that the connection came from had gone.
        case addressGone
        /// Somebody asked for a new connection.
        case requested
        /// It has stood for `failBack`, and the first endpoint is to be tried again.
        case failBack
        /// The upstream took nothing of what waited for it for `write-timeout`.
        case stuck
        case framing(FramingError)
    }

    public enum GreetingFault: Equatable, Sendable {
        /// The upstream said something else than was expected: this, as a configuration spells it.
        case unexpected(String)
        /// The upstream closed the connection.
        case ended
        /// The step took longer than its `timeout`.
        case timedOut
        /// What is to be sent is not to be had: the name of the credential, and why.
        case credential(String, reason: String)
    }

    public enum Effect: Equatable, Sendable {
        case resolve(step: UInt64, endpoint: Int)
        case connect(step: UInt64, endpoint: Int, candidate: Int)
        /// Begin the TLS handshake on the connection of this step, the only one that is left.
        case secure(step: UInt64)
        /// Begin the dialogue on the connection of this step.
        case greet(step: UInt64)
        /// Close the connection of this step, which has failed for this reason; `nil` when another one was faster.
        case close(step: UInt64, because: Reason? = nil)
        /// An endpoint was tried in vain: the attempt goes on with the next.
        case goOn(after: Failure)
        /// Close all that the attempt or the connection holds, if anything.
        case abandon
        case armTimer(at: ContinuousClock.Instant)
        case disarmTimer
        case announce(State)
    }
}

extension Uplink.Reason {
    /// Nothing but a person can mend it, as far as can be told from here: it is not tried again so soon.
    public var isLasting: Bool {
        switch self {
        case .unresolved(_, let isLasting), .tls(_, let isLasting): isLasting
        case .greeting(_, .unexpected, _), .greeting(_, .credential, _): true
        case .greeting(_, .ended, let said): !said.isEmpty
        case .greeting(_, .timedOut, _), .resolutionTimedOut, .system, .notBound, .otherFamily, .ownSocket,
            .connectTimedOut, .handshakeTimedOut, .truncated, .ended, .idle, .addressGone, .requested,
            .failBack,
            .heartbeatUnanswered, .keepaliveUnanswered, .stuck, .framing:
            false
        }
    }

    /// The login was refused: another address of the same server would refuse it as well.
    var endsEndpoint: Bool {
        if case .greeting = self { isLasting } else { false }
    }
}
