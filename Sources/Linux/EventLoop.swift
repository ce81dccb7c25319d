import CLinux
import Glibc

/// What a descriptor's handler wants to be told.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = Interest(rawValue: EPOLLIN.rawValue)
    public static let writable = Interest(rawValue: EPOLLOUT.rawValue)
    /// The peer sends nothing more, though what it sent before may still be unread.
    public static let ended = Interest(rawValue: EPOLLRDHUP.rawValue)
    /// Told once for each change: read until `Transfer.wouldBlock`, for a short read proves nothing.
    public static let edgeTriggered = Interest(rawValue: EPOLLET.rawValue)
}

/// What the kernel reports of a descriptor.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    public static let ended = Readiness(rawValue: EPOLLRDHUP.rawValue)
    /// Closed in both directions, or failed: the next read or write tells which.
    public static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// Told what the kernel reports of one descriptor.
public protocol ReadinessHandler: AnyObject {
    func becameReady(_ readiness: Readiness)
}

/// Called once after the events of a turn, if it was asked for.
public protocol TurnTaker: AnyObject {
    /// - Returns: whether there is more to do without waiting.
    func takeTurn() -> Bool
}

/// A descriptor's place in the loop; the kernel reuses descriptors, a registration is never reused.
public struct Registration: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
    var raw: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// One thread, one epoll(7), and everything mutable on it.
///
/// Not Sendable: whoever holds it is on its thread. A turn delivers readiness, then due timers, then the turns that
/// were asked for.
@safe public final class EventLoop {
    private struct Slot {
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
        var interest: Interest = []
        var handler: (any ReadinessHandler)?
    }
    private static let capacity = 512

    private let epoll: FileDescriptor
    private var slots: [Slot] = []
    private var unused: [UInt32] = []
    private var turns: [any TurnTaker] = []
    private var dueTurns: [any TurnTaker] = []
    private var timers = Timers()
    private let events: UnsafeMutablePointer<epoll_event>
    private var watcher: FileWatcher?
    private var isStopped = false
    private var turnStart: ContinuousClock.Instant?

    public init() throws(SystemError) {
        epoll = FileDescriptor(
            owning: Int32(try retrying("epoll_create1") { Int(epoll_create1(Int32(EPOLL_CLOEXEC))) }))
        unsafe events = .allocate(capacity: Self.capacity)
    }

    deinit { unsafe events.deallocate() }

    /// The time of this turn: read from the clock at most once a turn.
    public var now: ContinuousClock.Instant {
        if let turnStart { return turnStart }
        let now = ContinuousClock.now
        turnStart = now
        return now
    }

    /// Watches a descriptor. An empty interest hears nothing, not even that the peer hung up.
    ///
    /// The loop keeps the handler, not the descriptor: call `remove` before the descriptor is closed.
    public func add(
        _ descriptor: borrowing FileDescriptor, for interest: Interest, handler: any ReadinessHandler
    ) throws(SystemError) -> Registration {
        let slot = unused.popLast() ?? appendSlot()
        let index = Int(slot)
        let registration = Registration(slot: slot, generation: slots[index].generation)
        slots[index].descriptor = descriptor.raw
        slots[index].interest = []
        slots[index].handler = handler
        do {
            try modify(registration, for: interest)
        } catch {
            remove(registration)
            throw error
        }
        return registration
    }

    /// Changes what a handler wants to be told.
    public func modify(_ registration: Registration, for interest: Interest) throws(SystemError) {
        let index = Int(registration.slot)
        guard slots[index].generation == registration.generation else { return }
        let current = slots[index].interest
        guard current != interest else { return }
        let operation =
            current.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
        var event = unsafe epoll_event()
        unsafe event.events = interest.rawValue
        unsafe event.data.u64 = registration.raw
        let epoll = epoll.raw
        let descriptor = slots[index].descriptor
        _ = try retrying("epoll_ctl") { unsafe Int(epoll_ctl(epoll, operation, descriptor, &event)) }
        slots[index].interest = interest
    }

