extension Keys {
    static let tls = Table<TLSSettings>([
        Key(
            "verify", \.verify, .choice, .text("full"),
            "Whether the server must prove who it is; insecure lets anybody be the server."),
        Key(
            "ca-file", \.caFile, .optional(.file), .derived("what the system trusts") { _, _ in nil },
            "PEM file with the only certificates that are trusted: a CA's, or the server's own."),
        Key(
            "server-name", \.serverName, .optional(.serverName), .derived("the address's") { _, _ in nil },
            "Whose certificate is demanded, and asked for."),
        Key(
            "certificate", \.certificate, .optional(.file), .derived("none") { _, _ in nil },
            "PEM file with the certificate that the server may ask for, and its chain."),
        Key(
            "key", \.key, .optional(.file), .derived("in the file certificate") { _, _ in nil },
            "PEM file with the certificate's key, not encrypted."),
        Key("minimum", \.minimum, .choice, .text("1.2"), "The oldest version of TLS."),
        Key(
            "alpn", \.alpn, .listOrNone(.protocolName), .derived("none") { _, _ in [] },
            "The protocols that are offered, the best first."),
        Key(
            "pin", \.pins, .listOrNone(.pin), .derived("none") { _, _ in [] },
            "The server's key must be one of these."),
    ])
}

extension ValueType where Value == TLSSettings? {
    /// `no`, `yes`, or a mapping.
    static var tls: ValueType {
        let mapping = ValueType<TLSSettings>.mapping(TLSSettings(), Keys.tls, style: .flow)
        let allowed = Allowed([
            "yes", "no", "a mapping with the keys \(Keys.tls.keys.map(\.name).joined(separator: ", "))",
        ])
        return ValueType("yes | no, or a mapping", allowed, rows: mapping.rows) { node, decoding in
            switch node.content {
            case .mapping: return .some(mapping.read(node, &decoding))
            case .text(let text):
                switch ValueType<Bool>.parse(text) {
                case true?:
                    let empty = Node(position: node.position, content: .mapping([]))
                    return .some(mapping.read(empty, &decoding))
                case false?: return .some(nil)
                case nil: break
                }
            case .nothing, .list, .refused: break
            }
            decoding.refuse(node, allowed: allowed)
            return nil
        } write: { settings in
            guard let settings else { return .scalar("no") }
            return mapping.write(settings)
        }
    }
}

extension ValueType where Value == FileSource {
    static var file: ValueType {
        .scalar("FILE", Allowed(["an absolute path", "credential:NAME"])) { text in
            FileSource(text)
        } print: { source in
            source.description
        }
    }
}

extension ValueType where Value == String {
    /// A host name (RFC 952, RFC 1123), or an IP address in digits.
    static var serverName: ValueType {
        .scalar("NAME", Allowed(["a host name", "an IP address without brackets"])) { text in
            isIPv4(text) || isIPv6(text) || isHostName(text) ? text : nil
        } print: { name in
            name
        }
    }

    /// A protocol's name (RFC 7301).
    static var protocolName: ValueType {
        .scalar("PROTOCOL", Allowed("1 to 255 printable ASCII characters, such as h2")) { text in
            (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? text : nil
        } print: { name in
            name
        }
    }

    /// A SHA-256 in base64, also as curl(1) wants it.
    static var pin: ValueType {
        let prefix = "sha256//"
        return .scalar("PIN", Allowed("sha256// and the SHA-256 of a public key in base64")) { text in
            let digest = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
            return isSHA256(base64: digest) ? digest : nil
        } print: { digest in
            prefix + digest
        }
    }
}

private func isHostName(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.utf8.count) && isName(String(label))
    }
}

/// Whether text is 32 bytes in base64 (RFC 4648), in the one way to write them.
private func isSHA256(base64 text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 44, bytes[43] == UInt8(ascii: "=") else { return false }
    // The last digit has four bits of the bytes, and two that are 0.
    return bytes[..<43].allSatisfy(isBase64) && "AEIMQUYcgkosw048".utf8.contains(bytes[42])
}

private func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
    default: false
    }
}
