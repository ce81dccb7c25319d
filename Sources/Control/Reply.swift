import FoundationEssentials

/// Replies of Varlink, as bytes that end with their NUL (https://varlink.org/Method-Call).
public enum Reply {
    /// - Parameters:
    ///   - parameters: What the method returns.
    ///   - continues: More replies follow.
    /// - Returns: The reply.
    public static func success(_ parameters: some Encodable, continues: Bool = false) -> [UInt8] {
        encode(Success(parameters: parameters, continues: continues ? true : nil))
    }

    /// A method that returns nothing.
    public static var success: [UInt8] { success([String: String]()) }

    public static func failure(_ error: ControlError) -> [UInt8] {
        let reply = error.reply
        let parameters = reply.parameter.map { [$0.key: $0.value] } ?? [:]
        return encode(Failure(error: reply.name, parameters: parameters))
    }

    /// What `GetInfo` returns, of a program of this version.
    public static func info(version: String) -> [UInt8] {
        success(
            Info(
                vendor: "Trunkline", product: "trunklined", version: version, url: "man:trunklinectl(1)",
                interfaces: [Interface.serviceName, Interface.name]))
    }

    private static func encode(_ reply: some Encodable) -> [UInt8] { json(reply) + [0] }

    /// - Precondition: The value can be encoded, as all of ours can.
    static func json(_ value: some Encodable) -> [UInt8] {
        guard let data = try? JSONEncoder().encode(value) else {
            preconditionFailure("a reply that is no JSON")
        }
        return [UInt8](data)
    }

    private struct Success<Parameters: Encodable>: Encodable {
        let parameters: Parameters
        let continues: Bool?
    }

    private struct Failure: Encodable {
        let error: String
        let parameters: [String: JSONScalar]
    }

    private struct Info: Encodable {
        let vendor: String
        let product: String
        let version: String
        let url: String
        let interfaces: [String]
    }
}
