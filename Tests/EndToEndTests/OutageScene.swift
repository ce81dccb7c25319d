import Control
import Glibc
import Linux
import TestSupport
import Testing

/// A daemon in a network of its own, where the test plays the name server, the upstream and a local program, all driven by
/// `until`.
final class OutageScene {
    /// Whoever is not this machine is never heard of: what is sent there vanishes.
    static let network = [
        "link add v0 type veth peer name v1", "link set v0 arp off up", "link set v1 up",
        "address add 192.0.2.1/24 dev v0", "address add 2001:db8::1/64 dev v0 nodad",
    ]
    static let host = "192.0.2.9"
    /// Where nobody is.
    static let nobody = "2001:db8::9"
    private static let presence = "local \(host) dev lo src 192.0.2.1"

    let outage: Outage
    let network: NetworkNamespace
    let names: FakeNameServer
    let upstream: FakeUpstream
    let daemon: DaemonProcess
    let program: Stream
    private let controller: Controller
    /// Where the upstream speaks TLS.
    let certificates: Certificates?
    private(set) var server: WellConnection?
    /// Those with which something is wrong, and when the upstream closes them.
    private var faulty: [(stream: Stream, until: ContinuousClock.Instant?)] = []
    private(set) var isFaulty = false
    /// Connections that were made since the outage began.
    private(set) var connections = 0
    /// Both sides send as much as is taken.
    var isFlooding = false
    private var up = Sender()
    private var down = Sender()
    private var heardUp = Receiver()
    private var heardDown = Receiver()

    /// Where messages come from: each has a number of its own.
    private struct Sender {
        var number = 0
        var rest: ArraySlice<UInt8> = []

        mutating func say() {
            number += 1
            rest += Wire.line.frame(number, size: 1000)
        }
    }

    struct Certificates {
        let good: TLSPeer.Server
        let wrong: TLSPeer.Server
        let expired: TLSPeer.Server

        init(_ authority: CertificateAuthority) throws {
            let names = "IP:\(host),DNS:feed.test"
            good = try TLSPeer.Server(authority.issue("server", .init(names: names)))
            wrong = try TLSPeer.Server(authority.issue("server", .init(names: "DNS:other.test")))
            expired = try TLSPeer.Server(
                authority.issue("server", .init(names: names, validFrom: -7200, validUntil: -3600)))
        }
    }

    private struct Receiver {
        var number = 0
        var unfinished: [UInt8] = []
        var mistakes: [String] = []

        mutating func take(_ bytes: [UInt8]) {
            let (frames, rest) = Wire.line.split(unfinished + bytes)
            unfinished = rest
            for frame in frames {
                let text = String(decoding: frame, as: UTF8.self)
                let next = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                if next <= number || frame != Wire.line.frame(next, size: 1000) {
                    mistakes.append("after \(number): \(text.prefix(40))")
                }
                number = next
            }
        }
    }

    /// Begins with a connection that is well.
    static func run(_ outage: Outage, _ body: (OutageScene) throws -> Void) throws {
        let network = try NetworkNamespace()
        try network.ip(Self.network + ["route add \(presence)"])
        let directory = try TemporaryDirectory()
        let (names, upstream) = try network.inside {
            (
                try FakeNameServer(at: "127.0.0.53", .addresses([host])),
                try FakeUpstream(on: host, receiveBuffer: 4096)
            )
        }
        let authority = outage.isSecured ? CertificateAuthority() : nil
        if let authority { try directory.write(authority.certificate, to: "ca") }
        let certificates = try authority.map { try Certificates($0) }
        let port = upstream.address.split(separator: ":")[1]
        let configuration = """
            upstream:
              address: feed.test:\(port)
              reconnect: {min: 10ms, max: 50ms, lasting: 50ms}
              max-message: 16K
              \(outage.settings(directory).joined(separator: "\n  "))
            hold-time: 1min
            buffer: 64K
            outbox: 64K
            sockets: {default: {patience: infinity}}
            """
        let launcher = network.launcher + (try names.launcher(directory))
        try DaemonProcess.run(configuration, in: directory, launcher: launcher) { daemon in
            let scene = try OutageScene(outage, network, names, upstream, daemon, certificates)
            try scene.converse()
            try body(scene)
            #expect(scene.heardUp.mistakes == [] && scene.heardDown.mistakes == [])
        }
    }

    private init(
        _ outage: Outage, _ network: NetworkNamespace, _ names: FakeNameServer, _ upstream: FakeUpstream,
        _ daemon: DaemonProcess, _ certificates: Certificates?
    ) throws {
        self.outage = outage
        self.network = network
        self.names = names
        self.upstream = upstream
        self.daemon = daemon
        self.certificates = certificates
        program = try daemon.connect()
        controller = try Controller(daemon)
    }

    // MARK: What happens

    /// Everybody does what there is to do, until the condition holds.
    func until(
        _ what: @autoclosure () -> String, within limit: Duration = .seconds(15),
        _ condition: () throws -> Bool
    ) throws {
        try eventually("\(what()); \(daemon.manager.statuses.last ?? "")", within: limit) {
            try turn()
            return try condition()
        }
    }

