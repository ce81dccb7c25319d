import Control

extension StatusText {
    /// What is to be said of an encrypted connection; nothing of another.
    func tls(_ tls: TLSDescription?, isPinned: Bool) -> [String] {
        guard let tls else { return [] }
        let terms =
            [tls.version, tls.cipher] + [tls.alpn].compactMap(\.self) + (tls.resumed ? ["resumed"] : [])
        let names = tls.names.isEmpty ? "no name" : tls.names.map(printable).joined(separator: ", ")
        var lines = [
            terms.map(printable).joined(separator: ", "),
            "\(printable(tls.subject)), issued by \(printable(tls.issuer))",
            "until \(clock.date(tls.notAfter)), for \(names)",
        ]
        if !tls.verified {
            let rest = isPinned ? "; but its key is that of a pin" : ""
            lines.append(
                palette.paint(
                    "not verified: the configuration says verify: insecure\(rest)",
                    isPinned ? .yellow : .red))
        }
        return lines
    }
}
