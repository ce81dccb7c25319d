import Glibc
import Linux
import TestSupport

/// One end of a stream connection, as a server or a local program holds it.
final class Stream {
    /// What one receive found.
    enum Arrival: Equatable {
        case bytes([UInt8])
        case nothing
        case end
        /// The errno: `ECONNRESET`.
        case failed(Int32)
    }

    private(set) var raw: Int32
    /// What is waited for at the most.
    static let patience = Duration.seconds(15) * slowdown

    init(owning raw: Int32) { self.raw = raw }

    deinit { close() }

    static func connecting(to address: SocketAddress) throws -> Stream {
        Stream(owning: try FileDescriptor.connecting(to: address).take().release())
    }

    // MARK: Sending

    /// Sends what the kernel takes now.
    ///
    /// - Returns: How many bytes that were.
    func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        if count >= 0 { return count }
        let code = errno
        guard code == EAGAIN || code == EINTR else { throw SystemError(call: "send", code: code) }
        return 0
    }

    /// Sends everything, as long as something of it is taken now and then.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try sendSome(rest))
            guard !rest.isEmpty else { return }
            guard wait(for: POLLOUT, until: ContinuousClock.now + Self.patience) else {
                throw DeadlinePassed(what: "room for \(rest.count) of \(bytes.count) bytes")
            }
        }
    }

    /// Sends lines until nothing more is taken for so long.
    func fill(for duration: Duration = .milliseconds(50)) throws {
        let line = [UInt8](repeating: 0x61, count: 999) + [0x0A]
        var rest = line[...]
        while !staysFull(for: duration) {
            rest = rest.dropFirst(try sendSome(rest))
            if rest.isEmpty { rest = line[...] }
        }
    }

    /// Bytes that the peer's kernel does not hold yet.
    var unacknowledged: Int {
        var count: Int32 = 0
        return ioctl(raw, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Bytes that have arrived and were not received.
    var waiting: Int {
        var count: Int32 = 0
        return ioctl(raw, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Ends the direction to the peer, and goes on receiving.
    func finishSending() { shutdown(raw, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// What has arrived by now.
    func receiveNow(atMost limit: Int = 1 << 16) -> Arrival {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(raw, &buffer, limit, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(Array(buffer[..<count])) }
        if count == 0 { return .end }
        let code = errno
        return code == EAGAIN || code == EINTR ? .nothing : .failed(code)
    }

    /// What arrives next, if only the end.
    func receiveNext() throws -> Arrival {
        guard wait(for: POLLIN, until: ContinuousClock.now + Self.patience) else {
            throw DeadlinePassed(what: "anything to arrive")
        }
        return receiveNow()
    }

    /// Receives exactly so many bytes, as long as some of them arrive now and then.
    func receive(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            switch receiveNow(atMost: count - bytes.count) {
            case .bytes(let more): bytes += more
            case .nothing:
                guard wait(for: POLLIN, until: ContinuousClock.now + Self.patience) else {
                    throw DeadlinePassed(what: "\(count - bytes.count) of \(count) bytes")
                }
            case .end: throw UnexpectedEnd(received: bytes, wanted: count)
            case .failed(let code): throw SystemError(call: "recv", code: code)
            }
        }
        return bytes
    }

    /// Receives until what has arrived ends with these bytes.
    func receive(through end: [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while !bytes.suffix(end.count).elementsEqual(end) { bytes += try receive(max(1, waiting)) }
        return bytes
    }

    /// Receives until the peer ends the connection, in good order or by a reset.
    func receiveToEnd(within limit: Duration = patience) throws -> [UInt8] {
        let deadline = ContinuousClock.now + limit
        var bytes: [UInt8] = []
        while true {
            switch receiveNow() {
            case .bytes(let more): bytes += more
            case .nothing:
                guard wait(for: POLLIN, until: deadline) else {
                    throw DeadlinePassed(what: "the end of a connection")
                }
            case .end, .failed: return bytes
            }
        }
    }

    /// Whether nothing at all arrives for so long, not even the end.
    func staysSilent(for duration: Duration) -> Bool {
        !wait(for: POLLIN, until: ContinuousClock.now + duration)
    }

    /// Whether the kernel takes nothing for so long.
    func staysFull(for duration: Duration) -> Bool {
        !wait(for: POLLOUT, until: ContinuousClock.now + duration)
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            // Whoever was not scheduled until after the deadline looks once more.
            let left = max(deadline - ContinuousClock.now, .zero)
            var wanted = pollfd(fd: raw, events: Int16(events), revents: 0)
            if poll(&wanted, 1, left.milliseconds) > 0 { return true }
            guard left > .zero else { return false }
        }
    }

    // MARK: The end

    /// Ends both directions, and closes: a process that is just being started has a copy for a moment, which would keep
    /// the connection open.
    func hangUp() {
        shutdown(raw, Int32(SHUT_RDWR))
        close()
    }

    func close() {
        if raw >= 0 { Glibc.close(raw) }
        raw = -1
    }

    /// Ends a TCP connection by a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(raw, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

/// A connection ended before everything had arrived.
struct UnexpectedEnd: Error, CustomStringConvertible {
    let received: [UInt8]
    let wanted: Int
    var description: String {
        let text = String(decoding: received.suffix(100), as: UTF8.self)
        return "the connection ended after \(received.count) of \(wanted) bytes: …\(text.debugDescription)"
    }
}
