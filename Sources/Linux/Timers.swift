/// Told that a timer is due.
public protocol TimerHandler: AnyObject {
    func timerFired(_ timer: TimerID)
}

/// One arming of a timer; never reused.
public struct TimerID: Hashable, Sendable {
    let number: UInt64
}

/// The timers of a loop: a handful, so a plain list.
struct Timers {
    private struct Timer {
        let id: TimerID
        let due: ContinuousClock.Instant
        let handler: any TimerHandler
    }
    private var timers: [Timer] = []
    private var armed: UInt64 = 0

    var isEmpty: Bool { timers.isEmpty }
    var earliest: ContinuousClock.Instant? { timers.lazy.map(\.due).min() }

    mutating func arm(at due: ContinuousClock.Instant, handler: any TimerHandler) -> TimerID {
        armed += 1
        timers.append(Timer(id: TimerID(number: armed), due: due, handler: handler))
        return TimerID(number: armed)
    }

    mutating func disarm(_ id: TimerID) { timers.removeAll { $0.id == id } }

    /// Removes the timer that has been due longest.
    mutating func takeDue(at now: ContinuousClock.Instant) -> (TimerID, any TimerHandler)? {
        guard let index = timers.indices.min(by: { timers[$0].due < timers[$1].due }),
            timers[index].due <= now
        else { return nil }
        let timer = timers.remove(at: index)
        return (timer.id, timer.handler)
    }
}
