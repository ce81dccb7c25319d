import Control
import Glibc
import TestSupport
import Testing

/// How a connection with TLS is refused, breaks off and comes back.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct TLSFailureTests {
    /// hummingbird 503: an orderly end waited for ever for a connection whose other side said nothing in the handshake.
    @Test(.bug("https://github.com/hummingbird-project/hummingbird/issues/503"))
    func
        `an upstream that stalls in the handshake is left after connect-timeout, and does not keep the daemon`()
        throws
    {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration(upstream: "connect-timeout: 300ms")) { daemon in
            let stalled = try scene.accept()
            try daemon.awaitStatus("beginning TLS with \(scene.upstream.address)")
            try daemon.awaitLine("no TLS handshake within connect-timeout")
            withExtendedLifetime(stalled) {}
            // One with which the test itself is too late is followed by another.
            var ready: TLSUpstream.Connection?
            try eventually("a handshake in time") {
                let connection = try scene.accept()
                guard (try? connection.peer.handshake()) != nil else { return false }
                ready = connection
                return true
            }
            try daemon.awaitLine("connected to \(scene.upstream.address) after")
            withExtendedLifetime(ready) {}
        }
        try DaemonProcess.run(scene.configuration()) { daemon in
            let stalled = try scene.accept()
            try daemon.awaitStatus("beginning TLS with")
            #expect(try daemon.terminate(within: .seconds(1)) == 0)
            withExtendedLifetime(stalled) {}
        }
    }

    @Test func `an end that TLS has not announced is told apart from one that it has`() throws {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            let program = try daemon.connect()
            let polite = try scene.acceptReady()
            try polite.peer.send(Wire.line.frame("one") + Array("half".utf8))
            try polite.close()
            try daemon.awaitLine("lost: the upstream closed it")
            let rude = try scene.acceptReady()
            try rude.peer.send(Wire.line.frame("two") + Array("half".utf8))
            rude.stream.close()
            try daemon.awaitLine("lost: it ended without TLS saying so, and may have been cut off")
            let cut = try scene.acceptReady()
            let record = cut.peer.seal(Wire.line.frame("never"))
            try cut.peer.sendRaw(
                cut.peer.seal(Wire.line.frame("too late")).isEmpty ? [] : Array(record.dropLast()))
            cut.stream.close()
            let last = try scene.acceptReady()
            try last.peer.send(Wire.line.frame("end"))
            let expected = ["one", "two", "end"].flatMap { Wire.line.frame($0) }
            #expect(try program.receive(expected.count) == expected)
        }
    }

    @Test
    func `a server that is not who it should be is refused, retried slowly, and told with when that is`()
        throws
    {
        let scene = try TLSUpstream()
        scene.server = try TLSPeer.Server(CertificateAuthority("Other").issue())
        let configuration = scene.configuration().replacing(
            "min: 10ms, max: 10ms", with: "min: 10ms, max: 1h")
        try DaemonProcess.run(configuration) { daemon in
            for _ in 0..<2 {
                let connection = try scene.accept()
                #expect(throws: (any Error).self) { try connection.peer.handshake() }
                _ = try? connection.stream.receiveToEnd()
            }
            try daemon.awaitLine(
                "cannot connect to \(scene.upstream.address): the server's certificate, of CN=server,")
            try eventually("the waiting") { daemon.manager.statuses.last?.contains("vouches for") ?? false }
            #expect(try scene.upstream.acceptNow() == nil)
            try daemon.awaitLine("vouches for", "; next attempt in ", " min ")
            #expect(daemon.log.count { $0.contains("vouches for") } == 2)
            scene.server = try TLSPeer.Server(scene.identity)
            daemon.signal(SIGUSR1)
            _ = try scene.acceptReady()
            try daemon.awaitLine("connected to")
        }
    }

    @Test func `what is no TLS, and a file that is not there, is told with what to do`() throws {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            let server = try scene.upstream.accept()
            try server.send(Array("220 welcome to this server, speak plainly\r\n".utf8))
            try daemon.awaitLine("the server does not speak TLS there: check the port")
        }
        try DaemonProcess.run(scene.configuration("certificate: /nonexistent/c")) { daemon in
            _ = try daemon.awaitLine(
                "cannot read certificate /nonexistent/c: No such file or directory (errno 2)")
        }
        try DaemonProcess.run(scene.configuration("certificate: 'credential:none'")) { daemon in
            _ = try daemon.awaitLine(
                "cannot use credential none: $CREDENTIALS_DIRECTORY is not set;"
                    + " the unit needs LoadCredential=none:PATH")
        }
    }

    @Test func `certificates are replaced without a restart, those of credentials as well`() throws {
        let directory = try TemporaryDirectory()
        let scene = try TLSUpstream()
        let (old, new) = (CertificateAuthority("Old"), CertificateAuthority("New"))
        func write(_ identity: Identity) throws {
            try directory.write(identity.certificate, to: "c")
            try directory.write(identity.key, to: "k")
        }
        try write(old.issue("first"))
        scene.server = try TLSPeer.Server(scene.identity, clientCA: old.certificate)
        let settings = scene.configuration("certificate: 'credential:c', key: 'credential:k'")
        try DaemonProcess.run(settings, environment: ["CREDENTIALS_DIRECTORY": directory.path]) { daemon in
            let program = try daemon.connect()
            func exchange() throws {
                let server = try scene.acceptReady()
                try server.peer.send(Wire.line.frame("hello"))
                #expect(try program.receive(6) == Wire.line.frame("hello"))
                #expect(server.peer.hasClientCertificate)
                try server.close()
            }
            try exchange()
            // A new one of ours, and a new authority of theirs.
            let authority = CertificateAuthority("Elsewhere")
            let host = scene.upstream.address.split(separator: ":")[0]
            scene.server = try TLSPeer.Server(
                authority.issue("server", .init(names: "IP:\(host)")), clientCA: new.certificate)
            try write(new.issue("second"))
            try scene.directory.write(authority.certificate, to: "ca.pem")
            // The attempt under way may have read the old files.
            try eventually("a connection with the new certificates") {
                let connection = try scene.accept()
                guard (try? connection.peer.handshake()) != nil else { return false }
                try connection.peer.send(Wire.line.frame("hello"))
                #expect(try program.receive(6) == Wire.line.frame("hello"))
                try connection.close()
                return true
            }
            try exchange()
        }
    }

    @Test func `a server that refuses our certificate after the handshake is not stormed`() throws {
        let scene = try TLSUpstream(clientCA: CertificateAuthority().certificate)
        let configuration = scene.configuration().replacing(
            "min: 10ms, max: 10ms", with: "min: 10ms, max: 1h")
        try DaemonProcess.run(configuration) { daemon in
            for _ in 0..<2 {
                let connection = try scene.accept()
                _ = try? connection.peer.handshake()
                _ = try? connection.stream.receiveToEnd()
            }
            try daemon.awaitLine("the server wants a certificate of ours: set certificate and key")
            try daemon.awaitStatus("waiting until", "wants a certificate of ours")
            #expect(try scene.upstream.acceptNow() == nil)
        }
    }

    @Test func `what broke TLS off is told although it also kept a message from being sent`() throws {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            let program = try daemon.connect()
            let server = try scene.acceptReady()
            try server.peer.send(Wire.line.frame("hello"))
            #expect(try program.receive(6) == Wire.line.frame("hello"))
            // Both are there at once: what came before the break is delivered in the turn in which sending fails.
            daemon.signal(SIGSTOP)
            try eventually("that the daemon stands still") { daemon.process.isStopped }
            try program.send(Wire.line.frame("lost"))
            try server.peer.send(Wire.line.frame("whole"))
            try server.peer.sendRaw([0x17, 3, 3, 0, 32] + Array(repeating: 0, count: 32))
            daemon.signal(SIGCONT)
            #expect(try program.receive(6) == Wire.line.frame("whole"))
            try daemon.awaitLine("lost: TLS was broken off: decryption failed or bad record mac")
            withExtendedLifetime(server) {}
        }
    }

    @Test func `verification that is turned off is warned about at the start, and told with the connection`()
        throws
    {
        let scene = try TLSUpstream()
        scene.server = try TLSPeer.Server(CertificateAuthority.selfSigned())
        try DaemonProcess.run(scene.configuration(verifies: false)) { daemon in
            let server = try scene.acceptReady()
            try daemon.awaitLine(
                "the upstream's certificate is not verified (tls: verify: insecure): anybody")
            try daemon.awaitLine("connected to \(scene.upstream.address) (TLSv1.3, not verified)")
            #expect(try Controller(daemon).describe().bridge.uplink.tls?.verified == false)
            withExtendedLifetime(server) {}
        }
    }

    @Test func `a certificate that expires soon is warned about, once for many connections`() throws {
        let scene = try TLSUpstream()
        let host = scene.upstream.address.split(separator: ":")[0]
        let request = CertificateAuthority.Request(names: "IP:\(host)", validUntil: 86400 * 3 + 3600)
        scene.server = try TLSPeer.Server(scene.authority.issue("server", request))
        try DaemonProcess.run(scene.configuration()) { daemon in
            for _ in 0..<3 { try scene.acceptReady().close() }
            try daemon.awaitLine(
                "the certificate of \(scene.upstream.address), of CN=server, expires in 3 days, on")
            _ = try scene.acceptReady()
            #expect(daemon.log.count { $0.contains("expires in") } == 1)
        }
    }

    @Test func `the next connection goes on with the session of the last, also when that was cut off`() throws
    {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            let program = try daemon.connect()
            for round in 0..<4 {
                let server = try scene.acceptReady()
                #expect(server.peer.isResumed == (round > 0))
                try server.peer.send(Wire.line.frame("\(round)"))
                #expect(try program.receive(2) == Wire.line.frame("\(round)"))
                if round % 2 == 0 { server.stream.close() } else { try server.close() }
            }
        }
    }

    @Test func `hundreds of connections leak neither descriptors nor memory`() throws {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            var (descriptors, memory) = (0, 0)
            for round in 0..<300 {
                let server = try scene.accept()
                // All ways to end one: in the handshake, cut off, in good order.
                if round % 5 == 0 {
                    server.stream.close()
                    continue
                }
                try server.peer.handshake()
                if round % 2 == 0 { try server.close() } else { server.stream.close() }
                if round == 101 {
                    (descriptors, memory) = (daemon.process.descriptorCount, daemon.process.memory)
                }
            }
            let last = try scene.acceptReady()
            try daemon.awaitStatus("ready")
            #expect(daemon.process.descriptorCount <= descriptors + 1)
            if !isSanitized { #expect(daemon.process.memory - memory < 512 << 10, "\(memory)") }
            #expect(daemon.log.count < 30, "\(daemon.log)")
            withExtendedLifetime(last) {}
        }
    }
}
