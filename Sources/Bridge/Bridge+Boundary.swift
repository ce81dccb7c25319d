import Configuration
import Exchange
import Framing
import Linux
import Uplink

/// Messages whose end is not in the bytes.
extension Bridge {
    /// The end of the connection in good order ends a message, or may.
    var isEndOfMessage: Bool {
        switch configuration.upstream.framing.boundary {
        case .bytes, .read: false
        case .pause, .close: true
        }
    }

    /// Everything was read that the upstream has sent, up to an end that nobody can have forged or hastened.
    func endedInGoodOrder(_ connection: UpstreamConnection) {
        finishMessage()
        guard case .close = configuration.upstream.framing.boundary else {
            return upstreamFailed(step: connection.step, .ended)
        }
        let lost = unacknowledged(step: connection.step)
        perform(
            uplink.completed(
                step: connection.step, isWanted: !outbox.isEmpty, now: loop.now, jitter: jitter()))
        record(.unacknowledged, lost)
    }

    private func finishMessage() {
        isGapDue = false
        gapWatch?.ended()
        decode { log.finish() }
    }

    // MARK: Pauses

    /// Nothing was there to be read.
    func foundNothing(_ connection: UpstreamConnection) {
        if isGapDue, !connection.isReadable { finishMessage() }
    }

    /// Bytes have come.
    func restartGap() {
        isGapDue = false
        gapWatch?.received(at: loop.now)
    }

    /// What we do not read may have come without a pause.
    func watchGap() {
        guard gapWatch != nil else { return }
        guard !isReadingPaused else {
            isGapDue = false
            gapWatch?.paused()
            return
        }
        gapWatch?.resumed(at: loop.now)
        if !isArmed(.gap), let deadline = gapWatch?.deadline { arm(.gap, at: deadline) }
    }

    /// The kernel is asked first: something may have arrived while the process stood still, or did something else.
    func gapTimerFired() {
        guard let connection, let deadline = gapWatch?.deadline else { return }
        guard deadline <= loop.now else { return arm(.gap, at: deadline) }
        if connection.look() { isGapDue = true } else { restartGap() }
    }

    func endGaps() {
        gapWatch = nil
        isGapDue = false
        disarm(.gap)
    }
}
