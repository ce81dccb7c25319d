import Linux
import Testing

/// A connection that ends at any byte: what is whole arrives, what is not never does.
@Suite(.timeLimit(.minutes(2)))
struct CutTests {
    @Test(arguments: Wire.allCases)
    func `a stream from the upstream that is cut at any byte`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream:
              address: \(upstream.address)
              framing: \(wire.yaml)
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect()
            let frames = [wire.frame("first"), wire.frame(""), wire.frame("the third")]
            let stream = frames.flatMap { $0 }
            for cut in 0...stream.count {
                let server = try upstream.accept()
                try server.send(Array(stream.prefix(cut)))
                let whole = wire.split(Array(stream.prefix(cut))).frames.flatMap { $0 }
                #expect(try program.receive(whole.count) == whole)
                // The daemon has read all there is when it has the whole frames; a reset may overtake a part of one.
                if cut.isMultiple(of: 2) { server.close() } else { server.reset() }
            }
            let server = try upstream.accept()
            try server.send(wire.frame("after all"))
            #expect(try program.receive(wire.frame("after all").count) == wire.frame("after all"))
        }
    }

    @Test(arguments: Wire.allCases)
    func `a stream from a client that is cut at any byte`(wire: Wire) throws {
        let upstream = try FakeUpstream()
        let configuration = "upstream: {address: '\(upstream.address)', framing: \(wire.yaml)}"
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let frames = [wire.frame("first"), wire.frame(""), wire.frame("the third")]
            let stream = frames.flatMap { $0 }
            for cut in 0...stream.count {
                let program = try daemon.connect()
                try program.send(Array(stream.prefix(cut)))
                program.close()
                let whole = wire.split(Array(stream.prefix(cut))).frames.flatMap { $0 }
                #expect(try server.receive(whole.count) == whole)
            }
            let program = try daemon.connect()
            try program.send(wire.frame("after all"))
            #expect(try server.receive(wire.frame("after all").count) == wire.frame("after all"))
        }
    }

    @Test func `a frame half sent when the connection is lost is sent again whole`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = """
            upstream:
              address: \(upstream.address)
              framing: {kind: length, bytes: 4}
              max-message: 4M
            buffer: 8M
            outbox: 8M
            """
        try DaemonProcess.run(configuration) { daemon in
            let program = try daemon.connect()
            let server = try upstream.accept()
            let small = Wire.length.frame("small")
            // More than the kernel's buffers of both ends take.
            let large = [0, 0x38, 0, 0] + [UInt8](repeating: 0x78, count: 0x38_0000)
            try program.send(small + large)
            #expect(try server.receive(small.count + 1000) == small + large.prefix(1000))
            server.reset()
            let next = try upstream.accept()
            #expect(try next.receive(large.count) == large)
            #expect(next.staysSilent(for: .milliseconds(100)))
        }
    }

    @Test func `what a lost connection had brought is delivered`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', max-message: 16K, reconnect: {min: 10ms, max: 10ms}}
            buffer: 64K
            sockets: {default: {patience: infinity}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let (reader, sender) = (try daemon.connect(), try daemon.connect())
            // More than the reader's buffer and the ring hold: the rest waits in the kernel, where all of it arrives.
            let stream = (0..<320).flatMap { Wire.line.frame($0, size: 999) }
            try server.send(stream)
            var received: [UInt8] = []
            try eventually("everything to arrive in the kernel") {
                if case .bytes(let bytes) = sender.receiveNow() { received += bytes }
                return server.unsent == 0
            }
            server.close()
            for i in 0..<5 { try sender.send(Wire.line.frame("into the void \(i)")) }
            var last: [UInt8] = []
            try eventually("everything that had arrived") {
                if case .bytes(let bytes) = reader.receiveNow() { last += bytes }
                if case .bytes(let bytes) = sender.receiveNow() { received += bytes }
                return last.count >= stream.count && received.count >= stream.count
            }
            #expect(last == stream)
            #expect(received == stream)
        }
    }
}
