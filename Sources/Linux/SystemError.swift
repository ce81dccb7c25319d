import Glibc

/// A system call that failed.
public struct SystemError: Error, Sendable {
    /// The call's name, as its man page spells it.
    public let call: StaticString
    /// Its errno.
    public let code: Int32

    public init(call: StaticString, code: Int32) {
        self.call = call
        self.code = code
    }
}

extension SystemError: Equatable {
    public static func == (a: Self, b: Self) -> Bool {
        a.code == b.code && a.call.description == b.call.description
    }
}

extension SystemError: CustomStringConvertible {
    /// `connect: Connection refused (errno 111)`.
    public var description: String { "\(call): \(describe(errno: code))" }
}

/// What an errno means, with its number: `Connection refused (errno 111)`.
public func describe(errno code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    // The XSI variant: it fills the buffer, also for unknown numbers.
    _ = unsafe strerror_r(code, &buffer, buffer.count)
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(text) (errno \(code))"
}

/// The one place where EINTR is retried and errno is read.
@inline(__always)
func retrying(_ call: StaticString, _ body: () -> Int) throws(SystemError) -> Int {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemError(call: call, code: code) }
    }
}

extension SystemError {
    /// Whether only the connection at hand is concerned, as accept(2) reports of one that ended before it was accepted.
    public var isOfConnection: Bool {
        switch code {
        case ECONNABORTED, EPROTO, ENOPROTOOPT, EOPNOTSUPP: true
        case ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET: true
        default: isOfPeer
        }
    }

    /// Whether a connection's peer has acknowledged nothing for too long.
    public var isTimeout: Bool { code == ETIMEDOUT }

    /// Whether a peer that was connected has gone.
    public var isOfPeer: Bool { [EPIPE, ECONNRESET, ENOTCONN].contains(code) }

    /// Whether the kernel had no memory just now: the descriptor is as good as before, and the call can be made again
    /// later. Nothing tells when: epoll goes on reporting the descriptor ready.
    public var isShortage: Bool { code == ENOMEM || code == ENOBUFS }
}
