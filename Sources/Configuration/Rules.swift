import Framing
import Uplink

extension Decoding {
    /// Reports settings that are right by themselves and contradict each other, but those with errors.
    mutating func check(_ configuration: Configuration) {
        checkReconnect(configuration.upstream.uplink.reconnect)
        checkLastingDelay(configuration.upstream.uplink.reconnect)
        checkMessageSize(configuration)
        checkSizes(configuration.upstream.framing, key: "upstream.framing", configuration.upstream)
        if isSet("upstream.send-framing") {
            checkSizes(
                configuration.upstream.sendFraming, key: "upstream.send-framing", configuration.upstream)
        }
        checkOversize(configuration.upstream)
        checkBoundaries(configuration.upstream)
        checkFirstMessage(configuration.upstream)
        checkHeaders(configuration)
        for socket in configuration.sockets { checkTranslation(socket, configuration.upstream) }
        checkHeartbeat(configuration.upstream)
        checkBindAddress(configuration.upstream)
        checkFailBack(configuration.upstream.uplink)
        checkTLS(configuration.upstream)
        checkPaths(configuration)
    }

    private mutating func checkOversize(_ upstream: UpstreamSettings) {
        guard !upstream.framing.canPassOver, case .skip = upstream.oversize, isSound("upstream.framing")
        else { return }
        let allowed =
            "allowed is reconnect, for in a fixed framing nothing tells where the next message begins"
        refuse(
            key: "upstream.oversize", effective: "\"skip\"", allowed, against: ["upstream.framing"])
    }

    private mutating func checkBoundaries(_ upstream: UpstreamSettings) {
        let key = "upstream.send-framing"
        guard upstream.sendFraming.forSending != upstream.sendFraming, isSound(key) else { return }
        let allowed = "allowed is a kind that divides what clients send; none sends it as it comes"
        refuse(key: key, effective: "\"line\"", allowed)
    }

    private mutating func checkFirstMessage(_ upstream: UpstreamSettings) {
        let key = "upstream.first-message"
        guard upstream.firstMessage == .discard, isSound(key), isSound("upstream.framing") else { return }
        if upstream.framing.beginning == .unknown {
            let allowed = "allowed is keep, for in that framing nothing tells where the first message ends"
            refuse(key: key, effective: "\"discard\"", allowed)
        } else if upstream.onConnect.contains(where: \.isShown) {
            let allowed = "allowed is keep where clients get what the server says in on-connect (show: yes)"
            refuse(key: key, effective: "\"discard\"", allowed)
        }
    }

    /// What is taken away of the messages of a server must be put back in those of clients.
    private mutating func checkHeaders(_ configuration: Configuration) {
        let upstream = configuration.upstream
        let key = isSet("upstream.send-framing") ? "upstream.send-framing" : "upstream.framing"
        guard !upstream.sendFraming.isReversible, isSound(key),
            configuration.sockets.contains(where: \.maySend)
        else { return }
        let instead = isSet("upstream.send-framing") ? "" : "a send-framing of its own, or "
        refuse(
            key: "\(key).strip", effective: "",
            "allowed with \(instead)send: no on all sockets, for such a header cannot be put back")
    }

    private mutating func checkBindAddress(_ upstream: UpstreamSettings) {
        let key = "upstream.bind-address"
        guard let address = upstream.bindAddress, isSound("upstream.address"), isSound(key) else { return }
        let endpoints = upstream.uplink.endpoints
        let isLocalIPv6 = address.contains(":")
        if endpoints.allSatisfy(\.isUnix) {
            refuse(
                key: key, effective: "\"\(address)\"",
                "allowed with a host:port only: Unix sockets have no such address")
        } else if endpoints.allSatisfy({ $0.hasIPv6.map { $0 != isLocalIPv6 } ?? false }) {
            refuse(
                key: key, effective: "\"\(address)\"",
                "allowed is an address of \(isLocalIPv6 ? "IPv4" : "IPv6"), as all in upstream.address are: from one of the"
                    + " other family there is no connection to any", against: ["upstream.address"])
        }
    }

    private mutating func checkFailBack(_ settings: Uplink.Settings) {
        guard let time = settings.failBack, settings.failover == .random, isSound("upstream.failover") else {
            return
        }
        refuse(
            key: "upstream.fail-back", effective: TimeSpan.print(time),
            "allowed is infinity, for in random order no address is the first")
    }

    private mutating func checkReconnect(_ settings: Backoff.Settings) {
        let (min, max) = ("upstream.reconnect.min", "upstream.reconnect.max")
        guard isSound(min), isSound(max), settings.max < settings.min else { return }
        let (shortest, longest) = (TimeSpan.print(settings.min), TimeSpan.print(settings.max))
        if isGiven(max) {
            refuse(
                key: max, effective: longest, "allowed is at least min (\(shortest))", against: [min])
        } else {
            refuse(
                key: min, effective: shortest, "allowed is at most max (\(longest))", against: [max])
        }
    }

