import Framing
import Linux

extension Connection {
    /// Bytes that are made and sent at once.
    static let batch = 256 << 10

    /// Sends what waits; if nothing does, what is due.
    func pump() {
        switch phase {
        case .open, .finishing: break
        case .halfClosed, .settling, .draining, .ended: return
        }
        guard !isInHandshake, !isBlocked, chunkDue.map({ $0 <= server.loop.now }) ?? true else { return }
        do {
            if queue.pending == 0 { try fill() }
            try flush()
        } catch {
            return end("\(error)")
        }
        updateInterest()
        guard queue.pending == 0 else { return awaitNextChunk() }
        if case .finishing = phase { close() } else { awaitNextMessage() }
    }

    private func fill() throws(UnrepresentableError) {
        guard case .open = phase else { return }
        if options.continuesNumbers { nextMessage = server.nextMessage }
        let due = options.isSilent ? 0 : min(schedule.due(by: server.loop.now), options.count ?? .max)
        let allowed = min(due - queuedOwn, (options.dropAfter ?? .max) - queued)
        let count = try queue.append(
            from: server.source, first: nextMessage, atMost: allowed, upTo: Self.batch)
        nextMessage &+= UInt64(count)
        queuedOwn += count
        queued += count
        if options.continuesNumbers { server.nextMessage = nextMessage }
        try finishIfAllQueued()
    }

    /// Begins to finish when no message may follow; an unfinished one may.
    func finishIfAllQueued() throws(UnrepresentableError) {
        guard case .open = phase else { return }
        let isCounted = options.afterCount != .keep && queuedOwn == options.count
        guard isCounted || queued == options.dropAfter else { return }
        phase = .finishing
        guard options.cut > 0 else { return }
        let frame = try server.source.frame(nextMessage)
        queue.append(raw: Array(frame.prefix(min(options.cut, frame.count - 1))))
    }

    private func flush() throws(SystemError) {
        guard queue.pending > 0 else { return }
        let size = min(queue.pending, options.chunk)
        let transfer = try queue.withPending { bytes throws(SystemError) in
            try sendOnce(bytes.extracting(first: size))
        }
        isBlocked = true
        if case .moved(let count) = transfer {
            isBlocked = count < size
            let progress = queue.moved(count, record: server.record)
            sent += progress.messages
            sentOwn += progress.own
            server.record?.flush()
        }
        chunkDue = options.pause > .zero ? server.loop.now + options.pause : nil
    }

    private func awaitNextChunk() {
        guard !isBlocked else { return }
        if let chunkDue { return armTimer(at: chunkDue) }
        requestTurn()
    }

    private func awaitNextMessage() {
        guard !options.isSilent, queuedOwn < options.count ?? .max else { return }
        let due = [schedule.instant(of: queuedOwn), chunkDue].compactMap(\.self).max()
        if let due, due > server.loop.now {
            if timer == nil { armTimer(at: due) }
        } else {
            requestTurn()
        }
    }

    func requestTurn() {
        guard !hasTurn else { return }
        hasTurn = true
        server.loop.requestTurn(self)
    }
}
