import COpenSSL
import Glibc

/// What a certificate says, in words that can be shown.
public struct Certificate: Equatable, Sendable {
    /// As RFC 2253 writes it: `CN=feed.example.org,O=Example`.
    public let subject: String
    /// Who signed it.
    public let issuer: String
    /// The host names and addresses that it is for, some of them if they are many.
    public let names: [String]
    /// From when and until when it is valid, in seconds since 1970.
    public let notBefore: Int
    public let notAfter: Int
    /// What `pin` would hold for its key.
    public let pin: String

    /// Until when it is valid: `2026-11-30 14:05 UTC`.
    public var expiry: String { date(notAfter) }

    /// So many names are told.
    private static let mostNames = 16

    public init(
        subject: String, issuer: String, names: [String], notBefore: Int, notAfter: Int, pin: String
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.pin = pin
    }

    /// - Parameter certificate: An X509, lent for the call.
    init(_ certificate: OpaquePointer) {
        subject = unsafe Self.text(X509_get_subject_name(certificate))
        issuer = unsafe Self.text(X509_get_issuer_name(certificate))
        names = unsafe Self.names(of: certificate)
        notBefore = unsafe Self.seconds(X509_get0_notBefore(certificate))
        notAfter = unsafe Self.seconds(X509_get0_notAfter(certificate))
        pin = unsafe Self.pin(of: certificate)
    }

    private static func text(_ name: OpaquePointer?) -> String {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(bio) }
        guard let name = unsafe name, unsafe tl_name_print(bio, name) >= 0 else { return "" }
        return unsafe printable(contents(of: bio))
    }

    private static func names(of certificate: OpaquePointer) -> [String] {
        guard let list = unsafe X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else {
            return []
        }
        let names = OpaquePointer(list)
        defer { unsafe GENERAL_NAMES_free(names) }
        let count = unsafe min(tl_general_name_count(names), Int32(mostNames))
        return (0..<max(count, 0)).compactMap { index in
            var data: UnsafePointer<UInt8>?
            var length: Int32 = 0
            let type = unsafe tl_general_name(names, index, &data, &length)
            let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(length))
            return switch type {
            case GEN_DNS: unsafe printable(bytes, atMost: 253)
            case GEN_IPADD: unsafe address(Array(bytes))
            default: nil
            }
        }
    }

    private static func address(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int {
        var fields = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &fields) == 1 else { return 0 }
        return unsafe timegm(&fields)
    }

    /// The SHA-256 of its SubjectPublicKeyInfo, in base64.
    private static func pin(of certificate: OpaquePointer) -> String {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        defer { unsafe CRYPTO_free(encoded, nil, 0) }
        guard length > 0 else { return "" }
        var digest = [UInt8](repeating: 0, count: 32)
        guard unsafe EVP_Digest(encoded, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return "" }
        var text = [UInt8](repeating: 0, count: 45)
        let count = unsafe EVP_EncodeBlock(&text, digest, 32)
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}

/// Lends what a memory BIO holds.
func contents(of bio: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
    var data: UnsafePointer<UInt8>?
    let count = unsafe tl_bio_contents(bio, &data)
    return unsafe UnsafeBufferPointer(start: data, count: max(count, 0))
}

/// `2026-11-30 14:05 UTC`.
func date(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var fields = unsafe tm()
    _ = unsafe gmtime_r(&time, &fields)
    let (year, month, day) = unsafe (fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday)
    let (hour, minute) = unsafe (fields.tm_hour, fields.tm_min)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day)) \(two(hour)):\(two(minute)) UTC"
}
