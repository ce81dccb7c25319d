import TestSupport
import Testing

/// The clients that the project was made for, each with its server.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct KnownClientTests {
    @Test func `a Java server answers two-byte requests with texts after their length`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              framing: {kind: length, bytes: 4, order: big}
              send-framing: {kind: fixed, size: 2}
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            var server = try upstream.accept()
            let (asker, other) = (try daemon.connect(), try daemon.connect())
            // Short reads: of a request, and of its answer.
            try other.send([9])
            try asker.send([1, 7, 2])
            #expect(try server.receive(2) == [1, 7])
            try asker.send([8])
            #expect(try server.receive(2) == [2, 8])
            try other.send([9])
            #expect(try server.receive(2) == [9, 9])
            let texts: [[UInt8]] = [
                Array("Zürich".utf8), [], [0xFF, 0xFE, 0x00], [UInt8](repeating: 0x78, count: 60_000),
            ]
            let answers = texts.flatMap { text in
                (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (24 - 8 * $0)) } + text
            }
            for start in stride(from: 0, to: 30, by: 3) { try server.send(Array(answers[start..<start + 3])) }
            try server.send(Array(answers[30...]))
            #expect(try asker.receive(answers.count) == answers)
            #expect(try other.receive(answers.count) == answers)
            // A negative length, and an absurd one.
            for length in [[0xFF, 0xFF, 0xFF, 0xFE], [0x7F, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
                try server.send(length + [0x61])
                _ = try server.receiveToEnd()
                server = try upstream.accept()
            }
            try server.send([0, 0, 0, 1, 0x61])
            #expect(try asker.receive(5) == [0, 0, 0, 1, 0x61])
        }
    }

    @Test func `several chat programs share one connection to a server that sends each line to all`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', framing: line}") { daemon in
            let server = try upstream.accept()
            let programs = try daemon.connect(5)
            for round in 0..<10 {
                for (number, program) in programs.enumerated() {
                    let line = Array("\(number): round \(round)\r\n".utf8)
                    try program.send(line)
                    try server.send(try server.receive(line.count))
                    for program in programs { #expect(try program.receive(line.count) == line) }
                }
            }
            #expect(try upstream.acceptNow() == nil)
        }
    }

    @Test func `texts ended by NUL come whole, also from a server that closes after each`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              framing: {kind: delimiter, end: '\\0'}
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect()
            for number in 0..<10 {
                let server = try upstream.accept()
                let request = Array("request \(number)\0".utf8)
                try program.send(request)
                #expect(try server.receive(request.count) == request)
                let reply = Array("the first\nand the second line of \(number)\0".utf8)
                try server.send(Array(reply.prefix(5)))
                try server.send(Array(reply.dropFirst(5)))
                server.close()
                #expect(try program.receive(reply.count) == reply)
            }
        }
    }
}
