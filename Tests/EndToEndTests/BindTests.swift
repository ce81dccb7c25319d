import Glibc
import Linux
import TestSupport
import Testing

/// `bind-address`: where connections to the server come from.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct BindTests {
    private static func configuration(_ upstream: FakeUpstream, _ bind: String) -> String {
        """
        upstream:
          address: \(upstream.address)
          reconnect: {min: 10ms, max: 10ms}
          bind-address: '\(bind)'
        """
    }

    @Test func `connections come from the address, again and again`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run(Self.configuration(upstream, "127.0.0.77")) { daemon in
            for _ in 0..<3 {
                let server = try upstream.accept()
                let peer = try FileDescriptor(owning: dup(server.raw)).peerAddress().description
                #expect(peer.hasPrefix("127.0.0.77:"))
                try daemon.awaitStatus("ready")
            }
        }
    }

    @Test(arguments: [
        ("192.0.2.7", "bind-address 192.0.2.7: Cannot assign requested address (errno 99); an interface"),
        ("fe80::7%nosuch", "it has no address of the family of bind-address fe80::7%nosuch"),
        ("::1", "it has no address of the family of bind-address ::1"),
    ])
    func `what keeps it from being used is told, and it is tried again`(bind: String, words: String) throws {
        let upstream = try FakeUpstream()
        // To the file a name, which may have addresses of both families; only the resolver makes one address of it.
        let address = upstream.address.replacing("127.", with: "0x7f.", maxReplacements: 1)
        let configuration = Self.configuration(upstream, bind).replacing(upstream.address, with: address)
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitLine(
                "cannot connect to ", String(address.dropFirst("0x7f".count)), words, "next attempt in")
            try daemon.awaitStatus("waiting", "bind-address")
            #expect(try upstream.acceptNow() == nil)
        }
    }

    @Test func `it is nothing to a Unix socket`() throws {
        let directory = try TemporaryDirectory()
        let (near, far) = (try FakeUpstream(path: directory("near")), try FakeUpstream())
        let configuration = Self.configuration(far, "127.0.0.77").replacing(
            "address: \(far.address)", with: "address: ['\(near.address)', \(far.address)]")
        try DaemonProcess.run(configuration) { daemon in
            let first = try near.accept()
            near.stopListening()
            first.close()
            let second = try far.accept()
            let peer = try FileDescriptor(owning: dup(second.raw)).peerAddress().description
            #expect(peer.hasPrefix("127.0.0.77:"))
            try daemon.awaitStatus("ready")
        }
    }
}
