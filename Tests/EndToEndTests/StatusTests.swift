import TestSupport
import Testing

/// What the status tells of the traffic, and what that costs when there is none.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct StatusTests {
    @Test func `rates are told once a second while something flows, and an idle bridge sleeps`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            try daemon.awaitStatus("1 client, 0 in, 0 out")
            let told = daemon.manager.statuses.count
            let start = ContinuousClock.now
            let message = Wire.line.frame("hello")
            try eventually("rates in both directions") {
                try server.send(message)
                #expect(try program.receive(message.count) == message)
                try program.send(message)
                #expect(try server.receive(message.count) == message)
                let status = daemon.manager.statuses.last ?? ""
                return status.contains("B/s in") && status.contains("B/s out")
            }
            try daemon.awaitStatus("ready \(upstream.address) since", "1 client, 0 in, 0 out")
            // Each second at the most, however much flowed.
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            #expect(Double(daemon.manager.statuses.count - told) <= seconds + 1)

            // What is told is seen before the daemon has gone to sleep.
            try eventually("sleep") { daemon.process.isAsleep }
            let before = daemon.process.sleeps
            #expect(before > 0)
            // Longer than from one look at the rates to the next.
            #expect(program.staysSilent(for: .milliseconds(1500)))
            #expect(daemon.process.sleeps == before)
        }
    }

    @Test func `traffic does not put off what is told of clients`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}") { daemon in
            let (server, program) = (try upstream.accept(), try daemon.connect())
            try daemon.awaitStatus("1 client")
            // Within a second of that.
            let other = try daemon.connect()
            let message = Wire.line.frame("hello")
            try eventually("a status with 2 clients, while messages come without end") {
                try server.send(message)
                for stream in [program, other] { #expect(try stream.receive(message.count) == message) }
                return daemon.manager.statuses.last?.contains("2 clients, ") == true
            }
        }
    }
}
