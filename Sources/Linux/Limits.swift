import Glibc

/// Raises the limit of open files to what the system allows (RLIMIT_NOFILE, getrlimit(2)).
///
/// - Returns: The limit in force.
public func raiseOpenFileLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    let raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
    let isRaised = unsafe withUnsafePointer(to: raised) {
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), $0) == 0
    }
    return Int(clamping: isRaised ? limit.rlim_max : limit.rlim_cur)
}

/// How large the kernel lets the buffers of sockets grow, in bytes; `nil` where it does not say.
public struct SocketBufferLimits: Equatable, Sendable {
    /// `net.ipv4.tcp_rmem`, the last number.
    public var tcpReceive: Int?
    /// `net.ipv4.tcp_wmem`, the last number.
    public var tcpSend: Int?
    /// `net.core.wmem_default`: what waits for the reader of a Unix socket.
    public var unixSend: Int?

    public init(tcpReceive: Int?, tcpSend: Int?, unixSend: Int?) {
        self.tcpReceive = tcpReceive
        self.tcpSend = tcpSend
        self.unixSend = unixSend
    }

    /// Those of this machine.
    public static var current: SocketBufferLimits {
        SocketBufferLimits(
            tcpReceive: lastNumber("net/ipv4/tcp_rmem"), tcpSend: lastNumber("net/ipv4/tcp_wmem"),
            unixSend: lastNumber("net/core/wmem_default"))
    }

    private static func lastNumber(_ name: String) -> Int? {
        guard let bytes = try? FileDescriptor.reading("/proc/sys/\(name)").readToEnd() else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }
    }
}
