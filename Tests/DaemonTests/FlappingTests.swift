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

        /// A connection ends after so many milliseconds; those after which it has settled are told first.
        mutating func lost(after milliseconds: Int) {
            now += .milliseconds(milliseconds)
            if let due = log.due, due <= now { add(log.settled(now: due)) }
            add(
                log.line(
                    for: .waiting(.ended, address: "x:1", until: now, lifetime: .milliseconds(milliseconds)),
                    now: now))
        }

        mutating func refused() {
            now += .milliseconds(100)
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
        #expect(journal.log.settled(now: journal.now) == nil)
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
        for _ in 0..<1000 {
            journal.ready(attempts: 4)
            journal.lost(after: 300)
            for _ in 0..<3 { journal.refused() }
        }
        #expect(
            journal.lines == [
                "connected to x:1",
                "connection to x:1 lost: the upstream closed it after 300 ms; next attempt at once",
                "cannot connect to x:1: Connection refused (errno 111); next attempt in 100 ms",
            ])
        journal.ready(attempts: 4)
        let since = journal.now
        #expect(journal.log.due == since + OutageLog.settling)
        journal.lost(after: 60_000)
        // 1000 times 600 ms, less the time of the first connection.
        #expect(journal.lines.count == 5)
        #expect(journal.lines[3] == "connected to x:1 after 9 min 59 s and 4000 attempts")
        #expect(
            journal.lines[4]
                == "connection to x:1 lost: the upstream closed it after 1 min 0 s; next attempt at once")
    }

    @Test func `a connection that did not last is no end`() {
        var journal = Journalled()
        journal.ready()
        journal.lost(after: 100)
        journal.ready()
        journal.lost(after: 1999)
        #expect(journal.log.due == nil)
        #expect(journal.log.settled(now: journal.now + .seconds(2)) == nil)
        #expect(journal.lines.count == 2)
    }

    @Test func `after a connection that lasted, the next loss is a new outage`() {
        var journal = Journalled()
        journal.ready()
        for _ in 0..<3 {
            journal.lost(after: 100)
            journal.ready()
            journal.lost(after: 2000)
            journal.ready()
        }
        #expect(journal.lines.filter { $0.hasPrefix("connection") }.count == 6)
    }
}
