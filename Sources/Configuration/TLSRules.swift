import Uplink

extension Decoding {
    /// Reports settings of TLS that contradict each other.
    mutating func checkTLS(_ upstream: UpstreamSettings) {
        guard let tls = upstream.tls, isSound("upstream.tls") else { return }
        if let key = tls.key, tls.certificate == nil {
            refuse(
                key: "upstream.tls.key", effective: "\"\(printable("\(key)"))\"",
                "allowed with certificate only, which it belongs to")
        }
        if let file = tls.caFile, tls.verify == .insecure {
            refuse(
                key: "upstream.tls.ca-file", effective: "\"\(printable("\(file)"))\"",
                "allowed with verify: full only: nothing is verified otherwise")
        }
        guard tls.serverName == nil, tls.verify == .full, isSound("upstream.address"),
            let endpoint = upstream.uplink.endpoints.first(where: {
                if case .unix = $0 { true } else { false }
            })
        else { return }
        let place = isGiven("upstream.tls.server-name") ? "upstream.tls.server-name" : "upstream.tls"
        refuse(
            key: place, effective: "no server-name",
            "allowed is a mapping with server-name, for the address \(printable("\(endpoint)")) has no name to verify"
        )
    }
}
