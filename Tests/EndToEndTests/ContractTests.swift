import TestSupport
import Testing

/// What a user can rely on, whatever the framings: whole messages, all of them, in order, in both directions.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ContractTests {
    /// A server and three sockets, in framings that were drawn.
    private struct Draw: CustomStringConvertible {
        let seed: UInt64
        var random: Seeded
        let upstream: Spelling
        let sockets: [(name: String, spelling: Spelling)]

        init(seed: UInt64, first: Spelling) {
            self.seed = seed
            var random = Seeded(seed)
            let spellings = (0..<2).map { _ in Spelling.allCases.randomElement(using: &random) ?? .line }
            upstream = first
            sockets = [("default", first), ("a", spellings[0]), ("b", spellings[1])]
            self.random = random
        }

        var description: String { "seed \(seed), \(upstream) to \(sockets.map(\.spelling))" }

        func configuration(address: String) -> String {
            """
            upstream:
              address: \(address)
              framing: \(upstream.yaml)
              max-message: 1K
              reconnect: {min: 10ms, max: 10ms}
            buffer: 64K
            outbox: 64K
            sockets: {default: {}, a: {framing: \(sockets[1].spelling.yaml)}, b: {framing: \(sockets[2].spelling.yaml)}}
            """
        }

        /// What every one of the framings can carry.
        mutating func payload() -> [UInt8] {
            let isBinary = sockets.allSatisfy(\.spelling.isBinary)
            let most = Int.random(in: 0..<8, using: &random) == 0 ? 1000 : 40
            return (0..<Int.random(in: 1...most, using: &random)).map { _ in
                guard isBinary else { return UInt8.random(in: 0x20...0x7E, using: &random) }
                // Bytes that framings are made of come often.
                let marks: [UInt8] = [0x00, 0x0A, 0x0D, 0x1A, 0x2C, 0xC0, 0xDB, 0xDC, 0xDD, 0xFF]
                let isMark = Int.random(in: 0..<3, using: &random) == 0
                return isMark
                    ? marks.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    @Test(arguments: Spelling.allCases)
    func `every client has exactly the whole messages, in order, and so has the server`(first: Spelling)
        throws
    {
        var draw = Draw(seed: .random(in: 0 ... .max), first: first)
        let upstream = try FakeUpstream()
        try DaemonProcess.run(draw.configuration(address: upstream.address)) { daemon in
            let programs = try draw.sockets.map { try daemon.connect(to: $0.name) }
            var whole: [[UInt8]] = []
            for connection in 0..<5 {
                let server = try upstream.accept()
                // A reset before the daemon has seen the connection would take everything with it.
                for (program, socket) in zip(programs, draw.sockets) {
                    let payload = draw.payload()
                    try program.send(socket.spelling.frame(payload))
                    let due = draw.upstream.frame(payload)
                    let found = try server.receive(due.count)
                    #expect(found == due, "\(draw), from \(socket.name)")
                }
                let payloads = (0..<20).map { _ in draw.payload() }
                let frames = payloads.map(draw.upstream.frame)
                // In random pieces, the last message cut at a random byte.
                let last = frames[19].prefix(Int.random(in: 0..<frames[19].count, using: &draw.random))
                var stream = (frames.dropLast().flatMap { $0 } + last)[...]
                while !stream.isEmpty {
                    let piece = stream.prefix(Int.random(in: 1...3000, using: &draw.random))
                    try server.send(Array(piece))
                    stream = stream.dropFirst(piece.count)
                }
                whole += payloads.dropLast()
                // A reset throws away what was not taken yet.
                try eventually("the stream to be in the daemon's kernel") { server.unacknowledged == 0 }
                if connection.isMultiple(of: 2) { server.close() } else { server.reset() }
            }
            for (program, socket) in zip(programs, draw.sockets) {
                let due = whole.flatMap(socket.spelling.frame)
                let isExact = try program.receive(due.count) == due
                #expect(isExact, "\(draw), to \(socket.name)")
            }
            #expect(try daemon.terminate() == 0)
            for program in programs { #expect(try program.receiveToEnd() == []) }
        }
    }
}
