import Bridge
import Testing
import Uplink

@testable import Daemon

/// What becomes of an outage when connections come and go.
struct FlappingTests {
    static let start = ContinuousClock.now

    /// A log, its clock, and what it said.
    struct Journalled {
        var log = OutageLog()
        var now = start
        var lines: [String] = []

        mutating func add(_ line: LogLine?) { if let line { lines.append(line.text) } }

        mutating func ready(attempts: Int = 1) {
            add(log.line(for: .ready("x:1", attempts: attempts), now: now))
        }

        /// Time passes, and the timer fires when it is due.
        mutating func wait(_ milliseconds: Int) {
            now += .milliseconds(milliseconds)
            while let due = log.due, due <= now { add(log.timerFired(now: due)) }
        }

        /// A connection ends after so many milliseconds; those after which it has settled are told first.
        mutating func lost(after milliseconds: Int) {
            wait(milliseconds)
            add(
                log.line(
                    for: .waiting(.ended, address: "x:1", until: now, lifetime: .milliseconds(milliseconds)),
                    now: now))
        }

        mutating func refused() {
            wait(100)
            add(
                log.line(
                    for: .waiting(
                        .system(call: "connect", errno: 111), address: "x:1", until: now + .milliseconds(100),
                        lifetime: nil),
                    now: now))
        }
    }

    @Test func `the first connection is told with where to`() {
        var journal = Journalled()
        journal.add(journal.log.line(for: .resolving(.unix(path: "/x")), now: journal.now))
        journal.add(journal.log.line(for: .connecting("x:1"), now: journal.now))
        journal.ready(attempts: 1)
        #expect(journal.lines == ["connected to x:1"])
        #expect(journal.log.due == nil)
        #expect(journal.log.timerFired(now: journal.now) == nil)
    }

    @Test func `one attempt is not attempts`() {
        var journal = Journalled()
        journal.ready()
        journal.lost(after: 5000)
        journal.now += .milliseconds(340)
        journal.ready(attempts: 1)
        #expect(journal.lines.last == "connected to x:1 after 340 ms and 1 attempt")
    }

    @Test func `a server that refuses in between is still one outage`() {
        var journal = Journalled()
        for _ in 0..<900 {
            journal.ready(attempts: 4)
            journal.lost(after: 300)
            for _ in 0..<3 { journal.refused() }
        }
        #expect(journal.lines.count == 4)
        #expect(
            journal.lines[..<3] == [
                "connected to x:1",
                "connection to x:1 lost: the upstream closed it after 300 ms; next attempt at once",
                "cannot connect to x:1: Connection refused (errno 111); next attempt in 100 ms",
            ])
        #expect(
            journal.lines[3]
                == "no connection has lasted after 1 min 0 s and 400 attempts: cannot connect to x:1: "
                + "Connection refused (errno 111); next attempt in 100 ms")
        journal.ready(attempts: 4)
        let since = journal.now
        #expect(journal.log.due == since + OutageLog.settling)
        journal.lost(after: 60_000)
        // 900 times 600 ms, less the time of the first connection.
        #expect(journal.lines.count == 6)
        #expect(journal.lines[4] == "connected to x:1 after 8 min 59 s and 3600 attempts")
        #expect(
            journal.lines[5]
                == "connection to x:1 lost: the upstream closed it after 1 min 0 s; next attempt at once")
    }

    @Test func `a connection that did not last is no end`() {
        var journal = Journalled()
        journal.ready()
        journal.lost(after: 100)
        journal.ready()
        journal.lost(after: 1999)
        #expect(journal.log.timerFired(now: journal.now + .seconds(2)) == nil)
        #expect(journal.lines.count == 2)
    }

    @Test func `after a connection that lasted, the next loss is a new outage`() {
        var journal = Journalled()
        journal.ready()
        for _ in 0..<3 {
            journal.lost(after: 100)
            journal.ready()
            journal.lost(after: 3_600_000)
            journal.ready()
        }
        #expect(journal.lines.filter { $0.hasPrefix("connection") }.count == 6)
        #expect(journal.lines.filter { $0.hasPrefix("connected to x:1 after") }.count == 6)
    }

    @Test(arguments: [2, 3, 30, 600, 3599])
    func `connections that keep breaking off are a line an hour before long`(seconds: Int) {
        var journal = Journalled()
        journal.ready()
        let hours = 100
        for _ in 0..<hours * 3600 / seconds {
            journal.lost(after: seconds * 1000)
            journal.ready()
        }
        #expect(journal.lines.count <= 2 * 12 + hours + 3, "\(journal.lines.count)")
        #expect(journal.lines.contains { $0.hasPrefix("no connection has lasted after") })
    }

    @Test func `each outage that follows too soon must be followed by a longer connection`() {
        var journal = Journalled()
        journal.ready()
        for seconds in [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600] {
            journal.lost(after: 1000)
            let lost = journal.now
            journal.ready()
            #expect(journal.log.due == min(journal.now + .seconds(seconds), lost + .seconds(60)))
            journal.wait(seconds * 1000)
            #expect(journal.lines.last?.hasPrefix("connected to x:1 after") == true)
        }
    }

    @Test func `an hour of calm makes up for everything before it`() {
        var journal = Journalled()
        journal.ready()
        for _ in 0..<20 {
            journal.lost(after: 60_000)
            journal.ready()
        }
        journal.lost(after: 3_600_000)
        journal.ready()
        #expect(journal.log.due == nil)
        #expect(journal.lines.last?.hasPrefix("connected to x:1 after 0 ms") == true)
    }
}
