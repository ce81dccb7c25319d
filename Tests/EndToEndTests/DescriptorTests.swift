import Linux
import TestSupport
import Testing

/// More local programs than the process has descriptors for.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct DescriptorTests {
    @Test func `when descriptors run out new clients wait, and nothing else suffers`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration, launcher: Launcher.allowing(descriptors: 100)) { daemon in
            let first = try upstream.accept()
            var programs = try (0..<60).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
            try daemon.awaitLine("new clients have to wait")
            let count = daemon.clientCount()
            #expect(30..<60 ~= count)

            let message = Wire.line.frame("to those who are in")
            for _ in 0..<20 {
                try first.send(message)
                for program in programs[..<count] { #expect(try program.receive(message.count) == message) }
            }
            // Accepting pauses without spinning.
            try daemon.process.awaitRest()
            #expect(programs[count].receiveNow() == .nothing)

            // The uplink has a descriptor of its own.
            first.close()
            let second = try upstream.accept()
            try second.send(message)
            for program in programs[..<count] { #expect(try program.receive(message.count) == message) }

            // Those who wait come in when others leave.
            for _ in 0..<20 { programs.removeFirst().close() }
            try daemon.awaitLine("new clients are accepted again")
            let last = min(count, programs.count)
            for program in programs[(count - 20)..<last] { try program.send(message) }
            _ = try second.receive((last - count + 20) * message.count)
            try second.send(message)
            for program in programs[..<last] { #expect(try program.receive(message.count) == message) }
            #expect(daemon.log.count { $0.contains("new clients") } < 50)
            #expect(try daemon.terminate() == 0)
        }
    }

    @Test func `a shortage is told once, however often accepting is tried meanwhile, and so is its end`()
        throws
    {
        let upstream = try FakeUpstream()
        let environment = Fault.environment(
            (1...2).map { Fault(call: "accept4", errno: "EMFILE", number: $0) })
        try DaemonProcess.run("upstream: {address: '\(upstream.address)'}", environment: environment) {
            daemon in
            let server = try upstream.accept()
            let program = try Stream.connecting(to: .unix(path: daemon.path()))
            try daemon.awaitLine("client 1 of default", "connected")
            try server.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
            try daemon.awaitLine("new clients are accepted again")
            let told = daemon.log.filter { $0.contains("new clients") }
            #expect(told.count == 2, "\(told)")
            #expect(told.first?.contains("have to wait: accept4: Too many open files (errno 24)") == true)
            #expect(told.last?.contains("are accepted again") == true)
        }
    }

    @Test func `many sockets do not use up the reserve of the uplink`() throws {
        let upstream = try FakeUpstream()
        let sockets = (0..<40).map { "s\($0)" }
        let configuration = """
            upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}
            sockets: {\(sockets.map { "\($0): {}" }.joined(separator: ", "))}
            """
        try DaemonProcess.run(configuration, launcher: Launcher.allowing(descriptors: 200)) { daemon in
            let first = try upstream.accept()
            let programs = try (0..<160).map { number in
                try Stream.connecting(to: .unix(path: daemon.path(of: sockets[number % 40])))
            }
            try daemon.awaitLine("new clients have to wait", "as many as the limit of open files allows")
            first.close()
            let second = try upstream.accept()
            try second.send(Wire.line.frame("hello"))
            #expect(try programs[0].receive(6) == Wire.line.frame("hello"))
            #expect(daemon.process.descriptorCount < 200 - 40)
        }
    }

    /// From too few to start, over too few for an upstream, to enough for one client.
    @Test func `with very few descriptors it starts or says why not, and never spins`() throws {
        var starts = 0
        for limit in 4..<24 {
            let upstream = try FakeUpstream()
            let configuration =
                "upstream: {address: '\(upstream.address)', reconnect: {min: 50ms, max: 50ms}}"
            try DaemonProcess.run(
                configuration, launcher: Launcher.allowing(descriptors: limit), awaitsReady: false
            ) { daemon in
                try eventually("a start or an end") {
                    daemon.process.hasEnded || daemon.log.contains { $0.hasPrefix("listening on") }
                }
                guard !daemon.process.hasEnded else {
                    #expect(
                        daemon.log.last?.contains("Too many open files") ?? false, "\(limit): \(daemon.log)")
                    return
                }
                starts += 1
                let programs = try (0..<5).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
                try daemon.process.awaitRest()
                #expect(programs[4].receiveNow() == .nothing)
                #expect(try daemon.terminate(within: .seconds(3)) == 0)
            }
        }
        #expect(1..<20 ~= starts)
    }
}
