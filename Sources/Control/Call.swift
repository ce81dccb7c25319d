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
    /// What is asked for, or why it cannot be done.
    public let request: Result<Request, ControlError>
    /// The caller takes several replies.
    public let takesMore: Bool
    /// The caller wants no reply.
    public let isOneWay: Bool

    public init(_ request: Request, takesMore: Bool, isOneWay: Bool) {
        self.request = .success(request)
        self.takesMore = takesMore
        self.isOneWay = isOneWay
    }

    /// - Parameter bytes: A message without the NUL that ends it.
    /// - Throws: `malformed` when it is no call.
    public init(_ bytes: [UInt8]) throws(ControlError) {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)) else {
            throw .malformed
        }
        takesMore = envelope.more ?? false
        isOneWay = envelope.oneway ?? false
        do throws(ControlError) {
            request = .success(try Self.request(envelope.method, envelope.parameters ?? Parameters()))
        } catch {
            request = .failure(error)
        }
    }

    private static func request(_ method: String, _ parameters: Parameters) throws(ControlError) -> Request {
        guard let dot = method.lastIndex(of: ".") else { throw .interfaceNotFound("") }
        let interface = String(method[..<dot])
        guard Interface.definition(of: interface) != nil else { throw .interfaceNotFound(interface) }
        switch (interface, method[method.index(after: dot)...]) {
        case (Interface.serviceName, "GetInfo"): return .getInfo
        case (Interface.serviceName, "GetInterfaceDescription"):
            guard let name = parameters.interface else { throw .invalidParameter("interface") }
            return .getInterfaceDescription(name)
        case (Interface.name, "Describe"): return .describe
        case (Interface.name, "Monitor"): return .monitor
        case (Interface.name, "Reconnect"): return .reconnect
        case (Interface.name, "Disconnect"):
            guard let client = parameters.client else { throw .invalidParameter("client") }
            return .disconnect(client: client)
        case (Interface.name, "SetLogLevel"):
            guard let level = parameters.level else { throw .invalidParameter("level") }
            return .setLogLevel(level)
        default: throw .methodNotFound(method)
        }
    }

    private struct Envelope: Decodable {
        let method: String
        let more: Bool?
        let oneway: Bool?
        let parameters: Parameters?
    }

    /// Those of all methods: what is missing or of another type matters only to the method that needs it.
    private struct Parameters: Decodable {
        private(set) var interface: String?
        private(set) var client: Int?
        private(set) var level: String?

        private enum CodingKeys: String, CodingKey { case interface, client, level }

        init() {}

        init(from decoder: any Decoder) throws {
            guard let container = try? decoder.container(keyedBy: CodingKeys.self) else { return }
            interface = try? container.decode(String.self, forKey: .interface)
            client = try? container.decode(Int.self, forKey: .client)
            level = try? container.decode(String.self, forKey: .level)
        }
    }
}
