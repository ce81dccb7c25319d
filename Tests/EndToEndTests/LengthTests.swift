import TestSupport
import Testing

/// What a length field can claim, in both directions.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct LengthTests {
    /// A field of so many bytes.
    struct Field: CustomTestStringConvertible, Sendable {
        let width: Int
        let order: String

        var testDescription: String { "\(width), \(order)" }
        var yaml: String { "{kind: length, bytes: \(width), order: \(order)}" }
        var limit: Int { width == 1 ? 100 : 1000 }

        func bytes(_ number: UInt64) -> [UInt8] {
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
            return order == "little" ? bytes : bytes.reversed()
        }

        func frame(_ count: Int) -> [UInt8] { bytes(UInt64(count)) + [UInt8](repeating: 0x61, count: count) }

        /// 0, 1 and the most that is allowed.
        var right: [UInt8] { frame(0) + frame(1) + frame(limit) + frame(0) }

        /// One more, and absurd ones, as far as the field can hold them.
        var wrong: [UInt64] {
            let numbers = [UInt64(limit) + 1, 1 << 31, 1 << 63, .max]
            return numbers.filter { width == 8 || $0 >> (8 * UInt64(width)) == 0 } + [
                .max >> UInt64(64 - 8 * width)
            ]
        }
    }
    static let fields = [1, 2, 4, 8].flatMap { width in
        ["big", "little"].map { Field(width: width, order: $0) }
    }

    private static func configuration(_ upstream: FakeUpstream, _ field: Field, oversize: String) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
          framing: \(field.yaml)
          max-message: \(field.limit)
          oversize: \(oversize)
        buffer: 64K
        """
    }

    @Test(arguments: fields)
    func `of the upstream: each is delivered up to the limit, more ends the connection`(field: Field) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, field, oversize: "reconnect")) { daemon in
            let program = try daemon.connect()
            var memory = 0
            for length in field.wrong {
                let server = try upstream.accept()
                try server.send(field.right + field.bytes(length))
                #expect(try program.receive(field.right.count) == field.right)
                #expect(try server.receiveToEnd() == [], "\(length)")
                if memory == 0 { memory = daemon.process.memory }
            }
            #expect(daemon.process.memory - memory < 1 << 20)
            try daemon.awaitLine("a message is longer than max-message (\(field.limit) bytes)")
        }
    }

    @Test(arguments: fields)
    func `of a client: each is sent up to the limit, more ends that client`(field: Field) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, field, oversize: "reconnect")) { daemon in
            let server = try upstream.accept()
            let good = try daemon.connect()
            var memory = 0
            for length in field.wrong {
                let bad = try daemon.connect()
                try bad.send(field.right + field.bytes(length))
                #expect(try bad.receiveToEnd() == [], "\(length)")
                try good.send(field.right)
                #expect(try server.receive(2 * field.right.count) == field.right + field.right)
                if memory == 0 { memory = daemon.process.memory }
            }
            #expect(daemon.process.memory - memory < 1 << 20)
            #expect(server.staysSilent(for: .milliseconds(20)))
            try daemon.awaitLine("client 2 of default", "a message is longer than max-message")
        }
    }

    @Test(arguments: fields.filter { $0.width == 8 })
    func `with skip a length of less than 2 to the 63rd is passed over, one of more ends the connection`(
        field: Field
    ) throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, field, oversize: "skip")) { daemon in
            let program = try daemon.connect()
            for length in [1 << 31, (1 << 63) - 1] as [UInt64] {
                let server = try upstream.accept()
                try server.send(field.right + field.bytes(length))
                #expect(try program.receive(field.right.count) == field.right)
                let memory = daemon.process.memory
                try server.send([UInt8](repeating: 0x61, count: 10 << 20))
                try eventually("the daemon to read") { server.unacknowledged == 0 }
                #expect(daemon.process.memory - memory < 1 << 20)
                #expect(program.receiveNow() == .nothing)
            }
            for length in [1 << 63, .max] as [UInt64] {
                let server = try upstream.accept()
                try server.send(field.right + field.bytes(length))
                #expect(try program.receive(field.right.count) == field.right)
                #expect(try server.receiveToEnd() == [])
                try daemon.awaitLine("no message is \(length) bytes long: what was read is no length")
            }
        }
    }
}
