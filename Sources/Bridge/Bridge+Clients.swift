import Configuration
import Exchange
import Linux

/// Clients: how they come, are served, and leave.
extension Bridge {
    func admit(_ descriptor: consuming FileDescriptor, on socket: SocketSettings) throws(SystemError) {
        let credentials = try descriptor.peerCredentials()
        if let reason = admission.refusal(ofUser: credentials.uid) {
            // What it has sent by now would turn the end-of-file into a reset.
            descriptor.discardReceived(atMost: 64 << 10)
            return report(.refused(socket: socket.name, credentials, reason))
        }
        if !socket.maySend { try descriptor.shutDown(.reading) }
        let upstream = configuration.upstream
        let translated = translations.log(of: socket.name)
        // What was received before is not for it.
        if let translated, translated.readerCount == 0 { translated.skipSource() }
        let client = Client(
            descriptor,
            identity: ClientIdentity(
                number: newClientNumber(), socket: socket.name, pid: credentials.pid, uid: credentials.uid),
            patience: socket.patience, whenBehind: socket.whenBehind,
            reading: socket.maySend
                ? .frames(
                    Inlet(
                        framing: upstream.sendFraming, limit: upstream.maxMessage,
                        translator: translations.translator(of: socket.name))) : .refused,
            log: translated ?? log, bridge: self)
        try client.watch(in: loop)
        client.log.readerCount += 1
        client.slot = clients.count
        clients.append(client)
        clientOfNumber[client.identity.number] = client
        admission.admitted(user: credentials.uid, on: socket.name)
        report(.admitted(client.identity))
    }

    func leave(_ client: Client, _ reason: LeaveReason) {
        guard client.slot >= 0 else { return }
        client.unwatch(in: loop)
        if case .frames(let inlet) = client.reading {
            let rest = Amount(bytes: inlet.partialCount)
            if case .framing = reason { record(.malformed, rest) } else { record(.unfinished, rest) }
        }
        client.reading = .ended
        if client.isSkipping { endSkipping(client, hasCaughtUp: false) }
        let last = clients.removeLast()
        if last !== client {
            clients[client.slot] = last
            last.slot = client.slot
        }
        client.slot = -1
        client.log.readerCount -= 1
        clientOfNumber[client.identity.number] = nil
        admission.left(user: client.identity.uid, from: client.identity.socket)
        client.close()
        report(.left(client.identity, reason))
        for listener in listeners { listener.resume() }
        needsFanOut()
    }

    /// Sends to every client that is behind, and lets go of what nobody needs any more.
    func fanOut() {
        isFanOutNeeded = false
        translate()
        log.beginRelease()
        for translated in translations.logs { translated.beginRelease() }
        var i = 0
        while i < clients.count {
            let client = clients[i]
            if client.isWritable && !client.isHungUp && client.isBehind { flush(client) }
            // If it has left, the last client has taken its place.
            guard client.slot == i else { continue }
            if !client.isHungUp {
                client.log.need(client.cursor)
            } else if client.isReadingEnded {
                leave(client, .closed)
                continue
            }
            i += 1
        }
        for translated in translations.logs {
            translated.endRelease()
            log.need(translated.place)
        }
        log.endRelease()
        // With the room that there is now.
        if translations.canGoOn { isFanOutNeeded = true }
    }

    func flush(_ client: Client) {
        do throws(SystemError) {
            try client.flush()
        } catch {
            if error.isShortage {
                client.rest()
                return shortage()
            }
            guard error.isOfPeer else { return leave(client, .failed(error)) }
            client.hungUp()
            queueForReading(client)
        }
    }

    // MARK: Patience

    /// While the upstream is paused, or a translation held up, all who have patience are looked at again and again.
    func watchPatience() {
        guard let interval = patienceInterval else { return }
        let isPaused = isReadingPaused
        let isHeldUp = isPaused || translations.areStuck
        if isHeldUp && skippingClients > 0 { skipAheadAgain() }
        guard isPatienceDue || isHeldUp && !isArmed(.patience) else { return }
        isPatienceDue = false
        let now = loop.now
        let waiting = clients.filter { $0.isAtHead && !$0.isHungUp && !$0.isSkipping }
        let logsWaitedAt = Set(waiting.map { ObjectIdentifier($0.log) })
        var soonest = interval
        for client in clients.reversed() where !client.isHungUp && !client.isSkipping {
            guard let patience = client.patience else { continue }
            let hasNeighbour = logsWaitedAt.contains(ObjectIdentifier(client.log))
            let isHoldingUp = isHeldUp && isFarBehind(client) && (isPaused || hasNeighbour)
            let standing = Backlog.Standing(
                isHoldingUp: isHoldingUp, isAnotherAtHead: isPaused ? !waiting.isEmpty : hasNeighbour,
                progress: isHoldingUp ? client.progress : 0)
            let left = client.backlog.look(
                standing, patience: patience, longest: interval * 2, now: now)
            if left <= .zero && isHoldingUp {
                usedUpPatience(client)
            } else if isHoldingUp {
                soonest = min(soonest, left)
            }
        }
        if isHeldUp { arm(.patience, at: now + soonest) }
    }

    /// Whether it may be what the upstream, or those who read what it reads, wait for.
    private func isFarBehind(_ client: Client) -> Bool {
        guard client.log.isMoreThanHalfBehind(client.cursor) else { return false }
        guard let translated = translations.log(of: client.identity.socket) else { return isReadingPaused }
        return translated.isStuck
    }

    private func usedUpPatience(_ client: Client) {
        let bytes = Int(client.log.head - client.cursor.position)
        switch client.whenBehind {
        case .disconnect: leave(client, .behind(bytes: bytes))
        case .drop:
            skippingClients += 1
            report(.fellBehind(client.identity, bytes: bytes))
            skipAhead(client)
        }
    }

    private func skipAhead(_ client: Client) {
        record(.behind, client.skipToHead())
        needsFanOut()
    }

    /// Those whose patience was used up hold nobody up a second time.
    private func skipAheadAgain() {
        for client in clients where client.isSkipping && !client.isHungUp {
            if isFarBehind(client) { skipAhead(client) }
        }
    }

    func caughtUp(_ client: Client) { endSkipping(client, hasCaughtUp: true) }

    private func endSkipping(_ client: Client, hasCaughtUp: Bool) {
        skippingClients -= 1
        report(.missed(client.identity, client.missed, hasCaughtUp: hasCaughtUp))
        client.endSkipping()
    }
}
