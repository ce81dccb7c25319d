public import Linux

/// Does something at once, and again and again from a timer of the loop: when the loop hangs, it stops.
public final class Heartbeat: TimerHandler {
    private let interval: Duration
    private let loop: EventLoop
    private let beat: () -> Void
    private var timer: TimerID?

    /// - Parameters:
    ///   - interval: From one beat to the next.
    ///   - loop: Keeps it until `stop`.
    ///   - beat: What is done.
    public init(every interval: Duration, on loop: EventLoop, _ beat: @escaping () -> Void) {
        self.interval = interval
        self.loop = loop
        self.beat = beat
        fire()
    }

    /// There is no further beat.
    public func stop() {
        if let timer { loop.disarm(timer) }
        timer = nil
    }

    public func timerFired(_ timer: TimerID) { fire() }

    private func fire() {
        beat()
        timer = loop.arm(at: loop.now + interval, handler: self)
    }
}

extension Heartbeat {
    /// How often the service manager's watchdog wants to be fed: twice in the time that it waits (sd_watchdog_enabled(3)).
    ///
    /// - Parameters:
    ///   - pid: This process, for the watchdog may be another's.
    ///   - variable: The value of a variable of the environment: `WATCHDOG_USEC` and `WATCHDOG_PID` are asked for.
    /// - Returns: `nil` when there is no watchdog, or none for this process.
    public static func watchdogInterval(pid: Int32, _ variable: (String) -> String?) -> Duration? {
        guard let limit = variable("WATCHDOG_USEC").flatMap({ Int64($0) }), limit > 0 else { return nil }
        if let owner = variable("WATCHDOG_PID"), Int32(owner) != pid { return nil }
        return .microseconds(limit) / 2
    }
}