    /// Forgets a descriptor; its registration is stale from now on. Call before the descriptor is closed.
    public func remove(_ registration: Registration) {
        let index = Int(registration.slot)
        guard slots[index].generation == registration.generation else { return }
        if !slots[index].interest.isEmpty {
            _ = epoll_ctl(epoll.raw, EPOLL_CTL_DEL, slots[index].descriptor, nil)
        }
        slots[index] = Slot(generation: slots[index].generation &+ 1)
        unused.append(registration.slot)
    }

    /// Watches files for all who ask; made for the first.
    func fileWatcher() throws(SystemError) -> FileWatcher {
        if let watcher { return watcher }
        let new = try FileWatcher()
        _ = try add(new.descriptor, for: .readable, handler: new)
        watcher = new
        return new
    }

    private func appendSlot() -> UInt32 {
        slots.append(Slot())
        return UInt32(slots.count - 1)
    }

    /// Asks for a turn after the events that are being delivered. Ask once for each turn.
    public func requestTurn(_ taker: any TurnTaker) { turns.append(taker) }

    /// Calls `handler` once, at `instant` or as soon after it as the loop gets there.
    public func arm(at instant: ContinuousClock.Instant, handler: any TimerHandler) -> TimerID {
        timers.arm(at: instant, handler: handler)
    }

    /// A timer that has fired or was disarmed is ignored.
    public func disarm(_ timer: TimerID) { timers.disarm(timer) }

    /// Ends `run` after the turn that is under way.
    public func stop() { isStopped = true }

    /// Runs until `stop`.
    public func run() throws(SystemError) {
        while !isStopped { try turn() }
    }

    /// One wait, and all that follows from it.
    func turn() throws(SystemError) {
        turnStart = nil
        let timeout = waitMilliseconds()
        var count = try wait(timeout)
        // A wait that a signal or its timeout has ended: what arrived while the process stood still (SIGSTOP, suspend) is
        // seen before timers are.
        if count == 0 && timeout != 0 { count = try wait(0) }
        turnStart = nil
        for i in 0..<count { unsafe deliver(events[i]) }
        if !timers.isEmpty { fireDueTimers() }
        swap(&turns, &dueTurns)
        for taker in dueTurns where taker.takeTurn() { turns.append(taker) }
        dueTurns.removeAll(keepingCapacity: true)
    }

    /// How many events there are; none after a signal.
    private func wait(_ milliseconds: Int32) throws(SystemError) -> Int {
        let count = unsafe epoll_wait(epoll.raw, events, Int32(Self.capacity), milliseconds)
        if count >= 0 { return Int(count) }
        let code = errno
        // Not repeated, for the timeout would begin anew: after SIGCONT, say, timers would be late.
        guard code == EINTR else { throw SystemError(call: "epoll_wait", code: code) }
        return 0
    }

    private func deliver(_ event: epoll_event) {
        let data = unsafe event.data.u64
        let index = Int(truncatingIfNeeded: data & 0xFFFF_FFFF)
        guard slots[index].generation == UInt32(truncatingIfNeeded: data >> 32) else { return }
        // What it wants may have changed since the kernel reported, by an event before it in this turn.
        let interest = slots[index].interest
        guard !interest.isEmpty else { return }
        let wanted = Readiness(rawValue: interest.rawValue).union(.hangup)
        let readiness = Readiness(rawValue: unsafe event.events).intersection(wanted)
        guard !readiness.isEmpty else { return }
        slots[index].handler?.becameReady(readiness)
    }

    private func waitMilliseconds() -> Int32 {
        guard turns.isEmpty else { return 0 }
        guard let due = timers.earliest else { return -1 }
        let wait = due - now
        guard wait > .zero else { return 0 }
        // Rounded up: a wait that ends too early would only be repeated.
        let (seconds, attoseconds) = wait.components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private func fireDueTimers() {
        let now = now
        // What is armed meanwhile waits for the next turn: a timer that arms another for now must not hold up the rest.
        let newest = timers.newest
        while let (timer, handler) = timers.takeDue(at: now, upTo: newest) { handler.timerFired(timer) }
    }
}
