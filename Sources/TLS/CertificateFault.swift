import COpenSSL

/// The first thing that OpenSSL found wrong with the server's certificate, or with one that vouches for it.
struct CertificateFault {
    /// One of `X509_V_ERR_…`.
    let code: Int32
    /// How many certificates are between it and the server's own, which is at 0.
    let depth: Int32
    let certificate: Certificate

    /// - Parameters:
    ///   - serverName: Which server the certificate should be of.
    ///   - now: This machine's clock, in seconds since 1970.
    /// - Returns: Which certificate is at fault, why, and what to do.
    func error(serverName: String, now: Int) -> TLSError {
        TLSError("\(whose) \(what(serverName, now))", isLasting: true)
    }

    private var whose: String {
        let subject = certificate.subject.isEmpty ? "without a subject" : "of \(certificate.subject)"
        return depth == 0
            ? "the server's certificate, \(subject),"
            : "a certificate above the server's (depth \(depth)), \(subject),"
    }

    private func what(_ serverName: String, _ now: Int) -> String {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return "expired on \(date(certificate.notAfter)): it must be renewed on the server"
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return
                "is not valid before \(date(certificate.notBefore)), and here it is \(date(now)): check the clock"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let names = certificate.names.joined(separator: ", ")
            return "is not for \(serverName), but for \(names.isEmpty ? "no name" : names):"
                + " set server-name if that is the right server"
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return "is signed by itself: if it is the right one, name a file with it as ca-file"
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            return "is signed by \(certificate.issuer), whom nobody here vouches for:"
                + " if that is right, name its certificate as ca-file; else the server leaves out one of its chain"
        default:
            let words = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
            return "was refused: \(words)"
        }
    }
}
