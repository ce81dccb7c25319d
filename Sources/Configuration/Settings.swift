public import Framing
public import Uplink

/// One bridge, as one file configures it: checked, with every default filled in.
public struct Configuration: Equatable, Sendable {
    /// The bridge's name: the file's, without `.yaml`.
    public var name: String
    public var upstream: UpstreamSettings
    /// In the order of the file; at least one.
    public var sockets: [SocketSettings]
    /// Size in bytes of the ring of received messages: a power of two.
    public var buffer: Int
    /// Size in bytes of the ring of messages to the upstream: a power of two.
    public var outbox: Int
    public var whenDown: WhenDown
    /// How long messages to the upstream wait while it is away; `nil` is for ever.
    public var holdTime: Duration?
    public var clientLimits: ClientLimits
    public var readyWhen: ReadyWhen
    public var control: ControlSettings

    /// What becomes of clients' messages while the upstream is away.
    public enum WhenDown: String, Equatable, Sendable, CaseIterable {
        /// They wait in the outbox, at most `holdTime` from the loss of the connection.
        case hold
        /// They are discarded at once.
        case discard
    }

    /// When the service manager is told that the service has started.
    public enum ReadyWhen: String, Equatable, Sendable, CaseIterable {
        /// As soon as clients can connect.
        case listening
        /// Once the upstream is connected for the first time.
        case connected
    }

    public init(
        name: String, upstream: UpstreamSettings, sockets: [SocketSettings], buffer: Int, outbox: Int,
        whenDown: WhenDown, holdTime: Duration?, clientLimits: ClientLimits, readyWhen: ReadyWhen,
        control: ControlSettings
    ) {
        self.name = name
        self.upstream = upstream
        self.sockets = sockets
        self.buffer = buffer
        self.outbox = outbox
        self.whenDown = whenDown
        self.holdTime = holdTime
        self.clientLimits = clientLimits
        self.readyWhen = readyWhen
        self.control = control
    }
}

/// The socket through which the bridge is watched and steered.
public struct ControlSettings: Equatable, Sendable {
    /// Permission bits of the socket in the file system.
    public var mode: UInt32
    /// The group that owns the socket; `nil` is the daemon's own.
    public var group: SocketSettings.Group?

    public init(mode: UInt32, group: SocketSettings.Group?) {
        self.mode = mode
        self.group = group
    }
}

/// How many clients a bridge takes, on all its sockets together.
public struct ClientLimits: Equatable, Sendable {
    /// `nil` is as many as there are descriptors for.
    public var total: Int?
    /// Of one user, as the kernel knows who connected; `nil` is no limit.
    public var perUser: Int?

    public init(total: Int?, perUser: Int?) {
        self.total = total
        self.perUser = perUser
    }

    /// Whether a client can be refused at all.
    public var mayRefuse: Bool { total != nil || perUser != nil }
}

/// The server, and how to speak to it.
public struct UpstreamSettings: Equatable, Sendable {
    /// What the server is said to speak, which has set what the file does not; `nil` if nothing is said.
    public var protocolName: String?
    /// Without what follows from `tls` and `onConnect`.
    public var uplink: Uplink.Settings
    /// How what the server sends is divided into messages.
    public var framing: Framing
    /// How what clients send is divided into messages.
    public var sendFraming: Framing
    /// The most payload bytes of one message, in either direction.
    public var maxMessage: Int
    public var oversize: Oversize
    /// What becomes of a client's message that `sendFraming` cannot carry.
    public var unrepresentable: Unrepresentable
    public var firstMessage: FirstMessage
    /// A connection on which nothing is received for so long is given up; `nil` is never.
    public var idleTimeout: Duration?
    /// A connection that takes nothing of what waits for it for so long is given up; `nil` is never.
    public var writeTimeout: Duration?
    /// The local address of TCP connections, in digits; `nil` leaves it to the kernel.
    public var bindAddress: String?
    /// `nil` for a connection that is not encrypted.
    public var tls: TLSSettings?
    /// The dialogue that comes before everything else on each connection, in order.
    public var onConnect: [DialogueStep]
    /// `nil` if there is nothing to be sent.
    public var heartbeat: HeartbeatSettings?
    public var keepalive: KeepaliveSettings

