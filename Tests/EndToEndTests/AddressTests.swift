import Control
import TestSupport
import Testing

/// Names with several addresses, and several names.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct AddressTests {
    /// In a mount namespace where /etc/hosts is this.
    static func hosts(_ text: String, _ directory: TemporaryDirectory) throws -> [String] {
        try directory.write(text, to: "hosts")
        try directory.write("hosts: files\n", to: "nsswitch.conf")
        return Launcher.mounting(
            ["hosts", "nsswitch.conf"].map { "mount --bind \(directory($0)) /etc/\($0)" }
                .joined(separator: "; "))
    }

    /// A server that answers nobody, and one that does at the next address and the same port.
    static func pair() throws -> (hole: FakeUpstream, waiting: Stream, server: FakeUpstream, port: Substring)
    {
        let hole = try FakeUpstream()
        let parts = hole.address.split(separator: ":")
        let digits = parts[0].split(separator: ".")
        // No other test has addresses that end so.
        let server = try FakeUpstream(
            beside: hole,
            at: "\(digits[0]).\(digits[1]).\(digits[2]).\(Int(digits[3]).map { 255 - $0 % 4 } ?? 255)")
        return (hole, try hole.fillBacklog(), server, parts[1])
    }

    static func host(_ upstream: FakeUpstream) -> Substring { upstream.address.prefix { $0 != ":" } }

    /// hexchat 1309: where IPv6 led nowhere, IPv4 was tried only after a long time.
    @Test(.bug("https://github.com/hexchat/hexchat/issues/1309"))
    func `an address that never answers holds up its name by a quarter of a second, not by connect-timeout`()
        throws
    {
        let (hole, waiting, server, port) = try Self.pair()
        defer { waiting.close() }
        let directory = try TemporaryDirectory()
        let names = "\(Self.host(hole)) feed.test\n\(Self.host(server)) feed.test\n"
        let configuration = "upstream: {address: 'feed.test:\(port)', connect-timeout: infinity}"
        try DaemonProcess.run(configuration, in: directory, launcher: try Self.hosts(names, directory)) {
            daemon in
            let stream = try server.accept()
            try daemon.awaitStatus("ready \(server.address)")
            // The one that lost is closed.
            try eventually("nobody to ask the other") { !hole.isBeingConnected }
            let uplink = try Controller(daemon).describe().bridge.uplink
            #expect(
                uplink.addresses.map(\.address) == [hole.address, server.address] && uplink.attempts == 0)
            let program = try daemon.connect()
            try program.send(Wire.line.frame("hello"))
            #expect(try stream.receive(6) == Wire.line.frame("hello"))
        }
    }

    @Test
    func
        `when all addresses of a name fail, the next name is tried, and the first again by the next attempt`()
        throws
    {
        let (first, second) = (try FakeUpstream(isListening: false), try FakeUpstream())
        let directory = try TemporaryDirectory()
        let names = "\(Self.host(first)) first.test\n\(Self.host(second)) second.test\n"
        let ports = [first, second].map { $0.address.split(separator: ":")[1] }
        let configuration = """
            upstream:
              address: [first.test:\(ports[0]), second.test:\(ports[1])]
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration, in: directory, launcher: try Self.hosts(names, directory)) {
            daemon in
            let stream = try second.accept()
            try daemon.awaitStatus("ready \(second.address)")
            let tried = try Controller(daemon).describe().bridge.uplink.addresses
            #expect(tried.map(\.address) == [first.address, second.address])
            #expect(
                tried.map(\.reason) == [
                    "cannot connect to \(first.address): Connection refused (errno 111)", nil,
                ])
            try first.listen()
            stream.close()
            _ = try first.accept()
            try daemon.awaitStatus("ready \(first.address)")
        }
    }

    @Test func `the first address is gone back to after fail-back`() throws {
        let (first, second) = (try FakeUpstream(isListening: false), try FakeUpstream())
        let configuration = """
            upstream:
              address: [\(first.address), \(second.address)]
              fail-back: 1s
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            let stream = try second.accept()
            try first.listen()
            let back = try first.accept()
            #expect(try stream.receiveToEnd() == [])
            try daemon.awaitLine("connection to \(second.address) given up for the first address")
            try daemon.awaitStatus("ready \(first.address)")
            // There it stays.
            #expect(back.staysSilent(for: .milliseconds(1200)))
        }
    }

    @Test func `in random order every address is tried first at some time`() throws {
        let upstreams = try (0..<3).map { _ in try FakeUpstream() }
        let configuration = """
            upstream:
              address: [\(upstreams.map(\.address).joined(separator: ", "))]
              failover: random
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            var counts = [0, 0, 0]
            // With three of equal chance, all but one in 10¹⁷ runs see each within a hundred.
            for _ in 0..<100 where counts.contains(0) {
                try eventually("a connection") {
                    for (number, upstream) in upstreams.enumerated() {
                        guard let stream = try upstream.acceptNow() else { continue }
                        counts[number] += 1
                        stream.close()
                        return true
                    }
                    return false
                }
            }
            #expect(!counts.contains(0), "\(counts)")
            #expect(try daemon.terminate() == 0)
        }
    }
}
