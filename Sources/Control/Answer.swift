import FoundationEssentials

/// A reply as a control client reads it.
public struct Answer<Parameters: Decodable & Sendable>: Sendable {
    public let parameters: Parameters
    /// More follow.
    public let continues: Bool

    /// - Parameter bytes: A message without its NUL.
    /// - Throws: `Refusal` when the service answered with an error, or with what cannot be understood.
    public init(_ bytes: some Sequence<UInt8>) throws(Refusal) {
        let data = Data(bytes)
        if let failure = try? JSONDecoder().decode(Failure.self, from: data) {
            throw Refusal(error: failure.error)
        }
        guard let reply = try? JSONDecoder().decode(Success.self, from: data) else {
            throw Refusal(error: "an answer that cannot be understood")
        }
        parameters = reply.parameters
        continues = reply.continues ?? false
    }

    private struct Success: Decodable {
        let parameters: Parameters
        let continues: Bool?
    }

    private struct Failure: Decodable {
        let error: String
    }
}

/// An error that a service answered with: `org.varlink.service.MethodNotFound`.
public struct Refusal: Error, Equatable, Sendable {
    public let error: String
}
