import Configuration
import Exchange
import Framing
import Linux
import Uplink

/// From the clients to the upstream.
extension Bridge {
    /// One read from a client is at most so large.
    private static let readLimit = 64 << 10

    func queueForReading(_ client: Client) {
        guard !client.isQueuedForReading, !client.isReadingEnded else { return }
        client.isQueuedForReading = true
        readQueue.append(client)
        requestTurn()
    }

    /// Reads once from each client that has something, as long as there is room.
    func readClients() {
        guard !readQueue.isEmpty else { return }
        swap(&readQueue, &clientsToRead)
        outbox.beginRound()
        for client in clientsToRead {
            if read(client) {
                readQueue.append(client)
            } else {
                client.isQueuedForReading = false
            }
        }
        clientsToRead.removeAll(keepingCapacity: true)
    }

    /// - Returns: Whether there may be more.
    private func read(_ client: Client) -> Bool {
        switch client.reading {
        case .ended:
            return false
        case .refused:
            let (count, hasEnded) = client.discardReceived()
            record(.notAllowed, Amount(bytes: count))
            if hasEnded { readingEnded(client) }
            return false
        case .frames(let inlet):
            return read(client, inlet)
        }
    }

    private func read(_ client: Client, _ inlet: Inlet) -> Bool {
        // Before anything more is read.
        guard !inlet.hasUndecoded else { return received(0, from: client, inlet) }
        do throws(SystemError) {
            let transfer = try outbox.withFreeSpace(for: inlet, atMost: Self.readLimit) {
                bytes throws(SystemError) in try client.receive(into: &bytes)
            }
            switch transfer {
            case nil:
                isOutboxFull = true
                guard client.isGone else { return true }
                readingEnded(client)
                return false
            case .wouldBlock:
                return false
            case .ended:
                readingEnded(client)
                return false
            case .moved(let count):
                return received(count, from: client, inlet)
            }
        } catch {
            readingFailed(client, error)
            return false
        }
    }

    private func readingFailed(_ client: Client, _ error: SystemError) {
        if error.isShortage {
            client.rest()
            shortage()
        } else if error.isOfPeer {
            // A reset: whatever it had sent before was read.
            client.hungUp()
            readingEnded(client)
        } else {
            leave(client, .failed(error))
        }
    }

    private func received(_ count: Int, from client: Client, _ inlet: Inlet) -> Bool {
        let (damaged, between) = (outbox.damaged, outbox.between)
        defer {
            record(.clientDamaged, outbox.damaged.amount(since: damaged))
            if !inlet.framing.repeatsDividers {
                record(.clientBetween, outbox.between.amount(since: between))
            }
            if isDiscarding { discardOutbox(.upstreamAway) }
            if !outbox.isEmpty { perform(uplink.wanted(now: loop.now)) }
        }
        do throws(FramingError) {
            client.received(Amount(messages: try outbox.received(count, from: inlet), bytes: count))
            return translated(from: client, inlet)
        } catch {
            reportLosses(of: client, inlet)
            leave(client, .framing(error))
            return false
        }
    }

    /// Takes the whole messages that were read and had to wait for room in the outbox.
    func takeUndecoded() {
        for client in clients {
            if case .frames(let inlet) = client.reading, inlet.hasUndecoded {
                _ = received(0, from: client, inlet)
            }
        }
    }

    /// - Returns: Whether there may be more.
    private func translated(from client: Client, _ inlet: Inlet) -> Bool {
        reportLosses(of: client, inlet)
        if inlet.hasUndecoded { isOutboxFull = true }
        guard let fault = inlet.fault else { return true }
        leave(client, .unrepresentable(fault, .toUpstream))
        return false
    }

    private func reportLosses(of client: Client, _ inlet: Inlet) {
        guard let losses = inlet.translator?.takeLosses(), !losses.isEmpty else { return }
        report(losses, client.identity.socket, .toUpstream, disconnects: inlet.fault != nil)
    }

    /// The client sends nothing more, but may well go on receiving.
    private func readingEnded(_ client: Client) {
        if case .frames(let inlet) = client.reading {
            record(.unfinished, Amount(bytes: inlet.partialCount))
        }
        client.reading = .ended
        if client.isHungUp { leave(client, .closed) }
    }

    // MARK: The upstream

    func sendOutbox() {
        guard let connection, readySince != nil, !connection.isSendBlocked, hasToSend else { return }
        do throws(SystemError) {
            if !heartbeat.isEmpty {
                try sendHeartbeat(on: connection)
                guard heartbeat.isEmpty, !connection.isSendBlocked, !outbox.isEmpty else { return }
            }
            sent(try outbox.withPending { bytes throws(SystemError) in try connection.send(bytes) })
        } catch {
            guard error.isShortage else { return connection.sendingFailed(error) }
            connection.rest()
            shortage()
        }
    }

    private var hasToSend: Bool { !outbox.isEmpty || !heartbeat.isEmpty }

    /// So many bytes of clients' messages were sent.
    func sent(_ count: Int) {
        totals.sent.bytes += count
        totals.sent.messages += outbox.sent(count)
        guard count > 0 else { return }
        isOutboxFull = false
        if let connection { connection.endOfMessages = connection.sentBytes }
    }

    /// While something waits that the kernel does not take, the connection is looked at again and again.
    func watchWriting() {
        guard let limit = configuration.upstream.writeTimeout else { return }
        guard let connection, readySince != nil, connection.isSendBlocked, connection.sendError == nil,
            hasToSend
        else {
            guard writeWatch != nil else { return }
            writeWatch = nil
            return disarm(.write)
        }
        guard writeWatch == nil else { return }
        let watch = WriteWatch(limit: limit, progress: connection.progress, now: loop.now)
        writeWatch = watch
        arm(.write, at: watch.due)
    }

    func writeTimerFired() {
        guard let connection, var watch = writeWatch else { return }
        guard !watch.isStuck(progress: connection.progress, now: loop.now) else {
            return upstreamFailed(step: connection.step, .stuck)
        }
        writeWatch = watch
        arm(.write, at: watch.due)
    }

    /// The upstream is away: what clients send waits, but not for ever.
    func hold() {
        isAway = true
        switch configuration.whenDown {
        case .discard: discardHeld()
        case .hold:
            guard let limit = configuration.holdTime else { return }
            arm(.hold, at: loop.now + limit)
        }
    }

    func discardHeld() {
        isDiscarding = true
        discardOutbox(.upstreamAway)
    }

    func discardOutbox(_ reason: DiscardReason) {
        let (frames, bytes) = outbox.discard()
        record(reason, Amount(messages: frames, bytes: bytes))
        isOutboxFull = false
    }
}
