import Glibc
import Synchronization
import Testing

@testable import Linux

/// Of SIGURG, which one test alone has handled.
private let signalsHandled = Atomic(0)

struct TimerTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test func `timers fire in the order of their times, and of their arming`() throws {
        let start = ContinuousClock.now
        var order: [String] = []
        func arm(_ name: String, _ milliseconds: Int) {
            let ear = Ear()
            ear.then = { order.append(name) }
            _ = loop.arm(at: start + .milliseconds(milliseconds), handler: ear)
        }
        arm("last", 20)
        arm("fourth", -10)
        arm("second", -50)
        arm("third", -50)
        arm("first", -1000)
        // Four are due at once, in one turn.
        try loop.turn()
        let early = order.count
        let isLate = ContinuousClock.now >= start + .milliseconds(20)
        #expect(order.prefix(4) == ["first", "second", "third", "fourth"])
        #expect(early == 4 || isLate)
        try loop.turn { order.count == 5 }
        #expect(order.last == "last")
    }

    @Test func `a timer fires once, and not before its time`() throws {
        let ear = Ear()
        let due = ContinuousClock.now + .microseconds(3500)
        var firedAt: ContinuousClock.Instant?
        ear.then = { firedAt = .now }
        let timer = loop.arm(at: due, handler: ear)
        try loop.turn { firedAt != nil }
        #expect(firedAt.map { $0 >= due } == true)
        try loop.turnAtOnce(3)
        #expect(ear.fired == [timer])
        loop.disarm(timer)
    }

    @Test func `a disarmed timer does not fire`() throws {
        let (ear, other) = (Ear(), Ear())
        let timer = loop.arm(at: .now, handler: ear)
        let kept = loop.arm(at: .now, handler: other)
        #expect(timer != kept)
        loop.disarm(timer)
        loop.disarm(timer)
        try loop.turn { !other.fired.isEmpty }
        #expect(ear.fired.isEmpty)
        #expect(other.fired == [kept])
    }

    @Test func `a timer can disarm one that is due with it`() throws {
        let (ear, other) = (Ear(), Ear())
        let due = ContinuousClock.now
        var victim: TimerID?
        ear.then = { [loop] in victim.map(loop.disarm) }
        _ = loop.arm(at: due, handler: ear)
        victim = loop.arm(at: due, handler: other)
        try loop.turnAtOnce(2)
        #expect(ear.fired.count == 1)
        #expect(other.fired.isEmpty)
    }

    @Test func `a timer armed by a timer for now waits for the next turn, and starves nobody`() throws {
        let pair = try Pair()
        let (ear, reader) = (Ear(), Ear())
        ear.then = { [loop] in
            // The end is only there so that a loop that never comes back does not hang the test.
            if ear.fired.count < 1000 { _ = loop.arm(at: loop.now, handler: ear) }
        }
        _ = try loop.add(pair.near, for: .readable, handler: reader)
        _ = loop.arm(at: .now, handler: ear)
        try pair.sendFromFar([1])
        for turn in 1...5 {
            try loop.turn()
            #expect(ear.fired.count == turn)
            #expect(reader.heard.count == turn)
        }
        #expect(Set(ear.fired).count == 5)
    }

    @Test func `a chain of timers fires each, with waits between`() throws {
        let ear = Ear()
        let due = ContinuousClock.now
        ear.then = { [loop] in
            if ear.fired.count < 5 {
                _ = loop.arm(at: due + .milliseconds(5 * ear.fired.count), handler: ear)
            }
        }
        _ = loop.arm(at: due, handler: ear)
        let turns = try loop.turn { ear.fired.count == 5 }
        #expect(Set(ear.fired).count == 5)
        #expect(turns <= 10)
    }

    @Test func `signals do not put a timer off`() throws {
        let start = signalsHandled.load(ordering: .sequentiallyConsistent)
        // The handler interrupts the wait.
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            _ = signalsHandled.add(1, ordering: .sequentiallyConsistent)
        }
        var before = sigaction()
        try #require(sigaction(SIGURG, &action, &before) == 0)
        defer { sigaction(SIGURG, &before, nil) }
        let mask = try SignalMask(unblocking: [SIGURG])
        defer { mask.restore() }

        final class Flag: Sendable {
            let isOver = Mutex(false)
            let isGone = Mutex(false)
        }
        let flag = Flag()
        let ear = Ear()
        let waiter = pthread_self()
        try onThread {
            // More often than the timer is due: a wait that began anew each time would not end before this does. Signals count
            // that were handled: a waiter that stands still handles none.
            while !flag.isOver.withLock({ $0 })
                && signalsHandled.load(ordering: .sequentiallyConsistent) < start + 200
            {
                pthread_kill(waiter, SIGURG)
                usleep(20_000)
            }
            flag.isGone.withLock { $0 = true }
        }
        defer {
            flag.isOver.withLock { $0 = true }
            while !flag.isGone.withLock({ $0 }) { sched_yield() }
        }
        let due = ContinuousClock.now + .milliseconds(200)
        _ = loop.arm(at: due, handler: ear)
        try loop.turn { !ear.fired.isEmpty }
        // Some ten until it was due, and hardly any since.
        let handled = signalsHandled.load(ordering: .sequentiallyConsistent) - start
        #expect(handled < 100)
    }
}
