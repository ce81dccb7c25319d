import FoundationEssentials

/// What a control client asks for: the methods of `org.varlink.service` and `org.trunkline.Bridge`.
public enum Request: Equatable, Sendable {
    case getInfo
    case getInterfaceDescription(String)
    case describe
    case monitor
    case reconnect
    /// A client, by its number.
    case disconnect(client: Int)
    case setLogLevel(String)
}

/// A call of Varlink: one JSON object (https://varlink.org/Method-Call).
public struct Call: Equatable, Sendable {
    public let request: Request
    /// The caller takes several replies.
    public let takesMore: Bool
    /// The caller wants no reply.
    public let isOneWay: Bool

    public init(_ request: Request, takesMore: Bool, isOneWay: Bool) {
        self.request = request
        self.takesMore = takesMore
        self.isOneWay = isOneWay
    }

    /// - Parameter bytes: A message without the NUL that ends it.
    /// - Throws: What to answer, if it can be answered: `malformed` cannot.
    public init(_ bytes: [UInt8]) throws(ControlError) {
        let envelope: Envelope = try Self.decode(bytes)
        takesMore = envelope.more ?? false
        isOneWay = envelope.oneway ?? false
        request = try Self.request(envelope.method, bytes)
    }

    private static func request(_ method: String, _ bytes: [UInt8]) throws(ControlError) -> Request {
        guard let dot = method.lastIndex(of: ".") else { throw .interfaceNotFound("") }
        let interface = String(method[..<dot])
        guard [Interface.name, Interface.serviceName].contains(interface) else {
            throw .interfaceNotFound(interface)
        }
        switch (interface, method[method.index(after: dot)...]) {
        case (Interface.serviceName, "GetInfo"): return .getInfo
        case (Interface.serviceName, "GetInterfaceDescription"):
            return .getInterfaceDescription(try parameter("interface", of: bytes))
        case (Interface.name, "Describe"): return .describe
        case (Interface.name, "Monitor"): return .monitor
        case (Interface.name, "Reconnect"): return .reconnect
        case (Interface.name, "Disconnect"): return .disconnect(client: try parameter("client", of: bytes))
        case (Interface.name, "SetLogLevel"): return .setLogLevel(try parameter("level", of: bytes))
        default: throw .methodNotFound(method)
        }
    }

    private static func parameter<Value: Decodable & Sendable>(
        _ name: String, of bytes: [UInt8]
    ) throws(ControlError) -> Value {
        do {
            let parameters = try JSONDecoder().decode(Parameters<Value>.self, from: Data(bytes)).parameters
            guard let value = parameters[name] else { throw ControlError.invalidParameter(name) }
            return value
        } catch {
            throw .invalidParameter(name)
        }
    }

    private static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(ControlError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw .malformed
        }
    }

    private struct Envelope: Decodable {
        let method: String
        let more: Bool?
        let oneway: Bool?
    }

    /// No method has more than one parameter, so all are of one type.
    private struct Parameters<Value: Decodable>: Decodable {
        let parameters: [String: Value]
    }
}
