import CLinux
import Glibc
import Synchronization

/// The only way in from another thread: messages behind a lock, and an eventfd(2) that wakes the loop.
public final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    fileprivate let wakeup: FileDescriptor

    public init() throws(SystemError) {
        wakeup = FileDescriptor(owning: Int32(try retrying("eventfd") { Int(tl_eventfd()) }))
    }

    /// From any thread.
    ///
    /// - Parameters:
    ///   - message: What to post.
    ///   - limit: The most messages that wait.
    /// - Returns: Whether there was room.
    @discardableResult
    public func post(_ message: Message, limit: Int = .max) -> Bool {
        let isPosted = messages.withLock { messages in
            guard messages.count < limit else { return false }
            messages.append(message)
            return true
        }
        guard isPosted else { return false }
        var one: UInt64 = 1
        // It can only fail by being full, and then the loop is awake.
        _ = try? retrying("write") { unsafe write(wakeup.raw, &one, 8) }
        return true
    }

    /// Blocks this thread until something was posted: for a mailbox without a loop.
    ///
    /// - Parameter limit: `nil` waits for ever.
    /// - Returns: Whether something was.
    @discardableResult
    public func wait(atMost limit: Duration? = nil) -> Bool {
        var wanted = pollfd(fd: wakeup.raw, events: Int16(POLLIN), revents: 0)
        let milliseconds = limit.map { Int32($0 / .milliseconds(1)) } ?? -1
        let count = try? retrying("poll") { unsafe Int(poll(&wanted, 1, milliseconds)) }
        return count ?? 0 > 0
    }

    /// Everything posted since the last call, in order. On the loop's thread.
    public func takeAll() -> [Message] {
        var count: UInt64 = 0
        _ = unsafe read(wakeup.raw, &count, 8)
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

extension EventLoop {
    /// Tells `handler` when something was posted; it then takes all.
    public func add<Message>(_ mailbox: Mailbox<Message>, handler: any ReadinessHandler) throws(SystemError)
        -> Registration
    {
        try add(mailbox.wakeup, for: .readable, handler: handler)
    }
}
