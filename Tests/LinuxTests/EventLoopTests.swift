import Glibc
import Testing

@testable import Linux

struct EventLoopTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test func `level-triggered, what is left unread is told again each turn`() throws {
        let pair = try Pair()
        let ear = Ear()
        _ = try loop.add(pair.near, for: .readable, handler: ear)
        try loop.turnAtOnce()
        #expect(ear.heard.isEmpty)
        try pair.sendFromFar([1])
        try loop.turnAtOnce(3)
        #expect(ear.heard == [.readable, .readable, .readable])
        #expect(try pair.near.receive(upTo: 9).1 == [1])
        try loop.turnAtOnce()
        #expect(ear.heard.count == 3)
    }

    @Test func `edge-triggered, each arrival is told once`() throws {
        let pair = try Pair()
        let ear = Ear()
        _ = try loop.add(pair.near, for: [.readable, .edgeTriggered], handler: ear)
        try pair.sendFromFar([1])
        try loop.turnAtOnce(3)
        #expect(ear.heard == [.readable])
        try pair.sendFromFar([2])
        try loop.turnAtOnce(3)
        #expect(ear.heard == [.readable, .readable])
        pair.closeFar()
        try loop.turn { ear.heard.count == 3 }
        try loop.turnAtOnce(3)
        #expect(ear.heard.count == 3)
        #expect(ear.heard.last?.isSuperset(of: [.readable]) == true)
        #expect(ear.heard.last?.isDisjoint(with: .hangup) == false)
    }

    @Test func `a descriptor becomes writable when its peer reads`() throws {
        let pair = try Pair()
        let ear = Ear()
        let bytes = [UInt8](repeating: 7, count: 1 << 16)
        while case .moved = try pair.near.send(bytes.span) {}
        let registration = try loop.add(pair.near, for: .writable, handler: ear)
        try loop.turnAtOnce()
        #expect(ear.heard.isEmpty)
        while case .moved = try pair.withFar({ try $0.receive(upTo: 1 << 16).0 }) {}
        try loop.turnAtOnce()
        #expect(ear.heard == [.writable])
        try loop.modify(registration, for: .readable)
        try loop.turnAtOnce()
        #expect(ear.heard == [.writable])
    }

    @Test func `an empty interest hears nothing, not even that the peer hung up, until there is an interest`()
        throws
    {
        let pair = try Pair()
        let ear = Ear()
        let registration = try loop.add(pair.near, for: [], handler: ear)
        try pair.sendFromFar([1])
        try loop.turnAtOnce()
        try loop.modify(registration, for: .readable)
        try loop.turnAtOnce()
        #expect(ear.heard == [.readable])
        try loop.modify(registration, for: [])
        pair.closeFar()
        try loop.turnAtOnce(3)
        #expect(ear.heard == [.readable])
        try loop.modify(registration, for: .readable)
        try loop.turnAtOnce()
        #expect(ear.heard.count == 2)
        #expect(ear.heard.last?.isSuperset(of: .readable) == true)
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func `an interest given up in the same turn is respected`(isPartly: Bool, hasHungUp: Bool) throws {
        let pairs = [try Pair(), try Pair()]
        let ears = [Ear(), Ear()]
        var registrations: [Registration] = []
        for (pair, ear) in zip(pairs, ears) {
            try pair.sendFromFar([1])
            if hasHungUp { pair.closeFar() }
            registrations.append(try loop.add(pair.near, for: .readable, handler: ear))
            let other = ears.firstIndex { $0 !== ear } ?? 0
            ear.then = { [loop] in
                // Writable in the kernel's next report, not in this one.
                #expect(throws: Never.self) {
                    try loop.modify(registrations[other], for: isPartly ? .writable : [])
                }
            }
        }
        try withExtendedLifetime(pairs) { try loop.turnAtOnce() }
        #expect(ears[0].heard.count + ears[1].heard.count == 1)
    }

    @Test func `what was reported of a descriptor removed in the same turn is not delivered`() throws {
        let pairs = [try Pair(), try Pair(), try Pair()]
        let ears = [Ear(), Ear(), Ear()]
        var registrations: [Registration] = []
        for (pair, ear) in zip(pairs, ears) {
            try pair.sendFromFar([1])
            registrations.append(try loop.add(pair.near, for: .readable, handler: ear))
            ear.then = { [loop] in for registration in registrations { loop.remove(registration) } }
        }
        try withExtendedLifetime(pairs) { try loop.turnAtOnce(2) }
        #expect(ears.map(\.heard.count).sorted() == [0, 0, 1])
    }

    @Test func `nor to who took the place, slot and descriptor, of the removed one`() throws {
        let pairs = [try Pair(), try Pair()]
        let ears = [Ear(), Ear()]
        let newcomer = Ear()
        let quiet = try Pair()
        var registrations: [Registration] = []
        for (pair, ear) in zip(pairs, ears) {
            try pair.sendFromFar([1])
            registrations.append(try loop.add(pair.near, for: .readable, handler: ear))
            let other = ears.firstIndex { $0 !== ear } ?? 0
            ear.then = { [loop] in
                guard ears[0].heard.count + ears[1].heard.count == 1 else { return }
                loop.remove(registrations[other])
                // Now the same number is another file.
                #expect(dup2(quiet.near.raw, pairs[other].near.raw) == pairs[other].near.raw)
                #expect(throws: Never.self) {
                    let old = registrations[other]
                    registrations[other] = try loop.add(pairs[other].near, for: .readable, handler: newcomer)
                    #expect(registrations[other].slot == old.slot)
                    #expect(registrations[other] != old)
                }
            }
        }
        try loop.turnAtOnce()
        #expect(newcomer.heard.isEmpty)
        #expect(ears[0].heard.count + ears[1].heard.count == 1)
        try quiet.sendFromFar([1])
        try loop.turnAtOnce()
        #expect(ears[0].heard.isEmpty || ears[1].heard.isEmpty)
        #expect(newcomer.heard == [.readable])
    }

    @Test func `a stale registration changes nothing`() throws {
        let (first, second) = (try Pair(), try Pair())
        let (early, late) = (Ear(), Ear())
        let stale = try loop.add(first.near, for: .readable, handler: early)
        loop.remove(stale)
        _ = try loop.add(second.near, for: .readable, handler: late)
        loop.remove(stale)
        try loop.modify(stale, for: [])
        try first.sendFromFar([1])
        try second.sendFromFar([1])
        try loop.turnAtOnce()
        #expect(early.heard.isEmpty)
        #expect(late.heard == [.readable])
    }

    @Test func `what cannot be watched is refused, and leaves no trace`() throws {
        let file = FileDescriptor(owning: open("/etc/passwd", O_RDONLY))
        weak var trace: Ear?
        do {
            let ear = Ear()
            trace = ear
            #expect(throws: SystemError(call: "epoll_ctl", code: EPERM)) {
                _ = try loop.add(file, for: .readable, handler: ear)
            }
        }
        #expect(trace == nil)
        let pair = try Pair()
        #expect(try loop.add(pair.near, for: .readable, handler: Ear()).slot == 0)
    }

    @Test func `a handler is let go when its descriptor is removed`() throws {
        let pair = try Pair()
        weak var trace: Ear?
        let registration: Registration
        do {
            let ear = Ear()
            trace = ear
            registration = try loop.add(pair.near, for: .readable, handler: ear)
        }
        #expect(trace != nil)
        loop.remove(registration)
        #expect(trace == nil)
    }

    @Test func `more ready descriptors than one wait reports are all heard`() throws {
        let pairs = try (0..<1200).map { _ in try Pair() }
        let ear = Ear()
        for pair in pairs {
            try pair.sendFromFar([1])
            _ = try loop.add(pair.near, for: [.readable, .edgeTriggered], handler: ear)
        }
        try withExtendedLifetime(pairs) { try loop.turnAtOnce(4) }
        #expect(ear.heard.count == 1200)
    }

    // MARK: Turns

    @Test func `a turn comes after the events, and again until there is no more to do`() throws {
        let pair = try Pair()
        let (ear, taker) = (Ear(), Ear())
        var left = 3
        taker.hasMore = {
            left -= 1
            return left > 0
        }
        ear.then = { [loop] in
            #expect(taker.turns == 0)
            _ = try? pair.near.receive(upTo: 9)
            loop.requestTurn(taker)
        }
        _ = try loop.add(pair.near, for: .readable, handler: ear)
        try pair.sendFromFar([1])
        let turns = try loop.turn { taker.turns == 3 }
        #expect(turns == 3)
        // Nobody asks any more: only the timer ends the wait.
        try expectQuiet()
        #expect(taker.turns == 3)
    }

    @Test func `a turn asked for within a turn is the next one`() throws {
        let (first, second) = (Ear(), Ear())
        first.then = { [loop] in loop.requestTurn(second) }
        loop.requestTurn(first)
        try loop.turn()
        #expect((first.turns, second.turns) == (1, 0))
        try loop.turn()
        #expect((first.turns, second.turns) == (1, 1))
    }

    @Test func `descriptors are heard even while turns never end`() throws {
        let pair = try Pair()
        let (ear, taker) = (Ear(), Ear())
        taker.hasMore = { true }
        loop.requestTurn(taker)
        _ = try loop.add(pair.near, for: .readable, handler: ear)
        try pair.sendFromFar([1])
        try loop.turn { !ear.heard.isEmpty }
    }

    @Test func `stop ends the run after the turn`() throws {
        let (taker, other) = (Ear(), Ear())
        taker.then = { [loop] in loop.stop() }
        taker.hasMore = { true }
        loop.requestTurn(taker)
        loop.requestTurn(other)
        try loop.run()
        #expect((taker.turns, other.turns) == (1, 1))
    }

    @Test func `the time is the same all through a turn, and moves on with the next`() throws {
        let taker = Ear()
        var times: [ContinuousClock.Instant] = []
        taker.then = { [loop] in
            let now = loop.now
            while ContinuousClock.now == now {}
            times += [now, loop.now]
        }
        taker.hasMore = { times.count < 4 }
        loop.requestTurn(taker)
        try loop.turn { times.count == 4 }
        #expect(times[0] == times[1])
        #expect(times[2] == times[3])
        #expect(times[1] < times[2])
    }

    /// Nothing is ready: one wait lasts until the timer.
    func expectQuiet(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let timer = Ear()
        let due = ContinuousClock.now + .milliseconds(30)
        _ = loop.arm(at: due, handler: timer)
        let turns = try loop.turn { !timer.fired.isEmpty }
        #expect(turns == 1, sourceLocation: sourceLocation)
        #expect(ContinuousClock.now >= due, sourceLocation: sourceLocation)
    }

    @Test func `waiting is not spinning`() throws {
        let (pair, ear) = (try Pair(), Ear())
        _ = try loop.add(pair.near, for: .readable, handler: ear)
        try expectQuiet()
        #expect(ear.heard.isEmpty)
    }

    @Test func `a timer far in the future is no limit that the wait cannot hold`() throws {
        let (pair, ear, timer) = (try Pair(), Ear(), Ear())
        _ = try loop.add(pair.near, for: .readable, handler: ear)
        _ = loop.arm(at: .now + .seconds(1_000_000_000_000), handler: timer)
        try pair.sendFromFar([1])
        try loop.turn()
        #expect(ear.heard.count == 1)
        #expect(timer.fired.isEmpty)
    }
}
