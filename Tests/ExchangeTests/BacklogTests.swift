import Exchange
import Testing

@Suite struct BacklogTests {
    private static let start = ContinuousClock.now
    private static let patience = Duration.seconds(1)

    /// One look: at which millisecond, whether the client holds the upstream up, whether another waits at the head, how
    /// far it has read, and how many milliseconds of patience must be left.
    private typealias Look = (at: Int, holds: Bool, anotherAtHead: Bool, progress: UInt64, left: Int)

    private static func check(_ looks: [Look], sourceLocation: SourceLocation = #_sourceLocation) {
        var backlog = Backlog()
        for look in looks {
            let standing = Backlog.Standing(
                isHoldingUp: look.holds, isAnotherAtHead: look.anotherAtHead, progress: look.progress)
            let left = backlog.look(standing, patience: patience, now: start + .milliseconds(look.at))
            #expect(left == .milliseconds(look.left), "at \(look.at)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a client that others wait for uses its patience up, even if it reads`() {
        Self.check([
            (0, true, true, 1, 1000), (400, true, true, 2, 600), (1000, true, true, 3, 0),
        ])
    }

    @Test func `a lone client that reads, however slowly, loses nothing`() {
        Self.check([
            (0, true, false, 1, 1000), (900, true, false, 1, 100), (950, true, false, 2, 1000),
            (1900, true, false, 2, 50), (1940, true, false, 3, 1000),
        ])
    }

    @Test func `a lone client that reads nothing at all uses its patience up`() {
        Self.check([(0, true, false, 1, 1000), (500, true, false, 1, 500), (1000, true, false, 1, 0)])
    }

    @Test func `time in which it holds nobody up does not count`() {
        Self.check([
            (0, true, true, 1, 1000), (400, true, true, 1, 600), (500, false, true, 1, 600),
            (5000, true, true, 1, 600), (5500, true, true, 1, 100), (5600, true, true, 1, 0),
        ])
    }

    @Test func `patience that others used up is not given back for reading`() {
        Self.check([
            (0, true, true, 1, 1000), (600, true, true, 2, 400), (700, true, false, 3, 400),
            (900, true, false, 3, 200), (1100, true, false, 3, 0),
        ])
    }

    @Test func `patience is whole again when the head is reached`() {
        var backlog = Backlog()
        let standing = Backlog.Standing(isHoldingUp: true, isAnotherAtHead: true, progress: 1)
        _ = backlog.look(standing, patience: Self.patience, now: Self.start)
        _ = backlog.look(standing, patience: Self.patience, now: Self.start + .milliseconds(900))
        backlog.reachedHead()
        #expect(backlog == Backlog())
        let left = backlog.look(standing, patience: Self.patience, now: Self.start + .milliseconds(950))
        #expect(left == Self.patience)
    }
}
