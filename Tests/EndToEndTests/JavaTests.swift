import Glibc
import TestSupport
import Testing

/// A Java server, as `config/java.yaml` describes it and the simulator plays it.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct JavaTests {
    @Test func `each program's requests are answered, to all`() throws {
        let directory = try TemporaryDirectory()
        let simulator = try ChildProcess(
            [ChildProcess.path(of: "trunkline-sim"), "--service", "java", "unix:\(directory("server"))"],
            environment: [:], output: directory("output"), errors: directory("errors"))
        try eventually("the simulator") { !contents(of: directory("output")).isEmpty }
        let configuration = """
            upstream:
              address: unix:\(directory("server"))
              framing: {kind: length, bytes: 4, order: big}
              send-framing: {kind: fixed, size: 2}
            """
        try DaemonProcess.run(configuration) { daemon in
            let programs = try daemon.connect(2)
            try daemon.awaitStatus("ready")
            try programs[0].send([7])
            try programs[1].send([1, 2])
            for text in ["action 1, argument 2: ✓", "action 7, argument 255: ✓"] {
                if text.hasPrefix("action 7") { try programs[0].send([255]) }
                let expected = Wire.length.frame(text)
                for program in programs { #expect(try program.receive(expected.count) == expected) }
            }
        }
        simulator.signal(SIGTERM)
        #expect(try simulator.exitStatus() == 0)
    }
}
