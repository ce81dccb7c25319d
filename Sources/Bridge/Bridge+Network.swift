import Linux
import Uplink

/// The machine's network comes and goes.
extension Bridge {
    /// How long the upstream has for its answer. It is asked three times.
    private static let probeLimit = Duration.milliseconds(3500)
    /// What came so shortly after the question may have been under way.
    private static let probeSlack = Duration.milliseconds(100)

    /// An attempt may succeed now.
    func networkChanged(_ change: NetworkChange) {
        let effects = uplink.networkChanged(now: loop.now)
        let begins = effects.contains { if case .resolve = $0 { true } else { false } }
        if begins { report(.networkChanged(change)) }
        perform(effects)
    }

    /// Asks the upstream whether it answers, if the address that the connection comes from is one of those that have gone.
    func addressesGone(_ isGone: ([UInt8]) -> Bool) {
        guard let connection, readySince != nil, probeStart == nil, let host = connection.localHost,
            isGone(host)
        else { return }
        // What cannot be asked is not taken for dead.
        guard (try? connection.probe(.urgent)) != nil else { return }
        report(.probing(connection.address))
        probeStart = loop.now
        arm(.probe, at: loop.now + Self.probeLimit)
    }

    func probeTimerFired() {
        guard let connection, let start = probeStart else { return }
        let answered = connection.silence.map { $0 < loop.now - start - Self.probeSlack } ?? true
        guard answered else { return upstreamFailed(step: connection.step, .addressGone) }
        probeStart = nil
        try? connection.probe(keepalive)
    }
}
