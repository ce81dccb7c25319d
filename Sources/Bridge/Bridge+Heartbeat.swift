import Configuration
import Exchange
import Linux
import Uplink

/// What is sent to the upstream again and again, between two messages of clients.
extension Bridge {
    func startHeartbeat() {
        guard let settings = configuration.upstream.heartbeat else { return }
        let watch = HeartbeatWatch(
            every: settings.every, isAnswered: settings.answer != nil, ready: loop.now)
        heartbeatWatch = watch
        arm(.heartbeat, at: watch.due)
    }

    func endHeartbeat() {
        heartbeatWatch = nil
        heartbeat = []
        disarm(.heartbeat)
    }

    func heartbeatTimerFired() {
        guard let connection, var watch = heartbeatWatch, let settings = configuration.upstream.heartbeat
        else {
            return
        }
        switch watch.fired(now: loop.now, isReadable: connection.isReadable) {
        case .send: heartbeat = settings.bytes[...]
        case .wait: break
        case .unanswered: return upstreamFailed(step: connection.step, .heartbeatUnanswered)
        }
        heartbeatWatch = watch
        arm(.heartbeat, at: watch.due)
    }

    /// Sends what is left of it, behind what is left of a message that has been begun.
    func sendHeartbeat(on connection: UpstreamConnection) throws(SystemError) {
        if !outbox.isBetweenFrames {
            sent(try outbox.withUnfinished { bytes throws(SystemError) in try connection.send(bytes) })
            guard outbox.isBetweenFrames else { return }
        }
        let rest = heartbeat
        heartbeat = rest.dropFirst(try connection.send(rest.span))
        if heartbeat.isEmpty { heartbeatWatch?.sent(at: loop.now) }
    }

    /// An answer that we have not read is not missing.
    func watchHeartbeat() {
        guard heartbeatWatch != nil else { return }
        if isReadingPaused { heartbeatWatch?.paused() } else { heartbeatWatch?.resumed(at: loop.now) }
    }
}
