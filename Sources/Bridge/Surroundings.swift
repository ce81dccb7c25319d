import Linux

/// What of the machine tells that an attempt to connect may succeed now, or that a connection may be dead.
///
/// None of it is essential: what cannot be watched is not, and the uplink's own timers do the rest.
final class Surroundings: ReadinessHandler, TimerHandler {
    /// The shortest time from one look to the next, however much changes: on a router routes do all the time.
    private static let rest = Duration.milliseconds(50)
    /// What getaddrinfo(3) reads. Where systemd-resolved is asked, its configuration stays, and the last of these has the
    /// servers that it asks itself.
    private static let resolverFiles = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/run/systemd/resolve/resolv.conf",
    ]

    private let network = try? NetworkWatch()
    private let suspend: SuspendWatch?
    private let resolver = try? NameWatch(resolverFiles)
    private unowned let bridge: Bridge
    private var registrations: [Registration] = []

    /// - Parameters:
    ///   - bridge: Is told, and outlives this.
    ///   - suspend: Tells of a resume.
    init(of bridge: Bridge, suspend: SuspendWatch? = try? SuspendWatch()) {
        self.bridge = bridge
        self.suspend = suspend
        if let network { watch(network.descriptor) }
        if let suspend { watch(suspend.descriptor) }
        if let resolver { watch(resolver.descriptor) }
    }

    private func watch(_ descriptor: borrowing FileDescriptor) {
        guard let registration = try? bridge.loop.add(descriptor, for: .readable, handler: self) else {
            return
        }
        registrations.append(registration)
    }

    /// A connection that stands has no use for routes, and an idle bridge sleeps.
    func hearRoutes(_ hears: Bool) { network?.hearRoutes(hears) }

    func becameReady(_ readiness: Readiness) {
        if suspend?.reset() ?? false { bridge.networkChanged(.resumed) }
        if resolver?.reset() ?? false { bridge.networkChanged(.resolverConfigured) }
        if let network { look(at: network.takeChanges()) }
        for registration in registrations { try? bridge.loop.modify(registration, for: []) }
        _ = bridge.loop.arm(at: bridge.loop.now + Self.rest, handler: self)
    }

    private func look(at changes: NetworkChanges) {
        if changes.isIncomplete {
            bridge.networkChanged(.missed)
        } else if changes.hasAppeared {
            bridge.networkChanged(.appeared)
        }
        bridge.addressesGone { changes.isIncomplete || changes.gone.contains($0) }
    }

    func timerFired(_ timer: TimerID) {
        for registration in registrations { try? bridge.loop.modify(registration, for: .readable) }
    }
}
