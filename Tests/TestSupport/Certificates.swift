import COpenSSL

/// A certificate and its key, in PEM.
public struct Identity: Sendable {
    /// With those between it and its root.
    public var certificate: String { own + chain }
    public let key: String
    private let own: String
    private let chain: String

    fileprivate init(own: String, chain: String, key: String) {
        self.own = own
        self.chain = chain
        self.key = key
    }

    /// Without those between it and its root.
    public var alone: Identity { Identity(own: own, chain: "", key: key) }
}

/// Signs certificates for tests, which are made when they run.
public final class CertificateAuthority {
    /// How a certificate is to differ from a good one.
    public struct Request {
        /// As in `DNS:feed.test,IP:127.0.0.1`; empty for none.
        public var names: String
        /// From now, in seconds.
        public var validFrom = -60
        public var validUntil = 86400 * 90

        public init(
            names: String = "DNS:localhost,IP:127.0.0.1", validFrom: Int = -60, validUntil: Int = 86400 * 90
        ) {
            self.names = names
            self.validFrom = validFrom
            self.validUntil = validUntil
        }
    }

    private let name: String
    private let raw: OpaquePointer
    private let key: OpaquePointer
    private let chain: String
    /// Its own certificate, in PEM.
    public let certificate: String

    /// One that nobody else vouches for, or that another one has signed.
    public init(
        _ name: String = "Test CA", signedBy issuer: CertificateAuthority? = nil, validUntil: Int = 86400 * 90
    ) {
        self.name = name
        key = Self.makeKey()
        let raw = Self.make(
            name, Request(names: "", validUntil: validUntil), key: key, isAuthority: true,
            issuer: issuer.map { ($0.raw, $0.key) })
        self.raw = raw
        certificate = Self.pem { PEM_write_bio_X509($0, raw) }
        chain = issuer == nil ? "" : certificate
    }

    deinit {
        X509_free(raw)
        EVP_PKEY_free(key)
    }

    public func issue(_ name: String = "server", _ request: Request = Request()) -> Identity {
        Self.identity(name, request, issuer: (raw, key), chain: chain)
    }

    /// One that has signed itself.
    public static func selfSigned(_ name: String = "server", _ request: Request = Request()) -> Identity {
        identity(name, request, issuer: nil, chain: "")
    }

    // MARK: OpenSSL

    private static func identity(
        _ name: String, _ request: Request, issuer: (OpaquePointer, OpaquePointer)?, chain: String
    ) -> Identity {
        let key = makeKey()
        defer { EVP_PKEY_free(key) }
        let certificate = make(name, request, key: key, isAuthority: false, issuer: issuer)
        defer { X509_free(certificate) }
        return Identity(
            own: pem { PEM_write_bio_X509($0, certificate) }, chain: chain,
            key: pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
    }

    private static func makeKey() -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        EVP_PKEY_generate(context, &key)
        guard let key else { preconditionFailure("OpenSSL makes no key") }
        return key
    }

    private static func make(
        _ name: String, _ request: Request, key: OpaquePointer, isAuthority: Bool,
        issuer: (certificate: OpaquePointer, key: OpaquePointer)?
    ) -> OpaquePointer {
        guard let certificate = X509_new() else { preconditionFailure("OpenSSL makes no certificate") }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), Int64.random(in: 1...Int64.max))
        X509_gmtime_adj(X509_getm_notBefore(certificate), request.validFrom)
        X509_gmtime_adj(X509_getm_notAfter(certificate), request.validUntil)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        let bytes = Array(name.utf8)
        X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0)
        X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
        if isAuthority { add(NID_basic_constraints, "critical,CA:TRUE", to: certificate) }
        if !request.names.isEmpty { add(NID_subject_alt_name, request.names, to: certificate) }
        X509_sign(certificate, issuer?.key ?? key, EVP_sha256())
        return certificate
    }

    private static func add(_ identifier: Int32, _ value: String, to certificate: OpaquePointer) {
        guard let entry = X509V3_EXT_conf_nid(nil, nil, identifier, value) else {
            preconditionFailure("OpenSSL does not take \(value)")
        }
        X509_add_ext(certificate, entry, -1)
        X509_EXTENSION_free(entry)
    }

    private static func pem(_ write: (OpaquePointer?) -> Int32) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { preconditionFailure("OpenSSL makes no BIO") }
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { preconditionFailure("OpenSSL writes no PEM") }
        var data: UnsafePointer<UInt8>?
        let count = tl_bio_contents(bio, &data)
        return String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    }
}
