import Uplink

extension ValueType where Value == Endpoint {
    static var address: ValueType {
        let allowed = Allowed(["host:port", "[IPv6 address]:port", "unix:/path"])
        return ValueType("ADDRESS", allowed) { node, decoding in
            guard case .text(let text) = node.content else {
                decoding.refuse(node, allowed: allowed)
                return nil
            }
            if let endpoint = endpoint(text) { return endpoint }
            decoding.refuse(node, allowed: allowed, problem: problem(text))
            return nil
        } write: { endpoint in
            .scalar(endpoint.description)
        }
    }

    private static func endpoint(_ text: String) -> Endpoint? {
        guard text.unicodeScalars.allSatisfy(isPrintable), let endpoint = Endpoint(text) else { return nil }
        switch endpoint {
        case .unix(let path): return isPath(path) && path.utf8.count <= longestSocketPath ? endpoint : nil
        case .host(let host, _): return host.contains(":") && !isIPv6(host) ? nil : endpoint
        }
    }

    /// What of text is not as in any address, if that is plain to see.
    private static func problem(_ text: String) -> String? {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            if !path.hasPrefix("/") { return "whose path is not absolute" }
            return path.utf8.count > longestSocketPath
                ? "whose path has \(path.utf8.count) bytes, more than \(longestSocketPath)" : nil
        }
        if text.contains("://") { return "with a scheme, which is not used here" }
        guard let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") else { return "without a port" }
        if isIPv6(text) || isIPv6(String(text[..<colon])) { return "an IPv6 address without brackets" }
        let port = text[text.index(after: colon)...]
        guard !port.isEmpty, port.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return "whose port is no number"
        }
        return (UInt16(port) ?? 0) == 0 ? "whose port is not from 1 to 65535" : nil
    }
}