    /// Everybody does what there is to do, for so long.
    func pass(_ duration: Duration) throws {
        let end = ContinuousClock.now + duration
        try until("time to pass") { ContinuousClock.now >= end }
    }

    private func turn() throws {
        names.serve()
        // Keeps room for what is still to be told.
        _ = daemon.manager.notices
        while let stream = try upstream.acceptNow() {
            connections += 1
            if isFaulty { try outage.receive(stream, self) } else { take(stream) }
        }
        let now = ContinuousClock.now
        for (stream, until) in faulty where until.map({ $0 <= now }) == true { stream.close() }
        faulty.removeAll { $0.stream.raw < 0 }
        if isFlooding || isFaulty && outage.needsFlood, up.rest.isEmpty { for _ in 0..<20 { up.say() } }
        if server != nil, down.rest.isEmpty {
            if isFlooding { for _ in 0..<20 { down.say() } } else if outage.needsLife { down.say() }
        }
        up.rest = up.rest.dropFirst(try program.sendSome(up.rest))
        if case .bytes(let bytes) = program.receiveNow() { heardDown.take(bytes) }
        attend()
    }

    /// A connection with which nothing is wrong, unless the daemon itself ends it.
    func take(_ stream: Stream) {
        server = try? WellConnection(stream, tls: certificates?.good, greets: outage.greets)
        (down.rest, heardUp.unfinished) = ([], [])
    }

    private func attend() {
        guard let server else { return }
        if let count = try? server.sendSome(down.rest) { down.rest = down.rest.dropFirst(count) }
        switch server.receiveNow() {
        case .bytes(let bytes): heardUp.take(bytes)
        case .nothing: break
        case .end, .failed: self.server = nil
        }
    }

    /// One message is heard in each direction, over a connection that is well.
    func converse() throws {
        isFlooding = false
        var asked: WellConnection?
        try until("a message in each direction") {
            guard let server else { return false }
            if server !== asked {
                asked = server
                up.say()
                down.say()
            }
            return heardUp.number == up.number && (outage.needsLife || heardDown.number == down.number)
                && heardDown.number > 0
        }
    }

    // MARK: What is wrong

    func beginOutage() throws {
        isFaulty = true
        connections = 0
        try outage.begin(self)
    }

    /// A connection that was well, and no longer is.
    func loseServer() throws -> Stream {
        let stream = try #require(server).stream
        server = nil
        return stream
    }

    /// A connection that was well is closed, and names are resolved in another way.
    func loseServer(answering answer: FakeNameServer.Answer) throws {
        names.answer = answer
        try loseServer().close()
    }

    /// Holds a connection, and does nothing with it.
    func hold(_ stream: Stream, for duration: Duration? = nil) {
        faulty.append((stream, duration.map { .now + $0 }))
    }

    /// The handshake that the daemon breaks off.
    func refuse(_ stream: Stream, with certificate: TLSPeer.Server?) {
        if let certificate, let peer = try? TLSPeer(certificate, on: stream.raw) { try? peer.handshake() }
        stream.close()
    }

    /// An answer to the login.
    func refuse(_ stream: Stream, _ words: String) throws {
        _ = try stream.receive(WellConnection.login.count)
        try stream.send(Array(words.utf8))
        stream.close()
    }

    /// Sends messages, and the beginning of one.
    func sendPart(to stream: Stream) throws {
        down.rest = []
        for _ in 0..<(isFlooding ? 30 : 1) { down.say() }
        _ = try stream.sendSome(down.rest.dropLast(500))
        down.rest = []
    }

    func sendWhole(to stream: Stream) throws {
        down.rest = []
        down.say()
        _ = try stream.sendSome(down.rest)
        down.rest = []
    }

    /// Something waits to be sent.
    func sayUp() { up.say() }

    func leave() throws { try network.ip("route del \(Self.presence)") }

    func comeBack() throws { try network.ip("route add \(Self.presence)") }

    func endOutage() throws {
        try outage.end(self)
        isFaulty = false
        for (stream, _) in faulty { stream.close() }
        faulty = []
    }

    // MARK: What is told

    /// More has been heard in both directions than fits the daemon's rings.
    var hasFlowed: Bool { min(heardUp.number, heardDown.number) > 200 }

    var isWell: Bool { server != nil }

    func describe() throws -> Description { try controller.describe() }

    /// Status, control socket and kernel say this.
    func untilTold(_ connection: AgreementTests.Connection) throws {
        let expected = AgreementTests.View(connection: connection, clients: 1)
        var views: [AgreementTests.View] = []
        try until("\(expected), not \(views)") {
            views = AgreementTests.views(daemon, upstream, try describe())
            return views.allSatisfy { $0 == expected }
        }
    }

    /// It was told why there is no connection.
    func isReasonTold() -> Bool {
        // With what was not read the kernel ends a connection by a reset.
        let mayReset = isFlooding && outage.reasons == ["the upstream closed it"]
        let reasons = outage.reasons + (mayReset ? ["Connection reset by peer", "Broken pipe"] : [])
        let isTold = { (text: String) in reasons.contains { text.contains($0) } }
        return daemon.manager.statuses.contains { $0.hasPrefix("waiting until ") && isTold($0) }
            && daemon.log.contains { $0.contains("; next attempt ") && isTold($0) }
    }
}
