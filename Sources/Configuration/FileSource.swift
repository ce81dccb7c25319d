/// Where a file is.
public enum FileSource: Equatable, Sendable {
    /// An absolute path.
    case path(String)
    /// A credential of the service (systemd.exec(5), `LoadCredential=`).
    case credential(String)
}

extension FileSource: CustomStringConvertible {
    private static let prefix = "credential:"

    /// As a configuration spells it.
    public var description: String {
        switch self {
        case .path(let path): path
        case .credential(let name): Self.prefix + name
        }
    }

    /// Reads what `description` writes; `nil` for anything else.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else {
            guard isPath(text) else { return nil }
            self = .path(text)
            return
        }
        let name = String(text.dropFirst(Self.prefix.count))
        guard isCredentialName(name) else { return nil }
        self = .credential(name)
    }
}

/// Whether systemd takes this for a credential's name, which is that of a file.
func isCredentialName(_ name: some StringProtocol) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
        && name.utf8.allSatisfy {
            0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
        }
}
