/// What `Describe` answers. Names and units are those of `Interface.bridge`.
public struct Description: Codable, Equatable, Sendable {
    public var bridge: BridgeDescription
    public var clients: [ClientDescription]

    public init(bridge: BridgeDescription, clients: [ClientDescription]) {
        self.bridge = bridge
        self.clients = clients
    }
}

public struct BridgeDescription: Codable, Equatable, Sendable {
    public var name: String
    public var version: String
    public var pid: Int32
    public var since: Int
    public var status: String
    public var configuration: String
    public var logLevel: String
    public var uplink: UplinkDescription
    public var received: AmountDescription
    public var sent: AmountDescription
    public var receiveRates: RatesDescription
    public var sendRates: RatesDescription
    public var counters: [CounterDescription]
    public var buffer: FillDescription
    public var outbox: FillDescription
    public var sockets: [SocketDescription]

    public init(
        name: String, version: String, pid: Int32, since: Int, status: String, configuration: String,
        logLevel: String, uplink: UplinkDescription, received: AmountDescription, sent: AmountDescription,
        receiveRates: RatesDescription, sendRates: RatesDescription, counters: [CounterDescription],
        buffer: FillDescription, outbox: FillDescription, sockets: [SocketDescription]
    ) {
        self.name = name
        self.version = version
        self.pid = pid
        self.since = since
        self.status = status
        self.configuration = configuration
        self.logLevel = logLevel
        self.uplink = uplink
        self.received = received
        self.sent = sent
        self.receiveRates = receiveRates
        self.sendRates = sendRates
        self.counters = counters
        self.buffer = buffer
        self.outbox = outbox
        self.sockets = sockets
    }
}

public struct UplinkDescription: Codable, Equatable, Sendable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case starting, resolving, connecting, securing, greeting, ready, ended, waiting, resting, stopping
    }
    public var state: State
    public var upstream: String
    public var since: Int
    public var outageSince: Int?
    public var reason: String?
    public var nextAttempt: Int?
    public var attempts: Int
    public var connections: Int
    public var addresses: [AddressDescription]
    public var tls: TLSDescription?

    public init(
        state: State, upstream: String, since: Int, outageSince: Int? = nil, reason: String? = nil,
        nextAttempt: Int? = nil,
        attempts: Int, connections: Int, addresses: [AddressDescription], tls: TLSDescription? = nil
    ) {
        self.state = state
        self.upstream = upstream
        self.since = since
        self.outageSince = outageSince
        self.reason = reason
        self.nextAttempt = nextAttempt
        self.attempts = attempts
        self.connections = connections
        self.addresses = addresses
        self.tls = tls
    }
}

public struct AddressDescription: Codable, Equatable, Sendable {
    public var address: String
    public var reason: String?

    public init(address: String, reason: String?) {
        self.address = address
        self.reason = reason
    }
}

public struct AmountDescription: Codable, Equatable, Sendable {
    public var messages: Int
    public var bytes: Int

    public init(messages: Int, bytes: Int) {
        self.messages = messages
        self.bytes = bytes
    }
}

public struct RateDescription: Codable, Equatable, Sendable {
    public var messages: Double
    public var bytes: Double

    public init(messages: Double, bytes: Double) {
        self.messages = messages
        self.bytes = bytes
    }
}

public struct RatesDescription: Codable, Equatable, Sendable {
    public var second: RateDescription
    public var tenSeconds: RateDescription
    public var minute: RateDescription

    public init(second: RateDescription, tenSeconds: RateDescription, minute: RateDescription) {
        self.second = second
        self.tenSeconds = tenSeconds
        self.minute = minute
    }
}

public struct CounterDescription: Codable, Equatable, Sendable {
    public var reason: String
    public var times: Int
    public var messages: Int
    public var bytes: Int

    public init(reason: String, times: Int, messages: Int, bytes: Int) {
        self.reason = reason
        self.times = times
        self.messages = messages
        self.bytes = bytes
    }
}

public struct FillDescription: Codable, Equatable, Sendable {
    public var used: Int
    public var size: Int

    public init(used: Int, size: Int) {
        self.used = used
        self.size = size
    }
}

public struct SocketDescription: Codable, Equatable, Sendable {
    public var name: String
    public var path: String
    public var clients: Int
    public var trouble: String?

    public init(name: String, path: String, clients: Int, trouble: String?) {
        self.name = name
        self.path = path
        self.clients = clients
        self.trouble = trouble
    }
}

public struct ClientDescription: Codable, Equatable, Sendable {
    public var number: Int
    public var socket: String
    public var pid: Int32
    public var uid: UInt32
    public var command: String?
    public var since: Int
    public var lag: AmountDescription
    public var sent: AmountDescription
    public var received: AmountDescription
    public var missed: AmountDescription
    public var skipping: Bool

    public init(
        number: Int, socket: String, pid: Int32, uid: UInt32, command: String?, since: Int,
        lag: AmountDescription, sent: AmountDescription, received: AmountDescription,
        missed: AmountDescription, skipping: Bool
    ) {
        self.number = number
        self.socket = socket
        self.pid = pid
        self.uid = uid
        self.command = command
        self.since = since
        self.lag = lag
        self.sent = sent
        self.received = received
        self.missed = missed
        self.skipping = skipping
    }
}

/// The reply of `Describe`, written piece by piece: with a thousand clients it is long.
public struct DescriptionWriter: Sendable {
    private var isFirst = true

    public init() {}

    public func head(_ bridge: BridgeDescription) -> [UInt8] {
        Array(#"{"parameters":{"bridge":"#.utf8) + Reply.json(bridge) + Array(#","clients":["#.utf8)
    }

    public mutating func client(_ client: ClientDescription) -> [UInt8] {
        defer { isFirst = false }
        return (isFirst ? [] : [UInt8(ascii: ",")]) + Reply.json(client)
    }

    public var tail: [UInt8] { Array("]}}".utf8) + [0] }
}

/// What one reply of `Monitor` tells.
public struct EventDescription: Codable, Equatable, Sendable {
    public var event: String
    public var level: String
    public var text: String
    public var time: Int
    public var fields: [String: String]

    public init(event: String, level: String, text: String, time: Int, fields: [String: String]) {
        self.event = event
        self.level = level
        self.text = text
        self.time = time
        self.fields = fields
    }
}
