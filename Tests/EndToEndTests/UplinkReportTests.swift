import Control
import Glibc
import Linux
import TestSupport
import Testing

/// What users of other programs have reported of connections that are lost, tried with this one.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct UplinkReportTests {
    private static func configuration(_ address: String, _ more: String = "reconnect: {min: 10ms, max: 10ms}")
        -> String
    {
        """
        upstream:
          address: '\(address)'
          \(more)
        """
    }

    private static func expectFlow(_ server: Stream, _ program: Stream, _ number: Int) throws {
        let message = Wire.line.frame(number)
        try server.send(message)
        #expect(try program.receive(message.count) == message)
        try program.send(message)
        #expect(try server.receive(message.count) == message)
    }

    /// mosquitto 2207: when the first attempt after a loss failed, every later one connected, and then said nothing.
    @Test(
        .bug("https://github.com/eclipse-mosquitto/mosquitto/issues/2207"),
        .enabled(if: geteuid() == 0, "only root may make a network namespace"))
    func `however many attempts were in vain, the one that is not talks`() throws {
        try OutageScene.run(.refused) { scene in
            for attempts in [1, 2, 3, 5] {
                try scene.beginOutage()
                try scene.until("\(attempts) attempts") { try scene.outage.isTried(attempts, scene) }
                try scene.endOutage()
                try scene.converse()
            }
        }
    }

    /// mosquitto 2467: a bridge whose network was lost was told to be connected for as long as the server's name could
    /// not be resolved.
    @Test(
        .bug("https://github.com/eclipse-mosquitto/mosquitto/issues/2467"),
        .enabled(if: geteuid() == 0, "only root may make a network namespace"),
        arguments: [Outage.nameUnknown, .resolverFails, .resolverBlackHoled])
    func `a name that cannot be resolved hides no loss`(outage: Outage) throws {
        try OutageScene.run(outage) { scene in
            let connections = try scene.describe().bridge.uplink.connections
            try scene.beginOutage()
            try scene.until("the loss to be told") {
                scene.daemon.log.contains { $0.contains("lost: the upstream closed it") }
            }
            try scene.until("an attempt") { try outage.isTried(1, scene) }
            try scene.untilTold(.none)
            let uplink = try scene.describe().bridge.uplink
            #expect(uplink.outageSince != nil && uplink.connections == connections)
        }
    }

    /// quickfix 289: when the server's name could not be resolved, as before the machine's resolver is up, no connection
    /// was ever attempted again.
    @Test(
        .bug("https://github.com/quickfix/quickfix/issues/289"),
        .enabled(if: geteuid() == 0, "only root may mount"))
    func `a name that cannot be resolved at the start is resolved later`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream()
        let parts = upstream.address.split(separator: ":")
        let names = try FakeNameServer(at: "127.\(1 + getpid() % 250).53.55", .failure)
        try DaemonProcess.run(
            Self.configuration("feed.test:\(parts[1])"), in: directory,
            launcher: try names.launcher(directory)
        ) { daemon in
            try eventually("three attempts in vain") {
                names.serve()
                return try Controller(daemon).describe().bridge.uplink.attempts >= 3
            }
            try daemon.awaitLine("cannot resolve feed.test", "Temporary failure in name resolution")
            names.answer = .addresses([String(parts[0])])
            var server: Stream?
            try eventually("a connection") {
                names.serve()
                server = try upstream.acceptNow()
                return server != nil
            }
            try Self.expectFlow(try #require(server), try daemon.connect(), 1)
        }
    }

    /// mavlink-router 32: a connection that the server had dropped was lost for ever; once that was mended, the process
    /// used all of a processor after it had reconnected.
    @Test(.bug("https://github.com/mavlink-router/mavlink-router/issues/32"))
    func `a connection is made anew, and then nothing spins`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let program = try daemon.connect()
            for number in 1...3 {
                let server = try upstream.accept()
                try Self.expectFlow(server, program, number)
                try daemon.awaitStatus("ready")
                try daemon.process.awaitRest()
                upstream.stopListening()
                server.close()
                try daemon.awaitStatus("waiting", "Connection refused")
                try upstream.listen()
            }
        }
    }

    /// nng 1964: by default there was no delay between attempts to reach a socket that was not there, and so many were
    /// made that all descriptors were used up.
    @Test(.bug("https://github.com/nanomsg/nng/issues/1964"))
    func `by default a socket that is not there is tried only now and then`() throws {
        let directory = try TemporaryDirectory()
        let address = "unix:\(directory("upstream"))"
        try DaemonProcess.run(Self.configuration(address, "failover: in-order"), in: directory) { daemon in
            try daemon.awaitStatus("waiting", "No such file or directory")
            let (before, start) = (Usage(daemon.process), daemon.process.processorTime)
            let begin = ContinuousClock.now
            _ = poll(nil, 0, 700)
            let attempts = try Controller(daemon).describe().bridge.uplink.attempts
            // Usually 700 ms have passed.
            let most = 4 + Int((ContinuousClock.now - begin) / .milliseconds(250)) - 2
            #expect(1...most ~= attempts)
            #expect(daemon.process.processorTime - start <= .milliseconds(50))
            try eventually("nothing more than before") { !Usage(daemon.process).hasGrown(since: before) }
        }
    }

    /// OpenCPN 2824: a server with nothing to say was connected to anew every ten seconds, and the connections before were
    /// not closed, until it broke down.
    @Test(.bug("https://github.com/OpenCPN/OpenCPN/issues/2824"))
    func `a server that is silent is left alone by default, and never has two connections`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let server = try upstream.accept()
            #expect(server.staysSilent(for: .milliseconds(700)))
            #expect(try upstream.acceptNow() == nil)
        }
        try DaemonProcess.run(Self.configuration(upstream.address, "idle-timeout: 100ms")) { _ in
            var server = try upstream.accept()
            for _ in 0..<3 {
                let next = try upstream.accept()
                #expect(try server.receiveNext() == .end)
                server = next
            }
        }
    }

    /// Vector 1429: that the server had closed the connection was found by the second message after that, and the first
    /// was lost.
    @Test(.bug("https://github.com/vectordotdev/vector/issues/1429"))
    func `what is sent after the server has closed goes to the next connection`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream.address)) { daemon in
            let program = try daemon.connect()
            var server = try upstream.accept()
            for number in 1...3 {
                try Self.expectFlow(server, program, number)
                // It goes on taking what it is sent, as a kernel does for a program that is gone.
                server.finishSending()
                try daemon.awaitLine("lost: the upstream closed it")
                let next = try upstream.accept()
                let message = Wire.line.frame("after \(number)")
                try program.send(message)
                #expect(try next.receive(message.count) == message)
                #expect(try server.receiveToEnd() == [])
                server = next
            }
        }
    }

    /// nats-server 1606: a server that had not noticed yet that the last connection was over refused the next one, as a
    /// second of the same client.
    @Test(
        .bug("https://github.com/nats-io/nats-server/issues/1606"),
        .enabled(if: geteuid() == 0, "only root may make a network namespace"))
    func `a server that still holds the last session is tried until it lets go`() throws {
        try OutageScene.run(.sessionStillHeld) { scene in
            for _ in 0..<2 {
                try scene.beginOutage()
                try scene.until("to be refused") { scene.isReasonTold() }
                try scene.until("three attempts") { try scene.outage.isTried(3, scene) }
                try scene.endOutage()
                try scene.converse()
            }
        }
    }

    /// Vector 4933: a session that a firewall on the way had forgotten was never given up, and its segments were sent
    /// again for ever.
    @Test(
        .bug("https://github.com/vectordotdev/vector/issues/4933"),
        .enabled(if: geteuid() == 0, "only root may make a network namespace"))
    func `a connection of which nothing arrives any more is given up`() throws {
        try OutageScene.run(.writeBlackHoled) { scene in
            try scene.beginOutage()
            // write-timeout is 200 ms, and the kernel's own patience a quarter of an hour.
            try scene.until("it to be given up") { scene.isReasonTold() }
            try scene.endOutage()
            try scene.converse()
        }
    }
}
