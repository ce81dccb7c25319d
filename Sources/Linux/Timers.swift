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
    /// The last that was armed.
    var newest: TimerID { TimerID(number: armed) }
    var earliest: ContinuousClock.Instant? { timers.lazy.map(\.due).min() }

    mutating func arm(at due: ContinuousClock.Instant, handler: any TimerHandler) -> TimerID {
        armed += 1
        timers.append(Timer(id: TimerID(number: armed), due: due, handler: handler))
        return TimerID(number: armed)
    }

    mutating func disarm(_ id: TimerID) { timers.removeAll { $0.id == id } }

    /// Removes the timer that has been due longest, of those armed no later than `newest`.
    mutating func takeDue(at now: ContinuousClock.Instant, upTo newest: TimerID) -> (
        TimerID, any TimerHandler
    )? {
        var first: Int?
        for (index, timer) in timers.enumerated() where timer.due <= now && timer.id.number <= newest.number {
            if let earlier = first, timers[earlier].due <= timer.due { continue }
            first = index
        }
        guard let first else { return nil }
        let timer = timers.remove(at: first)
        return (timer.id, timer.handler)
    }
}
