import Framing
import Uplink

extension Decoding {
    /// Reports settings that are right by themselves and contradict each other, but those with errors.
    mutating func check(_ configuration: Configuration) {
        checkReconnect(configuration.upstream.uplink.reconnect)
        checkLastingDelay(configuration.upstream.uplink.reconnect)
        checkMessageSize(configuration)
        checkFixedSize(configuration.upstream.framing, key: "upstream.framing", configuration.upstream)
        if isGiven("upstream.send-framing") {
            checkFixedSize(
                configuration.upstream.sendFraming, key: "upstream.send-framing", configuration.upstream)
        }
        checkOversize(configuration.upstream)
        checkHeartbeat(configuration.upstream.heartbeat)
        checkBindAddress(configuration.upstream)
        checkFailBack(configuration.upstream.uplink)
        checkTLS(configuration.upstream)
        checkPaths(configuration)
    }

    private mutating func checkOversize(_ upstream: UpstreamSettings) {
        guard case .fixed = upstream.framing, case .skip = upstream.oversize, isSound("upstream.framing")
        else { return }
        let allowed =
            "allowed is reconnect, for in a fixed framing nothing tells where the next message begins"
        refuse(key: "upstream.oversize", effective: "\"skip\"", allowed)
    }

    private mutating func checkHeartbeat(_ heartbeat: HeartbeatSettings?) {
        guard let heartbeat, heartbeat.hidesAnswers, heartbeat.answer == nil,
            isSound("upstream.heartbeat")
        else { return }
        refuse(
            key: "upstream.heartbeat.hide", effective: "\"yes\"",
            "allowed with expect only, which tells what is kept from clients")
    }

    private mutating func checkBindAddress(_ upstream: UpstreamSettings) {
        let key = "upstream.bind-address"
        guard let address = upstream.bindAddress, isSound("upstream.address"),
            upstream.uplink.endpoints.allSatisfy({ if case .unix = $0 { true } else { false } })
        else { return }
        refuse(
            key: key, effective: "\"\(address)\"",
            "allowed with a host:port only: Unix sockets have no such address")
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
            refuse(key: max, effective: longest, "allowed is at least min (\(shortest))")
        } else {
            refuse(key: min, effective: shortest, "allowed is at most max (\(longest))")
        }
    }

    private mutating func checkLastingDelay(_ settings: Backoff.Settings) {
        let (max, lasting) = ("upstream.reconnect.max", "upstream.reconnect.lasting")
        guard isSound(max), isSound(lasting), settings.lasting < settings.max else { return }
        refuse(
            key: lasting, effective: TimeSpan.print(settings.lasting),
            "allowed is at least max (\(TimeSpan.print(settings.max)))")
    }

    private mutating func checkMessageSize(_ configuration: Configuration) {
        let key = "upstream.max-message"
        guard isSound(key) else { return }
        let most = configuration.upstream.maxMessage
        let rings = [("buffer", configuration.buffer), ("outbox", configuration.outbox)]
        let tooSmall = rings.filter { ring, size in isSound(ring) && most > size / 2 }
        if isGiven(key) {
            guard let (ring, size) = tooSmall.min(by: { $0.1 < $1.1 }) else { return }
            let allowed = "allowed is at most \(Size.print(size / 2)), half of \(ring) (\(Size.print(size)))"
            refuse(key: key, effective: Size.print(most), allowed)
            return
        }
        for (ring, size) in tooSmall {
            let allowed = "allowed is at least \(Size.print(most * 2)), twice \(key) (\(Size.print(most)))"
            refuse(key: ring, effective: Size.print(size), allowed)
        }
    }

    private mutating func checkFixedSize(_ framing: Framing, key: String, _ upstream: UpstreamSettings) {
        guard case .fixed(let size) = framing, isSound(key), isSound("upstream.max-message") else { return }
        guard size > upstream.maxMessage else { return }
        let allowed = "allowed is at most max-message (\(Size.print(upstream.maxMessage)))"
        refuse(key: "\(key).size", effective: Size.print(size), allowed)
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
