import Glibc
import Systemd
import Testing

@testable import Linux

/// What the service manager hears, also when it does not listen.
struct NotifierTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test(arguments: [false, true])
    func `each notice is a message, at a path and at an abstract name`(isAbstract: Bool) throws {
        let manager = try Manager(isAbstract: isAbstract)
        let notifier = try Notifier(address: manager.address, loop: loop)
        notifier.ready()
        notifier.status("waiting for \u{e4}nything")
        notifier.stopping()
        notifier.alive()
        notifier.extendStart(by: .milliseconds(1500))
        #expect(
            manager.receiveAll() == [
                "READY=1", "STATUS=waiting for \u{e4}nything", "STOPPING=1", "WATCHDOG=1",
                "EXTEND_TIMEOUT_USEC=1500000",
            ])
    }

    @Test(arguments: ["a\nMAINPID=1", "a\r\nMAINPID=1", "a\rMAINPID=1", "a\u{2028}MAINPID=1"])
    func `a status is one line`(text: String) throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        notifier.status(text)
        #expect(manager.receiveAll() == ["STATUS=a MAINPID=1"])
    }

    /// Tells statuses, more than a manager's queue holds.
    ///
    /// - Returns: The last one.
    func fill(_ notifier: Notifier) -> Int {
        for number in 0..<2000 { notifier.status("\(number)") }
        return 1999
    }

    @Test(arguments: [false, true])
    func `while nobody reads, calls return, and the newest status comes once there is room`(isAbstract: Bool)
        throws
    {
        let manager = try Manager(isAbstract: isAbstract)
        let notifier = try Notifier(address: manager.address, loop: loop)
        let last = fill(notifier)
        // There is no room: the loop finds nothing to do.
        for _ in 0..<3 { try loop.turnAtOnce() }
        let early = manager.receiveAll()
        #expect(early.count < 2000)
        #expect(early == (0..<early.count).map { "STATUS=\($0)" })
        let late = try loop.turn { manager.receive() }
        #expect(late == "STATUS=\(last)")
        try loop.turnAtOnce()
        #expect(manager.receiveAll() == [])

        // From now on as before.
        notifier.status("on")
        #expect(manager.receiveAll() == ["STATUS=on"])
    }

    @Test func `what waits is merged into one message`() throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        _ = fill(notifier)
        for _ in 0..<100 { notifier.alive() }
        notifier.ready()
        notifier.status("ready")
        notifier.stopping()
        notifier.status("stopping")
        _ = manager.receiveAll()
        #expect(try loop.turn { manager.receive() } == "READY=1\nSTOPPING=1\nWATCHDOG=1\nSTATUS=stopping")
        try loop.turnAtOnce()
        #expect(manager.receiveAll() == [])
    }

    @Test(arguments: [false, true])
    func `a start that is over, or given up, is not extended any more`(isReady: Bool) throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        _ = fill(notifier)
        notifier.extendStart(by: .seconds(1))
        notifier.extendStart(by: .seconds(2))
        if isReady { notifier.ready() } else { notifier.stopping() }
        _ = manager.receiveAll()
        let heard = try loop.turn { manager.receive() }
        #expect(heard == "\(isReady ? "READY" : "STOPPING")=1\nSTATUS=1999")
    }

    @Test func `of the extensions that wait the newest is sent`() throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        _ = fill(notifier)
        notifier.extendStart(by: .seconds(1))
        notifier.extendStart(by: .seconds(2))
        _ = manager.receiveAll()
        #expect(try loop.turn { manager.receive() } == "EXTEND_TIMEOUT_USEC=2000000\nSTATUS=1999")
    }

    @Test func `what waits is not lost when there is room only for a moment`() throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        _ = fill(notifier)
        notifier.ready()
        var heard: [String] = []
        while !heard.contains(where: { $0.contains("READY=1") }) {
            heard.append(try loop.turn { manager.receive() })
            notifier.status("again")
            try #require(heard.count < 3000)
        }
        #expect(heard.filter { $0.contains("READY=1") } == ["READY=1\nSTATUS=again"])
    }

    @Test func `a manager that has vanished does no harm`() throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        notifier.ready()
        manager.vanish()
        notifier.status("nobody hears it")
        notifier.stopping()
        for _ in 0..<3 { try loop.turnAtOnce() }
    }

    @Test func `a manager that vanishes with a full queue does no harm`() throws {
        let manager = try Manager()
        let notifier = try Notifier(address: manager.address, loop: loop)
        _ = fill(notifier)
        manager.vanish()
        for _ in 0..<3 { try loop.turnAtOnce() }
        notifier.stopping()
        // Nothing is watched any more that would keep the loop busy: it waits for its timer.
        let bell = Bell()
        _ = loop.arm(at: .now + .milliseconds(20), handler: bell)
        var turns = 0
        while !bell.hasRung {
            try loop.turn()
            turns += 1
        }
        #expect(turns < 10)
    }

    @Test func `where nobody listens there is no notifier`() {
        #expect(throws: SystemError(call: "connect", code: ENOENT)) {
            try Notifier(address: "/tmp/trunkline-no-such-socket", loop: loop)
        }
        #expect(throws: SystemError(call: "connect", code: ECONNREFUSED)) {
            try Notifier(address: "@trunkline-no-such-socket", loop: loop)
        }
        #expect(throws: SystemError.self) {
            try Notifier(address: "/" + String(repeating: "x", count: 200), loop: loop)
        }
    }
}
