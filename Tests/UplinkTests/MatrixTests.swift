import TestSupport
import Testing
import Uplink

/// Every fault, on the first, second, third and twentieth attempt.
struct MatrixTests {
    private static let attempts = [1, 2, 3, 20]

    /// Steps until the connection stands and stays.
    private func runUntilWell(_ world: inout World, _ before: (inout World) -> Void = { _ in }) {
        for _ in 0..<5000 where !isWell(world) {
            before(&world)
            guard world.step() else { return }
        }
    }

    private func isWell(_ world: World) -> Bool { world.uplink.state == .ready && world.coming.isEmpty }

    @Test(arguments: Fault.allCases, attempts)
    func `it comes back, and tells why it was away`(fault: Fault, faults: Int) throws {
        var world = World(fault, faults: faults)
        world.start()
        runUntilWell(&world) { world in
            let isRacing = if case .preparing(.connecting) = world.uplink.state { true } else { false }
            #expect(world.live.count <= (isRacing ? 2 : 1))
        }
        try #require(isWell(world))
        let failures = fault.reason == nil ? 0 : faults
        #expect(world.attempts.count == failures + 1)
        #expect(
            world.waits.map(\.reason) == [Uplink.Reason](repeating: fault.reason ?? .ended, count: failures))
        #expect(world.dialogues.values.allSatisfy { $0 == 1 })
        let isLasting = if case .unresolved(_, true)? = fault.reason { true } else { fault.isOfPeople }
        for (number, wait) in world.waits.enumerated() {
            let isAtOnce = wait.delay == .zero
            #expect(!isAtOnce || fault.lifetime != nil, "attempt \(number)")
            #expect(isAtOnce || wait.delay >= .milliseconds(250), "attempt \(number)")
            #expect(wait.delay <= .seconds(isLasting && number > 0 ? 300 : 30), "attempt \(number)")
            #expect(!isLasting || number == 0 || wait.delay >= .seconds(150), "attempt \(number)")
        }
    }

    @Test(arguments: Fault.allCases, attempts)
    func `answers that come too late and a network that always changes do not keep it away`(
        fault: Fault, faults: Int
    ) throws {
        var world = World(fault, faults: faults, seed: 7)
        var random = Seeded(UInt64(faults))
        world.start()
        runUntilWell(&world) { world in
            if Int.random(in: 0..<8, using: &random) == 0 { world.networkChanged() }
            let step = UInt64.random(in: 0...40, using: &random)
            if !world.live.contains(step) {
                #expect(world.apply(.opened, to: step) == [])
                #expect(world.apply(.failed(.ended), to: step) == [])
                #expect(world.apply(.greeted(count: 1), to: step) == [])
            }
        }
        #expect(isWell(world))
        #expect(world.dialogues.values.allSatisfy { $0 == 1 })
    }

    @Test(arguments: Fault.allCases, attempts)
    func `at whatever moment it is stopped, it stays so`(fault: Fault, faults: Int) throws {
        var world = World(fault, faults: faults)
        world.start()
        var moments = 0
        runUntilWell(&world) { world in
            guard world.attempts.count >= (fault.reason == nil ? 1 : faults) else { return }
            moments += 1
            var stopped = world
            #expect(stopped.uplink.cancelled() == [.abandon, .disarmTimer, .announce(.cancelled)])
            for (_, step, event) in stopped.coming { #expect(stopped.apply(event, to: step) == []) }
            #expect(stopped.uplink.timerFired(now: stopped.now + .seconds(1000), jitter: 0) == [])
            #expect(stopped.uplink.networkChanged(now: stopped.now) == [])
            #expect(stopped.uplink.reconnect(now: stopped.now) == [])
        }
        #expect(moments >= 5)
    }
}

extension Fault {
    /// Nobody but a person can mend it.
    fileprivate var isOfPeople: Bool {
        switch self {
        case .wrongCertificate, .expiredCertificate, .loginRefused, .sessionStillHeld: true
        default: false
        }
    }
}
