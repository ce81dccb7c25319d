import Glibc

/// A socket address of any family, as the kernel takes it.
public struct SocketAddress: Equatable, Sendable {
    fileprivate let bytes: [UInt8]

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    /// Copies an address that getaddrinfo(3), accept(2) or getsockname(2) filled in.
    init(copying address: UnsafePointer<sockaddr>, size: socklen_t) {
        bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: Int(size)))
    }

    /// AF_UNIX, AF_INET, AF_INET6.
    public var family: Int32 {
        Int32(unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) })
    }

    public var isUnix: Bool { family == AF_UNIX }
    public var isIPv6: Bool { family == AF_INET6 }

    /// The IP address alone, in network byte order: 4 bytes, also of an IPv4 address that IPv6 has mapped, or 16; `nil` for
    /// a Unix socket.
    public var host: [UInt8]? {
        switch family {
        case AF_INET: Array(bytes[4..<8])
        case AF_INET6:
            bytes[8..<20].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
                ? Array(bytes[20..<24]) : Array(bytes[8..<24])
        default: nil
        }
    }

    /// The most bytes of a Unix socket's path: `sun_path` without its NUL (unix(7)).
    public static let longestPath = 107

    /// A Unix socket in the file system.
    ///
    /// - Throws: ENAMETOOLONG for a path longer than `longestPath`; EINVAL for an empty one, which is another name space,
    ///   and for one with a NUL, which would end there.
    public static func unix(path: String) throws(SystemError) -> SocketAddress {
        guard path.utf8.count <= longestPath else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SystemError(call: "bind", code: EINVAL) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return SocketAddress(bytes: unsafe withUnsafeBytes(of: &address) { unsafe Array($0) })
    }

    /// A Unix socket of the abstract namespace, which is in no file system.
    ///
    /// - Throws: ENAMETOOLONG for a name longer than `longestPath`.
    static func abstract(name: String) throws(SystemError) -> SocketAddress {
        guard name.utf8.count <= longestPath else { throw SystemError(call: "connect", code: ENAMETOOLONG) }
        let family = sa_family_t(AF_UNIX)
        let start = unsafe withUnsafeBytes(of: family) { unsafe Array($0) }
        return SocketAddress(bytes: start + [0] + Array(name.utf8))
    }

    /// 127.0.0.1.
    public static func loopback(port: UInt16) -> SocketAddress {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return SocketAddress(bytes: unsafe withUnsafeBytes(of: &address) { unsafe Array($0) })
    }

    /// An address of this machine, in digits, with any port.
    ///
    /// - Throws: ENODEV for the address of an interface that is not there.
    public static func local(_ digits: String) throws(SystemError) -> SocketAddress {
        guard let address = numeric(host: digits, port: 0) else {
            throw SystemError(call: "bind", code: ENODEV)
        }
        return address
    }

    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        // Copied, for the array's storage need not be aligned for an address.
        var storage = sockaddr_storage()
        return unsafe withUnsafeMutableBytes(of: &storage) { buffer in
            unsafe buffer.copyBytes(from: bytes)
            // A buffer of sockaddr_storage is never empty and aligned for every address.
            let address = unsafe buffer.assumingMemoryBound(to: sockaddr.self)
            guard let base = address.baseAddress else { preconditionFailure("an empty address") }
            return unsafe body(base, socklen_t(bytes.count))
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `192.0.2.1:10110`, `[2001:db8::1]:10110`, `unix:/run/feed`.
    public var description: String {
        if isUnix {
            let path = bytes.dropFirst(MemoryLayout<sa_family_t>.size).prefix { $0 != 0 }
            return "unix:" + String(decoding: path, as: UTF8.self)
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = unsafe withPointer { address, size in
            unsafe getnameinfo(
                address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0 else { return "an address of family \(family)" }
        let (name, number) = (text(host), text(port))
        return isIPv6 ? "[\(name)]:\(number)" : "\(name):\(number)"
    }

    private func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
