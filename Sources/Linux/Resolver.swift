import CLinux
import Glibc
import Synchronization

/// What became of one name look-up.
public struct Resolution: Sendable {
    /// The number that the asker gave.
    public let ticket: UInt64
    public let result: Result<[SocketAddress], ResolverError>
}

public enum ResolverError: Error, Equatable, Sendable {
    /// There is no such name, or it has no address: the words of getaddrinfo(3).
    case unknown(String)
    /// getaddrinfo(3) failed: its own words.
    case failed(String)
    /// As many look-ups as are allowed are waiting for name servers that do not answer.
    case busy(limit: Int)
    /// No thread could be started.
    case system(SystemError)
}

extension ResolverError: CustomStringConvertible {
    /// Asking again does not help.
    public var isOfName: Bool {
        if case .unknown = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .unknown(let words), .failed(let words): words
        case .busy(let limit): "\(limit) earlier look-ups still wait for a name server"
        case .system(let error): error.description
        }
    }
}

/// Looks names up on threads of its own, few and capped; answers come back through a mailbox.
///
/// glibc's getaddrinfo(3) honours nsswitch.conf, mDNS and systemd-resolved, but it blocks, and it cannot be cancelled:
/// a look-up that nobody waits for any more keeps its thread until the resolver gives up.
public final class Resolver: Sendable {
    public static let limit = 4

    public let answers: Mailbox<Resolution>
    private let running = Mutex(0)
    private let lookUp: LookUp

    /// Finds the addresses of a host; may block.
    typealias LookUp = @Sendable (_ host: String, _ port: UInt16) -> Result<[SocketAddress], ResolverError>

    public convenience init() throws(SystemError) {
        try self.init { host, port in
            // With AI_ADDRCONFIG, glibc refuses even 127.0.0.1 where only IPv6 is configured.
            if let address = SocketAddress.numeric(host: host, port: port) { return .success([address]) }
            return SocketAddress.addresses(of: host, port: port)
        }
    }

    init(lookUp: @escaping LookUp) throws(SystemError) {
        answers = try Mailbox()
        self.lookUp = lookUp
    }

    /// Asks for the addresses of `host`; the answer is posted, whatever it is.
    public func resolve(host: String, port: UInt16, ticket: UInt64) {
        let isAdmitted = running.withLock { running in
            guard running < Self.limit else { return false }
            running += 1
            return true
        }
        guard isAdmitted else { return post(ticket, .failure(.busy(limit: Self.limit))) }
        do throws(SystemError) {
            try startThread { self.finished(ticket, self.lookUp(host, port)) }
        } catch {
            finished(ticket, .failure(.system(error)))
        }
    }

    private func finished(_ ticket: UInt64, _ result: Result<[SocketAddress], ResolverError>) {
        running.withLock { $0 -= 1 }
        post(ticket, result)
    }

    private func post(_ ticket: UInt64, _ result: Result<[SocketAddress], ResolverError>) {
        answers.post(Resolution(ticket: ticket, result: result))
    }
}

extension SocketAddress {
    /// The address that `host` spells in digits; `nil` when it is a name.
    public static func numeric(host: String, port: UInt16) -> SocketAddress? {
        try? addresses(of: host, port: port, flags: AI_NUMERICHOST).get().first
    }

    /// getaddrinfo(3): blocks. In the order of RFC 6724, which glibc sorts by; families without a configured
    /// address are left out.
    static func addresses(of host: String, port: UInt16, flags: Int32 = AI_ADDRCONFIG)
        -> Result<[SocketAddress], ResolverError>
    {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            if code == EAI_SYSTEM { return .failure(.system(SystemError(call: "getaddrinfo", code: errno))) }
            let words = unsafe String(cString: gai_strerror(code))
            return .failure(tl_is_unknown_name(code) != 0 ? .unknown(words) : .failed(words))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let info = unsafe next?.pointee {
            if let address = unsafe info.ai_addr {
                unsafe addresses.append(SocketAddress(copying: address, size: info.ai_addrlen))
            }
            unsafe next = info.ai_next
        }
        return .success(addresses)
    }
}
