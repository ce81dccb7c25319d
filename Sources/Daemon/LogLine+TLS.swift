import Configuration
import Linux
import Systemd
import TLS

extension LogLine {
    /// The same line, of a connection with TLS; `isPinned` if the server has shown a key of `pin`.
    func with(_ tls: TLSDetails, isPinned: Bool) -> LogLine {
        let doubt = isPinned ? "not verified but for its key" : "not verified"
        let words = [tls.version] + (tls.isResumed ? ["resumed"] : []) + (tls.isVerified ? [] : [doubt])
        return LogLine(kind, level, "\(text) (\(words.joined(separator: ", ")))", fields + tls.fields)
    }

    /// Anybody could be the upstream.
    init(unverified settings: TLSSettings) {
        let consequence =
            settings.pins.isEmpty
            ? "anybody in between can read and change everything" : "only its key is compared with pin"
        self.init(
            .unverified, .warning,
            "the upstream's certificate is not verified (tls: verify: insecure): \(consequence)")
    }

    /// - Parameters:
    ///   - certificate: Expires in not so long a time.
    ///   - address: The upstream's, whose certificate it is.
    ///   - now: Seconds since 1970.
    init(expiring certificate: Certificate, of address: String, now: Int) {
        let days = (certificate.notAfter - now) / 86400
        let when = days < 1 ? "within a day" : "in \(counted(days, "day"))"
        self.init(
            .certificateExpires, .warning,
            "the certificate of \(address), of \(certificate.subject), expires \(when), on \(certificate.expiry):"
                + " no connection can be made then, unless it is renewed on the server",
            [.upstream(address), JournalField("TLS_NOT_AFTER", certificate.expiry)])
    }
}

extension TLSDetails {
    fileprivate var fields: [JournalField] {
        var fields = [
            JournalField("TLS_VERSION", version), JournalField("TLS_CIPHER", cipher),
            JournalField("TLS_RESUMED", isResumed ? "yes" : "no"),
            JournalField("TLS_VERIFIED", isVerified ? "yes" : "no"),
        ]
        if let alpn { fields.append(JournalField("TLS_ALPN", alpn)) }
        if let certificate {
            fields += [
                JournalField("TLS_SUBJECT", certificate.subject),
                JournalField("TLS_ISSUER", certificate.issuer),
                JournalField("TLS_NOT_AFTER", certificate.expiry),
            ]
        }
        return fields
    }
}

/// Chooses when to warn of a certificate that expires soon: at a connection, and once a day at the most.
struct ExpiryLog {
    /// So many days before.
    static let notice = 14
    private static let day = 86400

    private var lastWarning: Int?

    /// - Parameters:
    ///   - tls: What was agreed upon with the upstream, which has just connected.
    ///   - address: Where it is.
    ///   - now: Seconds since 1970.
    /// - Returns: A warning, if it is time for one.
    mutating func line(for tls: TLSDetails, of address: String, now: Int) -> LogLine? {
        // What is not verified may expire without any harm.
        guard tls.isVerified, let certificate = tls.certificate,
            certificate.notAfter - now < Self.notice * Self.day
        else { return nil }
        if let lastWarning, (0..<Self.day).contains(now - lastWarning) { return nil }
        lastWarning = now
        return LogLine(expiring: certificate, of: address, now: now)
    }
}
