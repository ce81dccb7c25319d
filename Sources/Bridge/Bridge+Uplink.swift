import Configuration
import Exchange
import Framing
import Glibc
public import Linux
import Uplink

/// The connection to the upstream: carries out the effects of the state machine.
extension Bridge {
    /// One read is at most so large: less costs more for each byte, more gains nothing and keeps clients waiting.
    private static let readLimit = 256 << 10

    func jitter() -> Double { Double.random(in: 0...1) }

    func perform(_ effects: [Uplink.Effect]) {
        var queue = effects[...]
        while let effect = queue.popFirst() {
            switch effect {
            case .resolve(let step, let endpoint): queue += resolve(step: step, endpoint: endpoint)
            case .connect(let step, _, let candidate): queue += connect(step: step, candidate: candidate)
            case .secure(let step): queue += secure(step: step)
            case .greet(let step): queue += greet(step: step)
            case .close(let step, let reason): closeRacer(step, because: reason)
            case .goOn(let failure): report(.attemptFailed(address(of: failure), failure.reason))
            case .abandon: abandon()
            case .armTimer(let instant): arm(.uplink, at: instant)
            case .disarmTimer: disarm(.uplink)
            case .announce(let state): announce(state)
            }
        }
    }

    private func resolve(step: UInt64, endpoint: Int) -> [Uplink.Effect] {
        let endpoint = configuration.upstream.uplink.endpoints[endpoint]
        switch endpoint {
        case .unix(let path):
            guard !listeners.contains(where: { $0.isReached(by: path) }) else {
                return uplink.failed(step: step, .ownSocket, now: loop.now, jitter: jitter())
            }
            guard let address = try? SocketAddress.unix(path: path) else {
                preconditionFailure("a path of more than \(SocketAddress.longestPath) bytes passed the check")
            }
            return resolved(step: step, [address])
        case .host(let host, let port):
            if let address = SocketAddress.numeric(host: host, port: port) {
                return resolved(step: step, [address])
            }
            resolver.resolve(host: host, port: port, ticket: step)
            return []
        }
    }

    private func resolved(step: UInt64, _ addresses: [SocketAddress]) -> [Uplink.Effect] {
        let usable = alternating(addresses.filter(isBindable), isIPv6: \.isIPv6)
        if usable.isEmpty, let local = configuration.upstream.bindAddress {
            return uplink.failed(step: step, .otherFamily(local), now: loop.now, jitter: jitter())
        }
        let effects = uplink.resolved(step: step, candidates: usable.count, now: loop.now)
        if !effects.isEmpty { candidates = usable }
        return effects
    }

    /// Whether a connection to this address can come from the `bind-address`, which is nothing to Unix sockets.
    private func isBindable(_ address: SocketAddress) -> Bool {
        guard let local = configuration.upstream.bindAddress, !address.isUnix else { return true }
        return address.isIPv6 == local.contains(":")
    }

    private func connect(step: UInt64, candidate: Int) -> [Uplink.Effect] {
        do throws(SystemError) {
            let peer = candidates[candidate]
            let local = peer.isUnix ? nil : try configuration.upstream.bindAddress.map(SocketAddress.local)
            let socket = try FileDescriptor.connecting(to: peer, from: local, probing: keepalive)
            let racer = try UpstreamConnection(socket, to: peer, step: step, bridge: self)
            racers[step] = racer
            return racer.stage == .connecting ? [] : opened(step: step)
        } catch {
            dialled = candidates[candidate].description
            let reason =
                if error.call.description == "bind", let address = configuration.upstream.bindAddress {
                    Uplink.Reason.notBound(address, errno: error.code)
                } else {
                    Uplink.Reason.system(error)
                }
            return uplink.failed(step: step, reason, now: loop.now, jitter: jitter())
        }
    }

    /// When the kernel asks whether the upstream is still there.
    var keepalive: FileDescriptor.Probing? {
        let settings = configuration.upstream.keepalive
        return settings.idle.map {
            FileDescriptor.Probing(idle: $0, interval: settings.interval, count: settings.count)
        }
    }

    func upstreamOpened(step: UInt64) { perform(opened(step: step)) }

    private func opened(step: UInt64) -> [Uplink.Effect] {
        connection = racers.removeValue(forKey: step)
        dialled = connection?.address
        return uplink.opened(step: step, now: loop.now)
    }

    /// Makes a new connection at once, whatever the uplink is doing or waiting for.
    public func reconnect() {
        perform(uplink.reconnect(now: loop.now))
        requestTurn()
    }

    func upstreamFailed(step: UInt64, _ reason: Uplink.Reason) {
        let lost = unacknowledged(step: step)
        perform(uplink.failed(step: step, reason, now: loop.now, jitter: jitter()))
        record(.unacknowledged, lost)
    }

