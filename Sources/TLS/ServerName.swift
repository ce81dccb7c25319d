import COpenSSL
import Glibc

/// Who the server must prove to be.
enum ServerName: Hashable {
    case host(String)
    case address(String)

    /// From a name or an address in digits, as a URL has it.
    init(_ text: String) {
        // An IPv6 address may say which interface it is on, a name that it is whole.
        var name = text.prefix { $0 != "%" }
        if name.hasSuffix(".") { name = name.dropLast() }
        self = Self.isAddress(String(name)) ? .address(String(name)) : .host(String(name))
    }

    private static func isAddress(_ text: String) -> Bool {
        var bytes = in6_addr()
        return unsafe inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    /// Asks the server for its certificate, and demands it.
    ///
    /// - Parameter ssl: The connection, lent for the call.
    func apply(to ssl: OpaquePointer) {
        switch self {
        case .host(let name):
            _ = unsafe tl_ssl_set_server_name(ssl, name)
            unsafe SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            _ = unsafe SSL_set1_host(ssl, name)
        case .address(let digits):
            // There is no name to ask for (RFC 6066, section 3).
            _ = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), digits)
        }
    }
}
