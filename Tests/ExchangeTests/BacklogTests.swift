import Exchange
import Testing

/// Patience, on a clock of our own: scripts of what is seen at each look.
struct BacklogTests {
    static let start = ContinuousClock.now
    static let patience = Duration.milliseconds(1000)

    /// What is seen of a client after so many milliseconds.
    enum Sight {
        /// It does not hold the upstream up.
        case fine
        /// It does; nobody waits for it. The number changes when it has read something.
        case alone(Int)
        /// It does, and another client waits at the head.
        case awaited(Int)
        /// It has sent everything: nobody looks at it.
        case reachedHead
    }

    /// At each time, what is seen, and how many milliseconds are left.
    struct Script: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let lines: [(at: Int, Sight, left: Int)]

        init(_ name: String, _ lines: [(at: Int, Sight, left: Int)]) {
            testDescription = name
            self.lines = lines
        }
    }

    /// - Returns: What is left; `nil` when the client reached the head.
    static func show(_ sight: Sight, at milliseconds: Int, to backlog: inout Backlog) -> Duration? {
        let (isHoldingUp, isAnotherAtHead, progress) =
            switch sight {
            case .fine: (false, true, 0)
            case .alone(let progress): (true, false, progress)
            case .awaited(let progress): (true, true, progress)
            case .reachedHead: (false, false, -1)
            }
        guard progress >= 0 else {
            backlog.reachedHead()
            return nil
        }
        return backlog.look(
            Backlog.Standing(
                isHoldingUp: isHoldingUp, isAnotherAtHead: isAnotherAtHead, progress: UInt64(progress)),
            patience: patience, longest: .seconds(10), now: start + .milliseconds(milliseconds))
    }

    static let scripts = [
        Script(
            "a lone reader that still reads keeps its patience",
            (0...100).map { (at: $0 * 50, .alone($0), left: 1000) }),
        Script(
            "a lone reader that reads nothing uses its patience up",
            (0...22).map { (at: $0 * 50, .alone(7), left: 1000 - $0 * 50) }),
        Script(
            "a lone reader that reads at last has all of it again",
            [
                (0, .alone(1), 1000), (900, .alone(1), 100), (950, .alone(2), 1000),
                (1900, .alone(2), 50), (2000, .alone(3), 1000),
            ]),
        Script(
            "one that trickles while another waits uses its patience up",
            (0...22).map { (at: $0 * 50, .awaited($0), left: 1000 - $0 * 50) }),
        Script(
            "one that reads nothing while another waits is not counted twice",
            (0...22).map { (at: $0 * 50, .awaited(7), left: 1000 - $0 * 50) }),
        Script(
            "it is used up across several intervals",
            [
                (0, .awaited(1), 1000), (400, .awaited(2), 600), (450, .fine, 600), (2000, .fine, 600),
                (2050, .awaited(3), 600), (2350, .awaited(4), 300), (2400, .fine, 300),
                (9000, .awaited(5), 300), (9300, .awaited(6), 0),
            ]),
        Script(
            "not holding up stops the clock at both ends",
            [
                (0, .fine, 1000), (5000, .awaited(1), 1000), (5100, .awaited(2), 900),
                (9000, .fine, 900), (9500, .awaited(3), 900),
            ]),
        Script(
            "reaching the head makes it whole",
            [
                (0, .awaited(1), 1000), (900, .awaited(1), 100), (950, .reachedHead, 0),
                (960, .awaited(2), 1000), (1000, .awaited(2), 960), (1100, .reachedHead, 0),
                (1150, .alone(3), 1000), (1250, .alone(3), 900),
                (1260, .reachedHead, 0), (1300, .alone(3), 1000),
            ]),
        Script(
            "what others have waited is not forgiven for reading on",
            [
                (0, .awaited(1), 1000), (600, .awaited(2), 400), (700, .alone(3), 400),
                (800, .alone(3), 300), (900, .alone(4), 400), (950, .awaited(5), 400),
                (1000, .awaited(6), 350),
            ]),
        Script(
            "another that waits at the end of an interval only does not count",
            [
                (0, .alone(1), 1000), (500, .awaited(2), 1000), (600, .awaited(3), 900),
                (700, .alone(4), 900), (800, .awaited(5), 900),
            ]),
        Script(
            "reading nothing counts whoever waits",
            [
                (0, .alone(1), 1000), (100, .awaited(1), 900), (200, .alone(1), 800),
                (300, .alone(1), 700),
            ]),
    ]

    @Test(arguments: scripts)
    func `patience is used up by holding others up`(script: Script) {
        var backlog = Backlog()
        for (milliseconds, sight, left) in script.lines {
            guard let got = Self.show(sight, at: milliseconds, to: &backlog) else { continue }
            #expect(got == .milliseconds(left), "at \(milliseconds) ms")
        }
    }

    @Test func `clocks of several clients run side by side`() {
        var (trickling, silent, late) = (Backlog(), Backlog(), Backlog())
        for look in 0...20 {
            let now = look * 50
            let left = Duration.milliseconds(1000 - now)
            #expect(Self.show(.awaited(look), at: now, to: &trickling) == left)
            #expect(Self.show(.awaited(0), at: now, to: &silent) == left)
            let isLate = look >= 10
            let expected = Duration.milliseconds(isLate ? 1500 - now : 1000)
            #expect(Self.show(isLate ? .awaited(look) : .fine, at: now, to: &late) == expected)
        }
    }

    @Test func `a shorter patience is used up sooner`() {
        var backlog = Backlog()
        let standing = Backlog.Standing(isHoldingUp: true, isAnotherAtHead: true, progress: 0)
        _ = backlog.look(standing, patience: .zero, longest: .seconds(1), now: Self.start)
        let later = Self.start + .milliseconds(20)
        #expect(
            backlog.look(standing, patience: .milliseconds(20), longest: .seconds(1), now: later) == .zero)
        #expect(
            backlog.look(standing, patience: .milliseconds(10), longest: .seconds(1), now: later)
                == .milliseconds(-10))
    }

    @Test func `time in which the daemon stood still is not held against a client`() {
        var backlog = Backlog()
        let standing = Backlog.Standing(isHoldingUp: true, isAnotherAtHead: true, progress: 0)
        let times = [0, 50, 60_000, 60_050].map { Self.start + .milliseconds($0) }
        let left = times.map {
            backlog.look(standing, patience: .seconds(1), longest: .milliseconds(100), now: $0)
        }
        #expect(left == [1000, 950, 850, 800].map { .milliseconds($0) })
    }
}