    /// What clients have sent that is not sent again, and that the upstream's kernel may not have.
    func unacknowledged(step: UInt64) -> Amount {
        guard readySince != nil, let connection, connection.step == step, !connection.isLocal else {
            return Amount()
        }
        return Amount(bytes: max(0, connection.unacknowledgedOfMessages - outbox.bytesOfUnfinished))
    }

    // MARK: States

    private func announce(_ state: Uplink.State) {
        switch state {
        case .setup: preconditionFailure("the start is never announced")
        case .preparing(.resolving(let endpoint)):
            dialled = nil
            show(.resolving(configuration.upstream.uplink.endpoints[endpoint]))
        case .preparing(.connecting(_, let candidate)): show(.connecting(candidates[candidate].description))
        case .preparing(.securing): show(.securing(dialled ?? ""))
        case .preparing(.greeting(_, let step)): show(.greeting(dialled ?? "", step: step))
        case .ready: becameReady()
        case .waiting(let failure, let until):
            show(.waiting(failure.reason, address: address(of: failure), until: until, lifetime: lifetime))
            lifetime = nil
            if !isAway { hold() }
        case .resting(let endpoint, let until):
            lifetime = nil
            show(.resting(address(ofEndpoint: endpoint), until: until))
        case .cancelled: show(.cancelled)
        }
    }

    /// What was tried last, or connected to.
    private func address(of failure: Uplink.Failure) -> String { address(ofEndpoint: failure.endpoint) }

    private func address(ofEndpoint endpoint: Int) -> String {
        dialled ?? configuration.upstream.uplink.endpoints[endpoint].description
    }

    private func show(_ state: UplinkState) {
        uplinkState = state
        report(.uplink(state))
    }

    private func becameReady() {
        guard let connection else { preconditionFailure("ready without a connection") }
        readySince = loop.now
        surroundings?.hearRoutes(false)
        disarm(.hold)
        isDiscarding = false
        isAway = false
        if let limit = configuration.upstream.idleTimeout {
            let watch = IdleWatch(limit: limit, ready: loop.now)
            idleWatch = watch
            if let deadline = watch.deadline { arm(.idle, at: deadline) }
        }
        if case .pause(let gap) = configuration.upstream.framing.boundary { gapWatch = GapWatch(gap: gap) }
        startHeartbeat()
        connection.secretsAreOver()
        limitUnacknowledged(connection)
        dialled = connection.address
        show(.ready(connection.address, attempts: uplink.attempts))
        requestTurn()
    }

    /// Not before: the kernel would apply it to the attempt to connect as well, which has a limit of its own.
    private func limitUnacknowledged(_ connection: UpstreamConnection) {
        guard let limit = configuration.upstream.writeTimeout, !connection.isLocal else {
            return
        }
        // Without it, what waits in the outbox still tells.
        try? connection.limitUnacknowledged(to: limit)
    }

    private func closeRacer(_ step: UInt64, because reason: Uplink.Reason? = nil) {
        guard let racer = racers.removeValue(forKey: step) ?? connection, racer.step == step else { return }
        if racer === connection {
            connection = nil
            endGreeting()
        }
        dialled = racer.address
        if let reason { report(.attemptFailed(racer.address, reason)) }
        racer.close()
    }

    private func abandon() {
        for step in racers.keys.sorted() { closeRacer(step) }
        connection?.close()
        connection = nil
        endGreeting()
        record(.cutOff, Amount(bytes: prologue.count))
        prologue = []
        guard let since = readySince else { return }
        lifetime = loop.now - since
        readySince = nil
        surroundings?.hearRoutes(true)
        idleWatch = nil
        disarm(.idle)
        endGaps()
        endHeartbeat()
        writeWatch = nil
        disarm(.write)
        probeStart = nil
        disarm(.probe)
        outbox.connectionLost()
        hasUndecodedLoss = true
        finishLoss()
        // Between two connections of which the first was complete the upstream is not away.
        if !uplink.isResting { hold() }
    }

    /// Throws away what the lost connection left unfinished, once all its whole messages are in the log.
    private func finishLoss() {
        guard hasUndecodedLoss, !log.hasUndecoded else { return }
        hasUndecodedLoss = false
        record(.cutOff, Amount(bytes: log.connectionLost()))
    }

    // MARK: Receiving

    var canReceive: Bool {
        guard let connection, readySince != nil, !hasUndecodedLoss else { return false }
        return (connection.isReadable || !prologue.isEmpty) && log.space > 0
    }

