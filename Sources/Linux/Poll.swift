import Glibc

/// Waits for several descriptors at once (poll(2)), for programs that have but a few.
public enum Poll {
    public struct Request: Sendable {
        let raw: Int32
        let interest: Interest

        /// The descriptor must stay open; one that is negative is never ready.
        public init(_ raw: Int32, _ interest: Interest) {
            self.raw = raw
            self.interest = interest
        }
    }

    /// Blocks until something can be read or written, a peer has hung up, or a signal has been handled.
    ///
    /// - Parameters:
    ///   - requests: Regular files are always ready.
    ///   - limit: How long at the most; `nil` is for ever.
    /// - Returns: What can be done with each, in order.
    /// - Throws: ENOMEM, or EINVAL for more descriptors than may be open.
    public static func wait(for requests: [Request], atMost limit: Duration? = nil) throws(SystemError)
        -> [Readiness]
    {
        // The bits of poll(2) are those of epoll(7).
        var wanted = requests.map {
            pollfd(fd: $0.raw, events: Int16(truncatingIfNeeded: $0.interest.rawValue), revents: 0)
        }
        // Rounded up: it is not to wake too early, and then again.
        let milliseconds = limit.map { Int32(clamping: Int(max(0, ($0 / .milliseconds(1)).rounded(.up)))) }
        if unsafe poll(&wanted, nfds_t(wanted.count), milliseconds ?? -1) < 0 {
            let code = errno
            guard code == EINTR else { throw SystemError(call: "poll", code: code) }
            return requests.map { _ in [] }
        }
        return wanted.map { Readiness(rawValue: UInt32(UInt16(bitPattern: $0.revents))) }
    }
}
