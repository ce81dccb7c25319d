import Control
import TestSupport
import Testing

/// What is lost is counted, each with its reason.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LossTests {
    private static func counter(_ reason: String, _ daemon: DaemonProcess) throws -> CounterDescription {
        try #require(Controller(daemon).describe().bridge.counters.first { $0.reason == reason })
    }

    @Test func `what was on its way when a connection was lost is counted, and is not sent again`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = """
            upstream: {address: '\(upstream.address)', reconnect: {min: 10ms, max: 10ms}}
            outbox: 128K
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            // More than all buffers hold.
            var rest: [UInt8] = (0..<8000).flatMap { Wire.line.frame($0, size: 1000) }
            let size = rest.count / 8000
            try eventually("everything to be full") {
                let count = try program.sendSome(rest[...])
                rest.removeFirst(count)
                return count == 0 && server.waiting > 0 && program.staysFull(for: .milliseconds(100))
                    && daemon.process.isAsleep
            }
            let taken = server.waiting
            server.reset()
            let line = try daemon.awaitLine("sent to the upstream, which had not acknowledged them")
            #expect(line.hasPrefix("discarded "))
            // The first that comes then is the one of which the kernel had not taken all.
            let next = try upstream.accept()
            let first = try String(decoding: next.receive(size), as: UTF8.self)
            let number = try #require(Int(first.dropFirst("message ".count).prefix { $0.isNumber }))
            let lost = try Self.counter("unacknowledged", daemon)
            #expect(lost.times == 1 && lost.messages == 0)
            #expect(lost.bytes + taken == number * size)
            withExtendedLifetime(next) {}
        }
    }

    @Test func `what is sent again was not lost`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = """
            upstream: {address: '\(upstream.address)', max-message: 8M, reconnect: {min: 10ms, max: 10ms}}
            buffer: 16M
            outbox: 16M
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            let message = [UInt8](repeating: 0x61, count: 8 << 20 - 1) + [0x0A]
            try program.send(message)
            try eventually("a part of it") { server.waiting > 0 }
            server.reset()
            #expect(try upstream.accept().receive(message.count) == message)
            #expect(try Self.counter("unacknowledged", daemon).times == 0)
        }
    }

    @Test func `what a server did not take that has finished sending is counted`() throws {
        let upstream = try FakeUpstream(receiveBuffer: 4096)
        let configuration = """
            upstream: {address: '\(upstream.address)', framing: {kind: until-close, every: 1h}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            try program.send([UInt8](repeating: 0x61, count: 200_000))
            try eventually("all of it to be sent") {
                try Controller(daemon).describe().bridge.sent.bytes == 200_000
            }
            server.finishSending()
            try daemon.awaitStatus("resting")
            let lost = try Self.counter("unacknowledged", daemon)
            #expect(lost.times == 1 && lost.bytes == 200_000 - server.waiting)
        }
    }

    @Test func `what is too long was not cut off`() throws {
        let upstream = try FakeUpstream()
        let configuration = """
            upstream: {address: '\(upstream.address)', max-message: 100, reconnect: {min: 10ms, max: 10ms}}
            """
        try DaemonProcess.run(configuration) { daemon in
            let long = [UInt8](repeating: 0x61, count: 200)
            try upstream.accept().send(long)
            try daemon.awaitLine("discarded 200 bytes that could not be divided into messages")
            try daemon.connect().send(long)
            try daemon.awaitLine("disconnected for what it sent: ", "max-message (100 bytes)")
            let malformed = try Self.counter("malformed", daemon)
            #expect(malformed.times == 2 && malformed.bytes == 400)
            for reason in ["cut-off", "unfinished"] { #expect(try Self.counter(reason, daemon).times == 0) }
        }
    }

    @Test func `more of what divides messages is no loss`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', protocol: kiss}") { daemon in
            let server = try upstream.accept()
            let frame: [UInt8] = [0xC0, 0, 0x61, 0xC0]
            let program = try daemon.connect()
            try program.send([0xC0, 0xC0, 0xC0, 0xC0] + frame)
            #expect(try server.receive(frame.count).suffix(3) == frame.suffix(3))
            #expect(try Self.counter("client-between", daemon).times == 0)
        }
    }

    @Test func `who does not use the framing of its socket is told`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', protocol: mllp}") { daemon in
            let server = try upstream.accept()
            try server.send([UInt8]("\u{0B}whole\u{1C}\r".utf8) + [UInt8]("noise"))
            try daemon.awaitLine("discarded 5 bytes from the upstream that stood between messages")
            try daemon.connect().send([UInt8]("MSA|AA|no frame"))
            try daemon.awaitLine(
                "discarded 15 bytes from clients that stood between messages and belong to none: do they use the"
            )
            #expect(try Self.counter("between", daemon).bytes == 5)
            #expect(try Self.counter("client-between", daemon).bytes == 15)
        }
    }
}
