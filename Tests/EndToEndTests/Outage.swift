import Control
import Glibc
import TestSupport

/// What can be wrong with the way to an upstream, or with the upstream.
enum Outage: CaseIterable, Sendable {
    case nameUnknown
    case resolverFails
    case resolverBlackHoled
    case refused
    case addressBlackHoled
    case ipv6BlackHoled
    case acceptsThenResets
    case acceptsThenSilence
    case acceptsThenCloses
    case greetsThenCloses
    case cutInMessage
    case halfClosed
    case writeBlackHoled
    case zeroWindow
    case handshakeStalls
    case wrongCertificate
    case expiredCertificate
    case loginRefused
    case sessionStillHeld

    /// Lines of the section `upstream`.
    func settings(_ directory: TemporaryDirectory) -> [String] {
        let tls = "tls: {ca-file: '\(directory("ca"))'}"
        return switch self {
        case .resolverBlackHoled, .addressBlackHoled: ["connect-timeout: 100ms"]
        case .acceptsThenSilence: ["idle-timeout: \(400 * slowdown)ms"]
        // Otherwise the address that the connection comes from is the server's own, and goes with it.
        case .writeBlackHoled: ["bind-address: 192.0.2.1", "write-timeout: 200ms", "connect-timeout: 100ms"]
        case .zeroWindow: ["write-timeout: 200ms"]
        case .handshakeStalls: [tls, "connect-timeout: \(250 * slowdown)ms"]
        case .wrongCertificate, .expiredCertificate: [tls]
        case .loginRefused, .sessionStillHeld: [#"on-connect: [{send: "login\n"}, {expect: "OK\n"}]"#]
        case .nameUnknown, .resolverFails, .refused, .ipv6BlackHoled, .acceptsThenResets, .acceptsThenCloses,
            .greetsThenCloses, .cutInMessage, .halfClosed:
            []
        }
    }

    /// Words of which one is told while there is no connection; none when there soon is one.
    var reasons: [String] {
        switch self {
        case .nameUnknown: ["cannot resolve feed.test:"]
        case .resolverFails: ["Temporary failure in name resolution"]
        case .resolverBlackHoled: ["no answer within connect-timeout", "earlier look-ups still wait"]
        case .refused: ["Connection refused"]
        case .addressBlackHoled: ["no answer within connect-timeout"]
        case .ipv6BlackHoled: []
        case .acceptsThenResets: ["Connection reset by peer"]
        case .acceptsThenSilence: ["nothing was received for idle-timeout"]
        case .acceptsThenCloses, .greetsThenCloses, .cutInMessage, .halfClosed: ["the upstream closed it"]
        case .writeBlackHoled, .zeroWindow: ["the upstream took nothing for write-timeout"]
        case .handshakeStalls: ["no TLS handshake within connect-timeout"]
        case .wrongCertificate: ["is not for feed.test"]
        case .expiredCertificate: ["expired on"]
        case .loginRefused: [#"the upstream said "go away""#]
        case .sessionStillHeld: [#"the upstream said "already logged in""#]
        }
    }

    /// The upstream speaks TLS.
    var isSecured: Bool { [.handshakeStalls, .wrongCertificate, .expiredCertificate].contains(self) }

    /// Connections begin with a login.
    var greets: Bool { self == .loginRefused || self == .sessionStillHeld }

    /// A connection that is well needs messages from the upstream to stay so.
    var needsLife: Bool { self == .acceptsThenSilence }

    /// A connection ends by it only if the upstream takes less than there is to be sent.
    var needsFlood: Bool { self == .zeroWindow }

    /// The upstream accepts connections all the same.
    var connects: Bool {
        switch self {
        case .nameUnknown, .resolverFails, .resolverBlackHoled, .refused, .addressBlackHoled,
            .writeBlackHoled:
            false
        case .ipv6BlackHoled, .acceptsThenResets, .acceptsThenSilence, .acceptsThenCloses, .greetsThenCloses,
            .cutInMessage, .halfClosed, .zeroWindow, .handshakeStalls, .wrongCertificate, .expiredCertificate,
            .loginRefused, .sessionStillHeld:
            true
        }
    }

    /// For a while there is a connection, though it is of no use.
    var holdsConnections: Bool { [.acceptsThenSilence, .zeroWindow, .handshakeStalls].contains(self) }

    /// How long it takes to end meanwhile, at the most: an upstream that takes nothing is waited for.
    var longestEnd: Duration { self == .zeroWindow ? .orderlyEnd : .seconds(1) }

    /// It happens to the connection that stands.
    func begin(_ scene: OutageScene) throws {
        switch self {
        case .nameUnknown: try scene.loseServer(answering: .noSuchName)
        case .resolverFails: try scene.loseServer(answering: .failure)
        case .resolverBlackHoled: try scene.loseServer(answering: .silence)
        case .refused:
            scene.upstream.stopListening()
            try scene.loseServer().close()
        case .addressBlackHoled:
            // The upstream's end is still heard.
            scene.daemon.signal(SIGSTOP)
            try scene.loseServer().close()
            try scene.leave()
            scene.daemon.signal(SIGCONT)
        case .ipv6BlackHoled:
            try scene.loseServer(answering: .addresses([OutageScene.nobody, OutageScene.host]))
        case .greetsThenCloses, .handshakeStalls, .wrongCertificate, .expiredCertificate, .loginRefused:
            try scene.loseServer().close()
        case .sessionStillHeld:
            // The daemon knows that it is over, and the upstream does not.
            scene.hold(try scene.loseServer())
            scene.daemon.signal(SIGUSR1)
        case .writeBlackHoled:
            scene.hold(try scene.loseServer())
            try scene.leave()
            scene.sayUp()
        case .acceptsThenResets, .acceptsThenSilence, .acceptsThenCloses, .cutInMessage, .halfClosed,
            .zeroWindow:
            try receive(try scene.loseServer(), scene)
        }
    }

    /// It happens to a connection that was made meanwhile.
    func receive(_ stream: Stream, _ scene: OutageScene) throws {
        switch self {
        case .acceptsThenResets: stream.reset()
        case .acceptsThenSilence, .zeroWindow, .handshakeStalls: scene.hold(stream)
        case .wrongCertificate: scene.refuse(stream, with: scene.certificates?.wrong)
        case .expiredCertificate: scene.refuse(stream, with: scene.certificates?.expired)
        case .loginRefused: try scene.refuse(stream, "go away\n")
        case .sessionStillHeld: try scene.refuse(stream, "already logged in\n")
        case .acceptsThenCloses: stream.close()
        case .greetsThenCloses:
            try scene.sendWhole(to: stream)
            // Longer than a connection lives that counts as a failure, or not.
            scene.hold(stream, for: scene.isFlooding ? .zero : .milliseconds(2100))
        case .cutInMessage:
            try scene.sendPart(to: stream)
            stream.close()
        case .halfClosed:
            stream.finishSending()
            scene.hold(stream)
        case .ipv6BlackHoled: scene.take(stream)
        // Made before it began.
        case .nameUnknown, .resolverFails, .resolverBlackHoled, .refused, .addressBlackHoled,
            .writeBlackHoled:
            stream.close()
        }
    }

    func end(_ scene: OutageScene) throws {
        switch self {
        case .nameUnknown, .resolverFails, .resolverBlackHoled, .ipv6BlackHoled:
            scene.names.answer = .addresses([OutageScene.host])
        case .refused: try scene.network.inside { try scene.upstream.listen() }
        case .addressBlackHoled, .writeBlackHoled: try scene.comeBack()
        case .acceptsThenResets, .acceptsThenSilence, .acceptsThenCloses, .greetsThenCloses, .cutInMessage,
            .halfClosed, .zeroWindow, .handshakeStalls, .wrongCertificate, .expiredCertificate, .loginRefused,
            .sessionStillHeld:
            break
        }
    }

    /// It was tried so many times in vain.
    func isTried(_ times: Int, _ scene: OutageScene) throws -> Bool {
        guard !connects else {
            // It takes two seconds each time.
            let most = self == .greetsThenCloses ? 2 : 3
            return self == .ipv6BlackHoled ? scene.isWell : scene.connections >= min(times, most)
        }
        return try scene.describe().bridge.uplink.attempts >= times
    }
}
