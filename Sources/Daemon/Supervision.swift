import Configuration
import Linux
import Systemd

/// What the service manager hears besides the status: that the service has started, or may need longer to, that its loop
/// turns, and that it is about to end.
final class Supervision {
    /// While it waits for the upstream, the start may take so much longer, and this is said so often.
    private static let startExtension = Duration.seconds(60)
    private static let extensionInterval = Duration.seconds(20)

    private enum Phase {
        /// An upstream on this machine may be connected before clients can be.
        case starting(isConnected: Bool)
        /// For the upstream.
        case waiting(Heartbeat)
        /// Started, or about to end.
        case settled
    }

    private let notifier: Notifier
    private let loop: EventLoop
    private let readyWhen: Configuration.ReadyWhen
    private let watchdog: Heartbeat?
    private var phase = Phase.starting(isConnected: false)

    /// - Parameters:
    ///   - notifier: Tells the manager.
    ///   - loop: Its timers.
    ///   - readyWhen: What the start waits for.
    ///   - watchdogInterval: How often the watchdog is fed; `nil` without one.
    init(
        _ notifier: Notifier, loop: EventLoop, readyWhen: Configuration.ReadyWhen, watchdogInterval: Duration?
    ) {
        self.notifier = notifier
        self.loop = loop
        self.readyWhen = readyWhen
        watchdog = watchdogInterval.map { Heartbeat(every: $0, on: loop) { notifier.alive() } }
    }

    /// Clients can connect.
    func listening() {
        guard case .starting(let isConnected) = phase else { return }
        guard readyWhen == .connected, !isConnected else { return started() }
        let notifier = notifier
        phase = .waiting(
            Heartbeat(every: Self.extensionInterval, on: loop) {
                notifier.extendStart(by: Self.startExtension)
            })
    }

    /// The upstream is connected.
    func connected() {
        switch phase {
        case .starting: phase = .starting(isConnected: true)
        case .waiting(let extensions):
            extensions.stop()
            started()
        case .settled: break
        }
    }

    private func started() {
        phase = .settled
        notifier.ready()
    }

    /// The service is about to end.
    func stopping() {
        // The manager would take more extensions for those of the stop.
        if case .waiting(let extensions) = phase { extensions.stop() }
        phase = .settled
        notifier.stopping()
    }
}
