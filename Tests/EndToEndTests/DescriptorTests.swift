import Linux
import Testing

/// More local programs than the process has descriptors for.
@Suite(.timeLimit(.minutes(5)))
struct DescriptorTests {
    @Test func `when descriptors run out new clients wait, and nothing else suffers`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration, maximumDescriptors: 100) { daemon in
            let first = try upstream.accept()
            var programs = try (0..<60).map { _ in try Stream.connecting(to: .unix(path: daemon.path())) }
            try daemon.awaitLine("new clients have to wait")
            let count = daemon.clientCount()
            #expect(30..<60 ~= count)

            // Accepting pauses without spinning.
            let before = daemon.process.processorTime
            let message = Wire.line.frame("to those who are in")
            for _ in 0..<20 {
                try first.send(message)
                for program in programs[..<count] { #expect(try program.receive(message.count) == message) }
                #expect(first.staysSilent(for: .milliseconds(25)))
            }
            #expect(daemon.process.processorTime - before < .milliseconds(250))
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
}
