import CLinux
import Glibc

/// Becomes readable when the machine may have resumed from suspend.
///
/// The kernel reports that in the same way as a step of the wall clock; which of them it was is seen from the clock that
/// counts the time in suspend and the one that does not.
public final class SuspendWatch {
    public let descriptor: FileDescriptor
    /// What is less is not worth telling, and more than what reading two clocks one after the other can make up.
    private static let shortest = Duration.milliseconds(100)
    private let gap: () -> Duration
    private var lastGap: Duration

    /// - Parameter gap: The time that the machine has spent in suspend since its start.
    /// - Throws: `EMFILE`; `ENOSYS` where timers are not allowed.
    public init(gap: @escaping () -> Duration = timeInSuspend) throws(SystemError) {
        descriptor = FileDescriptor(
            owning: Int32(try retrying("timerfd") { Int(tl_clock_changes()) }))
        self.gap = gap
        lastGap = gap()
    }

    /// Forgets what has happened by now.
    ///
    /// - Returns: Whether the machine was in suspend since the last time.
    public func reset() -> Bool {
        // It fails with ECANCELED, and the timer stands as before.
        var expirations: UInt64 = 0
        _ = unsafe Glibc.read(descriptor.raw, &expirations, 8)
        let before = lastGap
        lastGap = gap()
        return lastGap - before > Self.shortest
    }
}

/// CLOCK_BOOTTIME minus CLOCK_MONOTONIC (clock_gettime(2)).
public func timeInSuspend() -> Duration {
    while true {
        let before = time(of: CLOCK_MONOTONIC)
        let gap = time(of: CLOCK_BOOTTIME) - before
        // A thread that stood still in between would take that for a suspend.
        if time(of: CLOCK_MONOTONIC) - before < .milliseconds(10) { return gap }
    }
}

private func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
