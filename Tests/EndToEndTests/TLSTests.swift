import Control
import Glibc
import TestSupport
import Testing

/// An upstream that speaks TLS: messages, and what is told of it.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct TLSTests {
    @Test(arguments: [false, true])
    func `messages go both ways, and everybody is told of what protects them`(isOld: Bool) throws {
        let scene = try TLSUpstream(isOld: isOld)
        try DaemonProcess.run(scene.configuration("alpn: [chat]")) { daemon in
            let server = try scene.acceptReady()
            let version = isOld ? "TLSv1.2" : "TLSv1.3"
            try daemon.awaitLine("connected to \(scene.upstream.address) (\(version))")
            let program = try daemon.connect()
            try server.peer.send(Wire.line.frame("down"))
            #expect(try program.receive(5) == Wire.line.frame("down"))
            try program.send(Wire.line.frame("up"))
            #expect(try server.peer.receive(3) == Wire.line.frame("up"))
            let tls = try #require(try Controller(daemon).describe().bridge.uplink.tls)
            #expect(tls.version == version && tls.alpn == "chat" && tls.verified && !tls.resumed)
            #expect(
                tls.subject == "CN=server" && tls.issuer == "CN=Test CA" && tls.names.contains("feed.test"))
            #expect(try daemon.terminate() == 0)
            #expect(try server.peer.receivesCloseNotify())
        }
    }

    @Test func `without TLS none is described`() throws {
        try ControlTests.run { daemon, _, _ in
            let description = try Controller(daemon).describe()
            #expect(description.bridge.uplink.tls == nil)
        }
    }

    @Test func `the simulated server speaks TLS with the daemon, and demands a certificate`() throws {
        let directory = try TemporaryDirectory()
        let (authority, clients) = (CertificateAuthority(), CertificateAuthority("Clients"))
        for (name, text) in [("ca", authority.certificate), ("clients", clients.certificate)] {
            try directory.write(text, to: name)
        }
        for (name, identity) in [("server", authority.issue()), ("client", clients.issue())] {
            try directory.write(identity.certificate + identity.key, to: name)
        }
        let simulator = try ChildProcess(
            [
                ChildProcess.path(of: "trunkline-sim"), "--echo", "--silent", "--tls-certificate",
                directory("server"), "--tls-client-ca", directory("clients"), "unix:\(directory("socket"))",
            ], environment: [:], output: directory("output"), errors: directory("errors"))
        defer { simulator.signal(SIGKILL) }
        let configuration = """
            upstream:
              address: unix:\(directory("socket"))
              tls: {ca-file: \(directory("ca")), server-name: localhost, certificate: \(directory("client"))}
              reconnect: {min: 10ms, max: 10ms}
            """
        try DaemonProcess.run(configuration) { daemon in
            try daemon.awaitStatus("ready unix:")
            let program = try daemon.connect()
            let bytes = (0..<500).flatMap { Wire.line.frame($0, size: 1000) }
            try program.send(bytes)
            #expect(try program.receive(bytes.count) == bytes)
            simulator.signal(SIGTERM)
            try daemon.awaitLine("lost: the upstream closed it")
        }
    }

    @Test func `a flood in both directions at once arrives whole, whatever the kernel takes at a time`()
        throws
    {
        let scene = try TLSUpstream(receiveBuffer: 8192)
        try DaemonProcess.run(scene.configuration() + "outbox: 128K") { daemon in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            let total = 3 << 20
            let down = (0..<3200).flatMap { Wire.line.frame($0, of: 1, size: 1000) }.prefix(total)
            let up = (0..<3200).flatMap { Wire.line.frame($0, of: 2, size: 1000) }
            let lines = Array(down[...(down.lastIndex(of: 0x0A) ?? 0)])
            var sealed = server.peer.seal(lines)[...]
            var rest = up[...]
            var (atServer, atProgram): ([UInt8], [UInt8]) = ([], [])
            try eventually("everything to arrive", within: .seconds(30)) {
                for _ in 0..<50 {
                    rest = rest.dropFirst(try program.sendSome(rest.prefix(50_000)))
                    sealed = sealed.dropFirst(try server.stream.sendSome(sealed.prefix(50_000)))
                    atServer += try server.peer.receiveNow() ?? []
                    if case .bytes(let bytes) = program.receiveNow() { atProgram += bytes }
                }
                return atServer.count == up.count && atProgram.count == lines.count
            }
            #expect(atServer == up && atProgram == lines)
        }
    }

    @Test func `a slow program pauses the upstream, and nothing is lost or left lying in the session`() throws
    {
        let scene = try TLSUpstream()
        let settings = """
            buffer: 64K
            sockets: {default: {patience: infinity}}
            """
        try DaemonProcess.run(scene.configuration(upstream: "max-message: 1K") + settings) { daemon in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            let bytes = (0..<2000).flatMap { Wire.line.frame($0, size: 900) }
            var sealed = server.peer.seal(bytes)[...]
            // Until nothing more is taken.
            while !server.stream.staysFull(for: .milliseconds(200)), !sealed.isEmpty {
                sealed = sealed.dropFirst(try server.stream.sendSome(sealed))
            }
            try daemon.process.awaitRest()
            #expect(program.waiting > 0)
            var received: [UInt8] = []
            try eventually("everything") {
                sealed = sealed.dropFirst(try server.stream.sendSome(sealed))
                if case .bytes(let more) = program.receiveNow() { received += more }
                return received.count == bytes.count
            }
            #expect(received == bytes)
        }
    }

    @Test
    func `what the session holds when there is no room goes on when there is, though nothing more comes`()
        throws
    {
        let scene = try TLSUpstream()
        let settings = """
            buffer: 64K
            sockets: {default: {patience: infinity}}
            """
        try DaemonProcess.run(scene.configuration(upstream: "max-message: 1K") + settings) { daemon in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            // Some of these end where the program's kernel and the ring are full, and the session is not.
            for count in stride(from: 160, to: 480, by: 16) {
                let bytes = (0..<count).flatMap { Wire.line.frame($0, size: 1000) }
                try server.peer.send(bytes)
                try eventually("the daemon to have done what it can") {
                    server.stream.unacknowledged == 0 && daemon.process.isAsleep
                }
                #expect(try program.receive(bytes.count) == bytes)
            }
        }
    }

    @Test func `what is sent between messages comes between messages, also while the upstream takes little`()
        throws
    {
        let scene = try TLSUpstream(receiveBuffer: 8192)
        let more = "heartbeat: {send: 'beat\\n', every: 100ms}"
        try DaemonProcess.run(scene.configuration(upstream: more)) { daemon in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            let messages = (0..<7000).map { Wire.line.frame($0, size: 1023) }
            var rest = messages.flatMap { $0 }[...]
            var received: [UInt8] = []
            var looks = 0
            try eventually("the last message", within: .seconds(40)) {
                rest = rest.dropFirst(try program.sendSome(rest.prefix(1 << 17)))
                looks += 1
                // Seldom, so that the daemon has encrypted what its kernel does not take.
                if rest.isEmpty || looks % 100 == 0 { received += try server.peer.receiveNow() ?? [] }
                return received.suffix(2000).firstRange(of: messages[6999]) != nil
            }
            let beat = Array("beat\n".utf8)
            let frames = Wire.line.split(received).frames
            #expect(frames.filter { $0 != beat } == messages)
            #expect(frames.count { $0 == beat } > 1)
        }
    }

    @Test func `records of one byte and of 16 KiB, new keys and many tickets between them change nothing`()
        throws
    {
        let scene = try TLSUpstream()
        try DaemonProcess.run(scene.configuration()) { daemon in
            let server = try scene.acceptReady()
            let program = try daemon.connect()
            var expected: [UInt8] = []
            for (round, size) in [1, 1 << 14, 7, 1, 3000].enumerated() {
                let bytes = (0..<5).flatMap { Wire.line.frame($0, of: round, size: size == 1 ? 200 : 5000) }
                expected += bytes
                try server.peer.send(bytes, recordSize: size)
                try server.peer.updateKey()
                for _ in 0..<10 { try server.peer.sendTicket() }
                try program.send(Wire.line.frame("\(round)"))
                #expect(try server.peer.receive(2) == Wire.line.frame("\(round)"))
            }
            #expect(try program.receive(expected.count) == expected)
        }
    }

    @Test func `what follows the handshake in the same segment is not left lying`() throws {
        let scene = try TLSUpstream(isOld: true)
        try DaemonProcess.run(scene.configuration()) { daemon in
            let program = try daemon.connect()
            for round in 0..<5 {
                let server = try scene.acceptReady()
                try server.peer.send(Wire.line.frame("\(round)"))
                #expect(try program.receive(2) == Wire.line.frame("\(round)"))
                try server.close()
            }
        }
    }

    @Test func `messages in records that have not gone out whole are sent again, and no others`() throws {
        let scene = try TLSUpstream(receiveBuffer: 4096)
        try DaemonProcess.run(scene.configuration()) { daemon in
            let first = try scene.acceptReady()
            let program = try daemon.connect()
            let messages = (0..<9000).map { Wire.line.frame($0, size: 1000) }
            // More than the kernels and the outbox take.
            var rest = messages.flatMap { $0 }[...]
            while !program.staysFull(for: .milliseconds(200)) {
                rest = rest.dropFirst(try program.sendSome(rest.prefix(1 << 17)))
            }
            let before = Wire.line.split(try first.peer.receiveNow() ?? []).frames
            // What the kernels hold is lost with the connection.
            first.stream.reset()
            let second = try scene.acceptReady()
            var after: [UInt8] = []
            try eventually("the last message", within: .seconds(30)) {
                for _ in 0..<50 {
                    rest = rest.dropFirst(try program.sendSome(rest.prefix(1 << 17)))
                    after += try second.peer.receiveNow() ?? []
                }
                return after.suffix(1001) == messages[8999][...]
            }
            let frames = Wire.line.split(after).frames
            let start = try #require(messages.firstIndex(of: frames[0]))
            #expect(frames == Array(messages[start...]) && frames.count > 1000)
            #expect(
                before == Array(messages[..<before.count]) && before.count <= start,
                "\(before.count) \(start)")
        }
    }
}
