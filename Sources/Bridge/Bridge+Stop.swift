import Exchange
import Linux
import Uplink

/// The orderly end.
extension Bridge {
    /// Accepts and reads no client any more, sends what the outbox still holds, then gives the clients what they have not
    /// had yet, all for at most `limit`; then reports `stopped`. A second call ends the waiting.
    public func stop(draining limit: Duration) {
        guard stage == .running else { return finishStopping() }
        stage = .drainingOutbox
        closeListeners()
        arm(.drain, at: loop.now + limit)
        requestTurn()
    }

    func continueStopping() {
        if stage == .drainingOutbox { takeUndecoded() }
        if stage == .drainingOutbox && (readySince == nil || outbox.isEmpty) {
            stage = .drainingClients
            perform(uplink.cancelled())
            fanOut()
        }
        if stage == .drainingClients && translations.areUpToDate
            && clients.allSatisfy({ $0.isHungUp || $0.isUpToDate })
        {
            finishStopping()
        }
    }

    func finishStopping() {
        guard stage != .stopped else { return }
        perform(uplink.cancelled())
        stage = .stopped
        for timer in Timer.allCases { disarm(timer) }
        discardOutbox(.stopped)
        for client in clients.reversed() { leave(client, .stopped) }
        report(.stopped)
    }
}
