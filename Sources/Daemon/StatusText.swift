import Bridge
import Glibc
import Uplink

/// The line that `systemctl status` shows.
struct StatusText {
    private var state: UplinkState?
    /// When the connection became ready, by the wall clock.
    private var readySince = ""

    mutating func show(_ state: UplinkState) {
        if case .ready = state { readySince = Self.timeOfDay(after: .zero) }
        self.state = state
    }

    func text(clients: Int, rates: Rates, now: ContinuousClock.Instant) -> String {
        let text = "\(uplink(now: now)), \(counted(clients, "client"))"
        guard case .ready = state else { return text }
        return "\(text), \(rates.text)"
    }

    private func uplink(now: ContinuousClock.Instant) -> String {
        switch state {
        case nil: "starting"
        case .resolving(let endpoint): "resolving \(endpoint)"
        case .connecting(let address): "connecting to \(address)"
        case .ready(let address, _): "ready \(address) since \(readySince)"
        case .waiting(let reason, let address, let until, let lifetime):
            "waiting until \(Self.timeOfDay(after: until - now)): "
                + reason.text(address: address, wasReady: lifetime != nil)
        case .ended(let address): "ended by \(address), slow clients have yet to read"
        case .cancelled: "stopping"
        }
    }

    /// `12:00:05`, local time.
    private static func timeOfDay(after delay: Duration) -> String {
        // Rounded up: not before the delay has passed.
        var seconds = time(nil) + time_t((delay / .seconds(1)).rounded(.up))
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        let fields = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
