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
    public func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        var one: UInt64 = 1
        // It can only fail by being full, and then the loop is awake.
        _ = unsafe write(wakeup.raw, &one, 8)
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