    /// What a message from the upstream leads to that is longer than `maxMessage`.
    public enum Oversize: String, Equatable, Sendable, CaseIterable {
        /// To a new connection.
        case reconnect
        /// It is passed over.
        case skip
    }

    /// What a message from a client leads to that cannot be sent as the upstream wants it.
    public enum Unrepresentable: String, Equatable, Sendable, CaseIterable {
        /// It is passed over.
        case skip
        /// The client is disconnected.
        case disconnect
    }

    /// What becomes of the first message of each connection, which may be the rest of one.
    public enum FirstMessage: String, Equatable, Sendable, CaseIterable {
        /// Clients get it as any other.
        case keep
        /// It is passed over, up to the first boundary.
        case discard
    }

    public init(
        protocolName: String? = nil, uplink: Uplink.Settings, framing: Framing, sendFraming: Framing,
        maxMessage: Int, oversize: Oversize, unrepresentable: Unrepresentable = .skip,
        firstMessage: FirstMessage = .keep,
        idleTimeout: Duration?, writeTimeout: Duration?, bindAddress: String?, tls: TLSSettings? = nil,
        onConnect: [DialogueStep] = [], heartbeat: HeartbeatSettings? = nil, keepalive: KeepaliveSettings
    ) {
        self.protocolName = protocolName
        self.uplink = uplink
        self.framing = framing
        self.sendFraming = sendFraming
        self.maxMessage = maxMessage
        self.oversize = oversize
        self.unrepresentable = unrepresentable
        self.firstMessage = firstMessage
        self.idleTimeout = idleTimeout
        self.writeTimeout = writeTimeout
        self.bindAddress = bindAddress
        self.tls = tls
        self.onConnect = onConnect
        self.heartbeat = heartbeat
        self.keepalive = keepalive
    }
}

/// A Unix stream socket that local programs connect to.
public struct SocketSettings: Equatable, Sendable {
    public var name: String
    /// Absolute, at most 107 bytes (unix(7)).
    public var path: String
    /// Permission bits of the socket in the file system.
    public var mode: UInt32
    /// The group that owns the socket; `nil` is the daemon's own.
    public var group: Group?
    /// How messages are framed here, in both directions; `nil` is as with the upstream, unchanged.
    public var framing: Framing?
    /// What becomes of a message that `framing` cannot carry.
    public var unrepresentable: Unrepresentable
    /// Whether clients may send to the upstream.
    public var maySend: Bool
    public var whenBehind: WhenBehind
    /// How long a client may hold the others up; `nil` is for ever.
    public var patience: Duration?

    /// A group of this machine.
    public struct Group: Equatable, Sendable {
        public var name: String
        public var id: UInt32

        public init(name: String, id: UInt32) {
            self.name = name
            self.id = id
        }
    }

    /// What a message for the clients leads to that cannot be written as they want it.
    public enum Unrepresentable: String, Equatable, Sendable, CaseIterable {
        /// They do not get it.
        case skip
        /// They are disconnected.
        case disconnect
        /// It is written with escapes: only in lines.
        case escape
    }

    /// What happens to a client whose patience is used up.
    public enum WhenBehind: String, Equatable, Sendable, CaseIterable {
        /// It is disconnected, and can come back.
        case disconnect
        /// It misses whole messages, until it has caught up.
        case drop
    }

    public init(
        name: String, path: String, mode: UInt32, group: Group?, framing: Framing? = nil,
        unrepresentable: Unrepresentable = .skip, maySend: Bool, whenBehind: WhenBehind, patience: Duration?
    ) {
        self.name = name
        self.path = path
        self.mode = mode
        self.group = group
        self.framing = framing
        self.unrepresentable = unrepresentable
        self.maySend = maySend
        self.whenBehind = whenBehind
        self.patience = patience
    }
}
