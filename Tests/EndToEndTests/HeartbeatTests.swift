import Control
import Glibc
import TestSupport
import Testing

/// `heartbeat`: what is sent so that both sides know that the other is there.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct HeartbeatTests {
    private static func configuration(_ address: String, _ heartbeat: String, _ more: String = "") -> String {
        """
        upstream:
          address: '\(address)'
          heartbeat: \(heartbeat)
          max-message: 16K
          reconnect: {min: 10ms, max: 10ms}
        \(more)
        """
    }

    private static let beat = Array("# ping\n".utf8)

    @Test func `it is sent again and again, and is no message of a client`() throws {
        let upstream = try FakeUpstream()
        let configuration = Self.configuration(upstream.address, #"{send: '# ping\n', every: 100ms}"#)
        let start = ContinuousClock.now
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            for _ in 1...5 { #expect(try server.receive(Self.beat.count) == Self.beat) }
            #expect(ContinuousClock.now - start >= .milliseconds(500))
            let bridge = try Controller(daemon).describe().bridge
            #expect(bridge.sent.messages == 0)
            // The next connection has its own.
            server.close()
            let next = try upstream.accept()
            #expect(try next.receive(Self.beat.count) == Self.beat)
        }
    }

    @Test func `it goes between two messages, also when the server takes them in small parts`() throws {
        // Over a Unix socket the kernel would take all that waits, or nothing.
        let upstream = try FakeUpstream(receiveBuffer: 16 << 10)
        let configuration = Self.configuration(
            upstream.address, #"{send: '# ping\n', every: 100ms}"#, "outbox: 1M")
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            var messages: [[UInt8]] = []
            var rest: ArraySlice<UInt8> = []
            var received: [UInt8] = []
            // Until three heartbeats have gone out while messages came without end.
            var beats = 0
            try eventually("heartbeats among the messages") {
                // More than the kernel takes.
                while beats < 3 || !rest.isEmpty {
                    if rest.isEmpty {
                        messages.append(Wire.line.frame(messages.count, size: 5000 + messages.count))
                        rest = (messages.last ?? [])[...]
                    }
                    let count = try program.sendSome(rest)
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                guard case .bytes(let bytes) = server.receiveNow(atMost: beats < 3 ? 16_001 : 1 << 16) else {
                    return false
                }
                received += bytes
                beats += bytes.count { $0 == UInt8(ascii: "#") }
                return beats >= 3 && rest.isEmpty && received.last == 0x0A
            }
            let (frames, _) = Wire.line.split(received)
            let whole = frames.filter { $0 != Self.beat }
            #expect(whole == Array(messages.prefix(whole.count)))
            #expect(whole.count > 20)
        }
    }

    @Test func `none piles up while the server takes nothing`() throws {
        let directory = try TemporaryDirectory()
        let upstream = try FakeUpstream(path: directory("upstream"))
        let configuration = Self.configuration(
            upstream.address, #"{send: '# ping\n', every: 100ms}"#, "outbox: 64K")
        try DaemonProcess.run(configuration) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            // Ten intervals in which nothing goes out.
            try program.fill(for: .milliseconds(1000))
            var received: [UInt8] = []
            var after: [UInt8]?
            try eventually("a heartbeat, and what follows it") {
                if case .bytes(let bytes) = server.receiveNow() { received += bytes }
                let frames = Wire.line.split(received).frames
                let next = frames.firstIndex(of: Self.beat).map { $0 + 1 } ?? frames.count
                if next < frames.count { after = frames[next] }
                return after != nil
            }
            program.finishSending()
            // Messages waited as well: those of ten intervals would all be here.
            #expect(after != Self.beat)
        }
    }

    @Test func `a server that answers stays, and its answers are hidden if asked`() throws {
        let upstream = try FakeUpstream()
        let heartbeat = #"{send: '# ping\n', every: 200ms, expect: '# pong', hide: yes}"#
        try DaemonProcess.run(Self.configuration(upstream.address, heartbeat)) { daemon in
            let program = try daemon.connect()
            var heard: [UInt8] = []
            var (server, answers, number) = (try upstream.accept(), 0, 0)
            var (last, isLate) = (ContinuousClock.now, false)
            try eventually("five answers in a row that are taken") {
                let now = ContinuousClock.now
                // If an answer comes too late now, that is the test's own fault.
                if now - last > .milliseconds(100) { isLate = true }
                last = now
                if case .bytes(let bytes) = program.receiveNow() { heard += bytes }
                switch server.receiveNow() {
                case .bytes(let bytes):
                    #expect(bytes == Self.beat)
                    (answers, number) = (answers + 1, number + 1)
                    let answer = Wire.line.frame("# pong \(number)") + Wire.line.frame(number)
                    _ = try? server.sendSome(answer[...])
                case .nothing: break
                case .end, .failed:
                    // Since when the first one was waited for is not known here.
                    #expect(isLate || answers <= 1, "\(daemon.log)")
                    (server, answers, isLate) = (try upstream.accept(), 0, false)
                    last = .now
                }
                guard answers >= 5 else { return false }
                let due = (number - 4...number).flatMap { Wire.line.frame($0) }
                return heard.suffix(due.count).elementsEqual(due)
            }
            #expect(!heard.contains(UInt8(ascii: "#")))
            #expect(program.staysSilent(for: .milliseconds(1)))
        }
    }

    @Test func `a server that does not answer is given up, also while it sends other things`() throws {
        let upstream = try FakeUpstream()
        let heartbeat = #"{send: '# ping\n', every: 200ms, expect: '# pong'}"#
        try DaemonProcess.run(Self.configuration(upstream.address, heartbeat)) { daemon in
            let program = try daemon.connect()
            var server = try upstream.accept()
            let answer = Wire.line.frame("# pong") + Wire.line.frame("shown")
            var shown: [UInt8] = []
            try eventually("an answer that is shown") {
                // If the test itself came too late with one there is another connection.
                if let next = try upstream.acceptNow() { server = next }
                if case .bytes = server.receiveNow() { _ = try? server.sendSome(answer[...]) }
                if case .bytes(let bytes) = program.receiveNow() { shown += bytes }
                return shown.count >= answer.count
            }
            #expect(shown.starts(with: answer))
            var next: Stream?
            try eventually("a new connection") {
                _ = try? server.sendSome(Wire.line.frame("# pon, or something else")[...])
                _ = program.receiveNow()
                next = try upstream.acceptNow()
                return next != nil
            }
            try daemon.awaitLine("lost: the heartbeat was not answered before the next was due")
            let bridge = try Controller(daemon).describe().bridge
            #expect(bridge.counters.contains { $0.reason == "heartbeat" && $0.times >= 1 })
        }
    }

    @Test func `an answer that is not read for slow clients is not missing`() throws {
        let upstream = try FakeUpstream()
        let heartbeat = #"{send: '# ping\n', every: 400ms, expect: '# pong'}"#
        let rest = "buffer: 64K\nsockets: {default: {patience: infinity}}"
        try DaemonProcess.run(Self.configuration(upstream.address, heartbeat, rest)) { daemon in
            let server = try upstream.accept()
            let program = try daemon.connect()
            // Answers as long as it is read; then nothing of it is, for three intervals.
            var rest: ArraySlice<UInt8> = []
            while !server.staysFull(for: .milliseconds(1200)) {
                if rest.isEmpty {
                    let isAsked = server.receiveNow() != .nothing
                    rest = (isAsked ? Wire.line.frame("# pong") : Wire.line.frame(0, size: 1000))[...]
                }
                rest = rest.dropFirst(try server.sendSome(rest))
            }
            #expect(try upstream.acceptNow() == nil)
            #expect(!daemon.log.contains { $0.contains("lost") })
            _ = program.receiveNow()
        }
    }
}
