import CLinux
import Glibc

/// Owns a descriptor and closes it.
public struct FileDescriptor: ~Copyable, Sendable {
    public let raw: Int32

    public init(owning raw: Int32) { self.raw = raw }

    deinit { close(raw) }

    /// Gives the descriptor up without closing it.
    public consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}

/// What a read or write on a non-blocking descriptor did.
public enum Transfer: Equatable, Sendable {
    /// So many bytes, at least one unless none were asked for.
    case moved(Int)
    case wouldBlock
    /// End of stream: the peer sends nothing more.
    case ended
}

extension FileDescriptor {
    /// recv(2) on a non-blocking socket.
    public borrowing func receive(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Transfer {
        let raw = raw
        while true {
            let count = unsafe bytes.withUnsafeMutableBufferPointer {
                unsafe recv(raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count > 0 { return .moved(count) }
            if count == 0 { return bytes.isEmpty ? .moved(0) : .ended }
            let code = errno
            if code == EAGAIN { return .wouldBlock }
            if code != EINTR { throw SystemError(call: "recv", code: code) }
        }
    }

    /// Whether a socket's peer has ended its sending, and everything that it sent was read.
    public borrowing func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(raw, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// send(2) that neither blocks nor raises SIGPIPE.
    public borrowing func send(_ bytes: Span<UInt8>) throws(SystemError) -> Transfer {
        let raw = raw
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer {
                unsafe Glibc.send(raw, $0.baseAddress, $0.count, flags)
            }
            if count >= 0 { return .moved(count) }
            let code = errno
            if code == EAGAIN { return .wouldBlock }
            if code != EINTR { throw SystemError(call: "send", code: code) }
        }
    }

    /// read(2), for files, terminals and pipes; blocks unless the descriptor is non-blocking.
    public borrowing func read(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Transfer {
        let raw = raw
        do {
            let count = try retrying("read") {
                unsafe bytes.withUnsafeMutableBufferPointer {
                    unsafe Glibc.read(raw, $0.baseAddress, $0.count)
                }
            }
            return count > 0 || bytes.isEmpty ? .moved(count) : .ended
        } catch {
            if error.code == EAGAIN { return .wouldBlock }
            throw error
        }
    }

    /// write(2), for files, terminals and pipes; blocks unless the descriptor is non-blocking.
    public borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) -> Transfer {
        let raw = raw
        do {
            return .moved(
                try retrying("write") {
                    unsafe bytes.withUnsafeBufferPointer { unsafe Glibc.write(raw, $0.baseAddress, $0.count) }
                })
        } catch {
            if error.code == EAGAIN { return .wouldBlock }
            throw error
        }
    }

    /// The next waiting connection, non-blocking and close-on-exec; `nil` when nobody is waiting.
    public borrowing func accept() throws(SystemError) -> FileDescriptor? {
        let raw = raw
        do {
            return FileDescriptor(owning: Int32(try retrying("accept4") { Int(tl_accept4(raw)) }))
        } catch {
            if error.code == EAGAIN { return nil }
            throw error
        }
    }

    /// Blocks until a non-blocking descriptor can be read or written, or its peer has hung up (poll(2)).
    ///
    /// - Parameters:
    ///   - interest: What is waited for.
    ///   - limit: How long; begun anew by a signal that was handled. `nil` for as long as it takes.
    /// - Returns: Whether it has come to that.
    /// - Throws: What poll(2) fails with.
    @discardableResult
    public borrowing func wait(for interest: Interest, atMost limit: Duration? = nil) throws(SystemError)
        -> Bool
    {
        // The bits of poll(2) are those of epoll(7).
        let raw = raw
        let milliseconds = limit.map { Int32(clamping: Int(($0 / .milliseconds(1)).rounded(.up))) } ?? -1
        return try retrying("poll") {
            var wanted = pollfd(fd: raw, events: Int16(interest.rawValue), revents: 0)
            return unsafe Int(poll(&wanted, 1, milliseconds))
        } > 0
    }

    /// Sends everything on a non-blocking socket; blocks as long as the peer takes nothing.
    public borrowing func sendAll(_ bytes: Span<UInt8>) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            switch try send(bytes.extracting(sent...)) {
            case .moved(let count): sent += count
            case .wouldBlock: try wait(for: .writable)
            case .ended: preconditionFailure("a send that ended")
            }
        }
    }

    /// The directions of a socket, as shutdown(2) names them.
    public enum Direction: Sendable {
        case reading
        case writing
    }

    /// shutdown(2).
    public borrowing func shutDown(_ direction: Direction) throws(SystemError) {
        let raw = raw
        let how = direction == .reading ? SHUT_RD : SHUT_WR
        _ = try retrying("shutdown") { Int(shutdown(raw, Int32(how))) }
    }

    /// The pending error of a socket (SO_ERROR), which is cleared; 0 when there is none.
    public borrowing func takeError() -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
    }

    /// Bytes, with the kernel's own overhead, that the peer of a socket has not taken yet (SIOCOUTQ).
    public borrowing func unsent() -> Int { max(0, Int(tl_unsent(raw))) }

    /// Sets an integer socket option.
    public borrowing func setOption(_ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        let raw = raw
        _ = try retrying("setsockopt") {
            var value = value
            return unsafe Int(setsockopt(raw, level, name, &value, socklen_t(MemoryLayout<Int32>.size)))
        }
    }

    /// Makes the close of a TCP socket a reset (RST), which discards what the peer's kernel does not hold yet
    /// (SO_LINGER of 0 seconds).
    public borrowing func resetOnClose() throws(SystemError) {
        let raw = raw
        _ = try retrying("setsockopt") {
            var linger = linger(l_onoff: 1, l_linger: 0)
            return unsafe Int(
                setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size)))
        }
    }
}

extension FileDescriptor {
    /// Throws received bytes of a socket away, as many as are there but not many more than `limit`.
    ///
    /// - Returns: How many, and whether the stream has ended.
    @discardableResult
    public borrowing func discardReceived(atMost limit: Int) -> (count: Int, hasEnded: Bool) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var count = 0
        var span = buffer.mutableSpan
        while count < limit {
            switch try? receive(into: &span) {
            case .moved(let moved): count += moved
            case .wouldBlock: return (count, false)
            case .ended, nil: return (count, true)
            }
        }
        return (count, false)
    }
}
