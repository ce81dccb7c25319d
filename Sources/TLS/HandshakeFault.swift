import COpenSSL

extension TLSError {
    /// What OpenSSL has found wrong in the handshake with what came from the peer, or what the peer has told in an alert.
    init(inHandshake entry: ErrorQueue.Entry?, with peer: String) {
        let operation = "no TLS handshake"
        guard let entry, let reason = entry.tlsReason else {
            self.init("\(operation): \(entry?.text ?? "for no known reason")", isLasting: true)
            return
        }
        if let alert = Alert(reason: reason) {
            self.init(alert, during: operation, with: peer)
            return
        }
        switch reason {
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG:
            self.init("\(operation): the \(peer) does not speak TLS there: check the port", isLasting: true)
        case SSL_R_UNSUPPORTED_PROTOCOL:
            self.init(
                "\(operation): the \(peer) speaks only versions of TLS older than minimum", isLasting: true)
        default:
            self.init("\(operation): \(entry.text)", isLasting: true)
        }
    }

    /// What has broken TLS off after the handshake: as the peer was understood before, it may well be again, unless it says
    /// otherwise.
    init(afterHandshake entry: ErrorQueue.Entry?, with peer: String) {
        let operation = "TLS was broken off"
        guard let alert = entry?.tlsReason.flatMap(Alert.init(reason:)) else {
            self.init("\(operation): \(entry?.text ?? "for no known reason")", isLasting: false)
            return
        }
        self.init(alert, during: operation, with: peer)
    }

    private init(_ alert: Alert, during operation: String, with peer: String) {
        self.init("\(operation): the \(peer) \(alert.words)", isLasting: alert.isLasting)
    }
}

/// What a peer tells before it ends a connection (RFC 8446, section 6).
struct Alert {
    private let number: Int32

    init?(reason: Int32) {
        guard reason >= SSL_AD_REASON_OFFSET, reason < SSL_AD_REASON_OFFSET + 256 else { return nil }
        number = reason - SSL_AD_REASON_OFFSET
    }

    /// An error within the server may be over soon.
    var isLasting: Bool { ![80, 90].contains(number) }

    /// What follows "the server", or "the client".
    var words: String {
        switch number {
        case 116: "wants a certificate of ours: set certificate and key"
        case 41...46: "refuses our certificate (\(name))"
        case 48: "refuses our certificate, for it does not know who signed it (\(name))"
        case 40:
            "finds nothing that both sides can do (\(name)): versions, ciphers, or a certificate of ours is missing"
        case 70: "speaks no version of TLS that minimum allows (\(name))"
        case 112: "does not know the name that it was asked for (\(name)): check server-name"
        case 120: "speaks none of the protocols in alpn (\(name))"
        default: "refuses (\(name))"
        }
    }

    /// As RFC 8446 calls it.
    private var name: String {
        let text = unsafe SSL_alert_desc_string_long(number).map { unsafe String(cString: $0) } ?? "unknown"
        return "alert \(number), \(text)"
    }
}
