/// Where an upstream can be reached.
public enum Endpoint: Equatable, Sendable {
    /// A name, or an IPv4 or IPv6 address without brackets, and a TCP port.
    case host(String, port: UInt16)
    /// A Unix stream socket.
    case unix(path: String)
}

extension Endpoint: CustomStringConvertible {
    /// As a configuration spells it: `feed.example.org:10110`, `[2001:db8::1]:10110`, `unix:/run/feed`.
    public var description: String {
        switch self {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Reads what `description` writes; `nil` for anything else.
    public init?(_ text: String) {
        // The kernel and the resolver would take a NUL for the end.
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/") else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard let port = UInt16(digits), port > 0, digits == String(port) else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.contains(":") == isBracketed,
            !host.contains(where: { "[]/".contains($0) || $0.isWhitespace })
        else { return nil }
        self = .host(String(host), port: port)
    }
}
