import Linux

/// When the kernel has no memory for a transfer (ENOBUFS, ENOMEM): that is nobody's fault, so nobody is disconnected.
extension Bridge {
    /// How long those rest for whom there was no memory.
    private static let rest = Duration.milliseconds(100)

    /// Tries again after a while everything that rests. Patience and idle-timeout bound how often.
    func shortage() {
        guard !isArmed(.shortage) else { return }
        arm(.shortage, at: loop.now + Self.rest)
        report(.shortage)
    }

    func shortageMayBeOver() {
        connection?.restEnded()
        for client in clients { client.restEnded() }
    }
}