    private mutating func checkLastingDelay(_ settings: Backoff.Settings) {
        let (max, lasting) = ("upstream.reconnect.max", "upstream.reconnect.lasting")
        guard isSound(max), isSound(lasting), settings.lasting < settings.max else { return }
        refuse(
            key: lasting, effective: TimeSpan.print(settings.lasting),
            "allowed is at least max (\(TimeSpan.print(settings.max)))", against: [max])
    }

    private mutating func checkMessageSize(_ configuration: Configuration) {
        let key = "upstream.max-message"
        guard isSound(key) else { return }
        let most = configuration.upstream.maxMessage
        let upstream = configuration.upstream
        let received = received(configuration)
        let sendFraming = isSet("upstream.send-framing") ? "upstream.send-framing" : "upstream.framing"
        let rings = [
            (
                name: "buffer", size: configuration.buffer, share: Share(of: received.framing),
                framing: received.key
            ),
            (
                name: "outbox", size: configuration.outbox, share: Share(of: upstream.sendFraming),
                framing: sendFraming
            ),
        ]
        let tooSmall = rings.filter { isSound($0.name) && most > $0.size / $0.share.rawValue }
        if isGiven(key) {
            guard let ring = tooSmall.min(by: { $0.size / $0.share.rawValue < $1.size / $1.share.rawValue })
            else { return }
            let largest = Size.print(ring.size / ring.share.rawValue)
            let allowed =
                "allowed is at most \(largest), \(ring.share) of \(ring.name) (\(Size.print(ring.size)))"
                + ring.share.words(ring.framing)
            refuse(
                key: key, effective: Size.print(most), allowed,
                against: [ring.name] + ring.share.reasons(ring.framing))
            return
        }
        for ring in tooSmall {
            let least = Size.print(most * ring.share.rawValue)
            let allowed =
                "allowed is at least \(least), \(ring.share.inverse) \(key) (\(Size.print(most)))"
                + ring.share.words(ring.framing)
            refuse(
                key: ring.name, effective: Size.print(ring.size), allowed,
                against: [key] + ring.share.reasons(ring.framing)
            )
        }
    }

    /// The framing that needs most of the buffer, and the key that it comes from.
    private func received(_ configuration: Configuration) -> (framing: Framing, key: String) {
        let upstream = (framing: configuration.upstream.framing, key: "upstream.framing")
        let own = configuration.sockets.compactMap { socket in
            socket.ownFraming.map { framing in
                let key = socket.unrepresentable == .escape ? "unrepresentable" : "framing"
                return (framing: framing, key: "sockets.\(socket.name).\(key)")
            }
        }
        return ([upstream] + own).first { Share(of: $0.framing) == .quarter } ?? upstream
    }

    private mutating func checkPaths(_ configuration: Configuration) {
        let control = controlPath
        if control.utf8.count > longestSocketPath {
            report(
                "the path of the control socket, \"\(printable(control))\", has \(control.utf8.count) bytes;"
                    + " allowed are at most \(longestSocketPath)", at: nil)
        }
        var owners = [plain(control): "the control socket"]
        for endpoint in configuration.upstream.uplink.endpoints {
            if case .unix(let path) = endpoint { owners[plain(path)] = "upstream.address" }
        }
        for socket in configuration.sockets {
            let key = "sockets.\(socket.name).path"
            guard isSound(key) else { continue }
            let length = socket.path.utf8.count
            if length > longestSocketPath {
                let allowed = "allowed are at most \(longestSocketPath) bytes, not \(length)"
                refuse(key: key, effective: "\"\(printable(socket.path))\"", allowed)
            } else if let owner = owners[plain(socket.path)] {
                let allowed = "allowed is a path of its own, not that of \(owner)"
                refuse(key: key, effective: "\"\(printable(socket.path))\"", allowed)
            } else {
                owners[plain(socket.path)] = key
            }
        }
    }

    /// A path without what makes no difference.
    private func plain(_ path: String) -> String {
        path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}

extension Endpoint {
    fileprivate var isUnix: Bool { if case .unix = self { true } else { false } }

    /// The family of an address in digits; `nil` for a name, which may have addresses of both, and a Unix socket.
    fileprivate var hasIPv6: Bool? {
        guard case .host(let host, _) = self else { return nil }
        return isIPv6(host) ? true : isIPv4(host) ? false : nil
    }
}

/// How much of a ring a payload may take.
private enum Share: Int, CustomStringConvertible {
    case half = 2
    /// Where escapes may double it.
    case quarter = 4

    init(of framing: Framing) {
        switch framing {
        case .slip, .line(_, escapes: true): self = .quarter
        default: self = .half
        }
    }

    /// Why a socket's key makes it less than usual; what the upstream's framing needs is in the documentation of its key.
    func words(_ key: String) -> String {
        self == .quarter && key.hasPrefix("sockets.")
            ? ", for with \(key) a message may be twice as long" : ""
    }

    var description: String { self == .half ? "half" : "a quarter" }
    var inverse: String { self == .half ? "twice" : "four times" }

    /// The keys that make it less than usual, of which `key` names the framing.
    func reasons(_ key: String) -> [String] { self == .half ? [] : [key] }
}
