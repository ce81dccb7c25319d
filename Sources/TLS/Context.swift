import COpenSSL

/// Versions of TLS that can be the oldest.
public enum TLSVersion: Sendable {
    case tls12
    case tls13

    var number: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }
}

/// The owner of an SSL_CTX: what is settled before a connection.
@safe final class Context {
    /// Many small records are read with one system call.
    static let readBuffer = 64 << 10

    let raw: OpaquePointer

    init(isServer: Bool, minimum: TLSVersion) throws(TLSError) {
        ErrorQueue.clear()
        guard let raw = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError("cannot set TLS up: \(ErrorQueue.takeText())", isLasting: false)
        }
        unsafe self.raw = unsafe raw
        unsafe tl_ssl_context_tune(raw, Self.readBuffer)
        _ = unsafe tl_ssl_context_set_minimum(raw, minimum.number)
        // A key that is encrypted is not asked a password for: nobody is there.
        unsafe SSL_CTX_set_default_passwd_cb(raw) { _, _, _, _ in -1 }
    }

    deinit { unsafe SSL_CTX_free(raw) }

    /// Proves who we are.
    ///
    /// - Parameters:
    ///   - certificate: A PEM file with the certificate, and those between it and its root, in order.
    ///   - key: A PEM file with its key.
    /// - Throws: What is wrong with one of them.
    func use(certificate: String, key: String) throws(TLSError) {
        ErrorQueue.clear()
        guard unsafe SSL_CTX_use_certificate_chain_file(raw, certificate) == 1 else {
            throw TLSError(
                "cannot read certificate \(certificate): \(ErrorQueue.takeText())", isLasting: true)
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(raw, key, SSL_FILETYPE_PEM) == 1 else {
            let words = ErrorQueue.takeText()
            throw TLSError("cannot use key \(key) for certificate \(certificate): \(words)", isLasting: true)
        }
    }

    func trust(_ store: TrustStore.Store) { unsafe SSL_CTX_set1_cert_store(raw, store.raw) }
}
