extension Call {
    /// The call as a client sends it, with the NUL that ends it.
    ///
    /// - Precondition: It asks for something that can be done.
    public var message: [UInt8] {
        guard case .success(let request) = request else {
            preconditionFailure("a call that was refused is not sent on")
        }
        let (method, parameter) = request.wireForm
        return Reply.json(
            Outgoing(
                method: method, parameters: parameter.map { [$0.key: $0.value] } ?? [:],
                more: takesMore ? true : nil, oneway: isOneWay ? true : nil)) + [0]
    }

    private struct Outgoing: Encodable {
        let method: String
        let parameters: [String: JSONScalar]
        let more: Bool?
        let oneway: Bool?
    }
}

extension Request {
    fileprivate var wireForm: (method: String, parameter: (key: String, value: JSONScalar)?) {
        switch self {
        case .getInfo: ("\(Interface.serviceName).GetInfo", nil)
        case .getInterfaceDescription(let name):
            ("\(Interface.serviceName).GetInterfaceDescription", ("interface", .text(name)))
        case .describe: ("\(Interface.name).Describe", nil)
        case .monitor: ("\(Interface.name).Monitor", nil)
        case .reconnect: ("\(Interface.name).Reconnect", nil)
        case .disconnect(let client): ("\(Interface.name).Disconnect", ("client", .number(client)))
        case .setLogLevel(let level): ("\(Interface.name).SetLogLevel", ("level", .text(level)))
        }
    }
}
