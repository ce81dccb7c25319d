public import Linux

/// Tells the service manager how the service is doing (sd_notify(3)), without ever waiting for it to listen.
///
/// libsystemd's `sd_notify` blocks when the manager's queue is full. Here what cannot be sent waits, merged: the newest
/// status replaces an older one, and it is sent as soon as the kernel says that there is room.
public final class Notifier: ReadinessHandler, TimerHandler {
    private struct Pending: Equatable {
        var isReady = false
        var isStopping = false
        var isAlive = false
        var startExtension: Duration?
        var status: String?
    }

    private let socket: FileDescriptor
    private let loop: EventLoop
    private var registration: Registration?
    private var retry: TimerID?
    private var pending = Pending()

    /// - Parameters:
    ///   - address: `$NOTIFY_SOCKET`: a path, or `@` and an abstract name.
    ///   - loop: Tells when there is room again.
    /// - Throws: `SystemError` when nobody listens there.
    public init(address: String, loop: EventLoop) throws(SystemError) {
        self.loop = loop
        socket = try .datagramSocket(connectedTo: address)
    }

    deinit { if let registration { loop.remove(registration) } }

    /// `READY=1`: the service has started.
    public func ready() {
        pending.isReady = true
        pending.startExtension = nil
        flush()
    }

    /// `STOPPING=1`: the service is about to end.
    public func stopping() {
        pending.isStopping = true
        pending.startExtension = nil
        flush()
    }

    /// `WATCHDOG=1`: the service does not hang.
    public func alive() {
        pending.isAlive = true
        flush()
    }

    /// `EXTEND_TIMEOUT_USEC=`: the start may take so much longer from now, whatever `TimeoutStartSec=` says.
    public func extendStart(by time: Duration) {
        pending.startExtension = time
        flush()
    }

    /// `STATUS=`: one line for `systemctl status`.
    public func status(_ text: String) {
        pending.status = text
        flush()
    }

    public func becameReady(_ readiness: Readiness) {
        if let registration { loop.remove(registration) }
        registration = nil
        flush()
    }

    public func timerFired(_ timer: TimerID) {
        retry = nil
        flush()
    }

    private func flush() {
        guard registration == nil, retry == nil, pending != Pending() else { return }
        var lines: [String] = []
        if pending.isReady { lines.append("READY=1") }
        if pending.isStopping { lines.append("STOPPING=1") }
        if pending.isAlive { lines.append("WATCHDOG=1") }
        if let time = pending.startExtension {
            lines.append("EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))")
        }
        if let status = pending.status {
            // A line feed would begin another assignment.
            lines.append("STATUS=" + String(status.map { $0.isNewline ? " " : $0 }))
        }
        let message = Array(lines.joined(separator: "\n").utf8)
        do throws(SystemError) {
            guard try socket.send(message.span) == .wouldBlock else {
                pending = Pending()
                return
            }
            registration = try loop.add(socket, for: .writable, handler: self)
        } catch {
            guard !error.isShortage else {
                retry = loop.arm(at: loop.now + .milliseconds(100), handler: self)
                return
            }
            // The manager is gone or refuses us: nobody is there to be told.
            pending = Pending()
        }
    }
}
