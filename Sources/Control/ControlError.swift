/// Why a call is not done.
public enum ControlError: Error, Equatable, Sendable {
    /// It is no call of Varlink: the connection has to be closed.
    case malformed
    case interfaceNotFound(String)
    case methodNotFound(String)
    /// The parameter of this name is missing, or of another type.
    case invalidParameter(String)
    /// No client has this number.
    case noSuchClient(Int)
    /// Who connected may look, but not steer.
    case permissionDenied
    /// The method answers more than once, and has to be called with `more`.
    case expectedMore

    /// The error's name and its parameter in a reply (https://varlink.org/Service).
    var reply: (name: String, parameter: (key: String, value: JSONScalar)?) {
        switch self {
        case .malformed: preconditionFailure("a malformed call cannot be answered")
        case .interfaceNotFound(let name):
            ("\(Interface.serviceName).InterfaceNotFound", ("interface", .text(name)))
        case .methodNotFound(let name): ("\(Interface.serviceName).MethodNotFound", ("method", .text(name)))
        case .invalidParameter(let name):
            ("\(Interface.serviceName).InvalidParameter", ("parameter", .text(name)))
        case .noSuchClient(let number): ("\(Interface.name).NoSuchClient", ("client", .number(number)))
        case .permissionDenied: ("\(Interface.serviceName).PermissionDenied", nil)
        case .expectedMore: ("\(Interface.serviceName).ExpectedMore", nil)
        }
    }
}

/// A value of an error's parameter.
enum JSONScalar: Encodable {
    case text(String)
    case number(Int)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}