    func receive() {
        if log.canResume { return decode { () throws(FramingError) in try log.resume() } }
        guard canReceive, let connection else { return }
        guard prologue.isEmpty else { return receivePrologue() }
        do throws(SystemError) {
            let transfer = try log.withFreeSpace(atMost: Self.readLimit) { bytes throws(SystemError) in
                try connection.receive(into: &bytes)
            }
            switch transfer {
            case .moved(let count):
                totals.received.bytes += count
                idleWatch?.received(at: loop.now)
                restartGap()
                decode { () throws(FramingError) in try log.received(count) }
            case .wouldBlock:
                if let error = connection.sendError { return lost(connection, error) }
                foundNothing(connection)
            case .ended: ended(connection)
            }
        } catch {
            guard error.isShortage else { return lost(connection, error) }
            connection.rest()
            shortage()
        }
    }

    /// Everything that came from the upstream was read.
    private func ended(_ connection: UpstreamConnection) {
        let said = connection.brokenOff
        // An alert tells why nothing was taken any more, though that was found first.
        if case .tls? = said, let said { return upstreamFailed(step: connection.step, said) }
        guard let error = connection.sendError, said == nil || error.code != EPIPE else {
            guard let said else { return endedInGoodOrder(connection) }
            return upstreamFailed(step: connection.step, said)
        }
        // It was told to the sender already: as EPIPE if an end in good order had come before it.
        if error.code == EPIPE, isEndOfMessage { return endedInGoodOrder(connection) }
        lost(connection, error)
    }

    /// What came together with the dialogue before everything else.
    private func receivePrologue() {
        let count = log.withFreeSpace(atMost: prologue.count) { room in
            for index in 0..<room.count { room[index] = prologue[prologue.startIndex + index] }
            return room.count
        }
        restartGap()
        prologue = prologue.dropFirst(count)
        if prologue.isEmpty { prologue = [] }
        totals.received.bytes += count
        decode { () throws(FramingError) in try log.received(count) }
    }

    func lost(_ connection: UpstreamConnection, _ error: SystemError) {
        let reason: Uplink.Reason =
            if error.isTimeout && probeStart != nil {
                .addressGone
            } else if error.isTimeout && readySince != nil && connection.unacknowledged == 0 {
                .keepaliveUnanswered
            } else if error.isTimeout && readySince != nil && configuration.upstream.writeTimeout != nil {
                .stuck
            } else {
                .system(error)
            }
        upstreamFailed(step: connection.step, reason)
    }

    func decode(_ body: () throws(FramingError) -> Int) {
        let (head, count, answers) = (log.head, log.messages, log.answerCount)
        let (oversize, damaged, between, first) = (log.oversize, log.damaged, log.between, log.first)
        defer {
            // The first message may have been one.
            if log.answerCount != answers || log.first != first { heartbeatWatch?.answered() }
            totals.received.messages += Int(log.messages - count)
            record(.oversize, log.oversize.amount(since: oversize))
            record(.damaged, log.damaged.amount(since: damaged))
            record(.between, log.between.amount(since: between))
            record(.first, log.first.amount(since: first))
        }
        do throws(FramingError) {
            _ = try body()
            finishLoss()
        } catch {
            let rest = Amount(bytes: log.connectionLost())
            if hasUndecodedLoss {
                hasUndecodedLoss = false
            } else if let connection {
                upstreamFailed(step: connection.step, .framing(error))
            }
            record(.malformed, rest)
        }
        if log.head != head { isFanOutNeeded = true }
    }

    /// While reading is paused, the end of a connection waits behind what is unread: people are told at once.
    func watchEnd() {
        guard isReadingPaused, let connection, connection.hasEnded, case .ready(let address, _) = uplinkState
        else { return }
        show(.ended(address))
    }

    // MARK: Idleness

    /// A connection that we do not read cannot be found idle.
    func watchIdle() {
        guard idleWatch != nil else { return }
        guard !isReadingPaused else {
            idleWatch?.paused()
            return
        }
        idleWatch?.resumed(at: loop.now)
        if !isArmed(.idle), let deadline = idleWatch?.deadline { arm(.idle, at: deadline) }
    }

    func idleTimerFired() {
        guard let connection, let deadline = idleWatch?.deadline else { return }
        guard deadline <= loop.now else { return arm(.idle, at: deadline) }
        // The process stood still, not the upstream: what has arrived is read in this turn, and the watch starts anew.
        guard !connection.isReadable else { return }
        upstreamFailed(step: connection.step, .idle)
    }
}

extension Bridge: ReadinessHandler {
    /// The resolver has answered.
    public func becameReady(_ readiness: Readiness) {
        for answer in resolver.answers.takeAll() {
            switch answer.result {
            case .success(let addresses) where !addresses.isEmpty:
                perform(resolved(step: answer.ticket, addresses))
            case .success:
                upstreamFailed(
                    step: answer.ticket, .unresolved("the name has no address", isLasting: true))
            case .failure(let error):
                upstreamFailed(
                    step: answer.ticket,
                    .unresolved(error.description, isLasting: error.isOfName))
            }
        }
    }
}
