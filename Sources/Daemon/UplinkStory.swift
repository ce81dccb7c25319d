import Bridge
import Control
import Glibc
import Uplink

/// What people are told of the connection to the upstream: how it stands, since when, and how it came to that.
struct UplinkStory {
    /// The addresses that are remembered.
    private static let addressLimit = 16

    private(set) var state: UplinkState?
    /// When it came to be so.
    private var since: ContinuousClock.Instant
    /// The same by the wall clock of that moment.
    private var sinceTimeOfDay = ""
    /// What is connected or tried, or was last.
    private var upstream = ""
    /// Why there is no connection; `nil` while there is one, or none was tried yet.
    private var reason: String?
    /// In vain, since the last connection.
    private var attempts = 0
    private var connections = 0
    /// Those tried since the last connection, that one's own among them.
    private var addresses: [String] = []

    init(now: ContinuousClock.Instant) { since = now }

    mutating func changed(to state: UplinkState, now: ContinuousClock.Instant) {
        self.state = state
        since = now
        sinceTimeOfDay = timeOfDay(after: .zero)
        switch state {
        case .resolving(let endpoint): upstream = "\(endpoint)"
        case .connecting(let address):
            upstream = address
            tries(address)
        case .ready(let address, _):
            upstream = address
            tries(address)
            connections += 1
            attempts = 0
            reason = nil
        case .ended(let address): upstream = address
        case .waiting(let failure, let address, _, let lifetime):
            upstream = address
            reason = failure.text(address: address, wasReady: lifetime != nil)
            if lifetime == nil { attempts += 1 } else { addresses = [] }
        case .cancelled: break
        }
    }

    private mutating func tries(_ address: String) {
        addresses.removeAll { $0 == address }
        addresses.append(address)
        if addresses.count > Self.addressLimit { addresses.removeFirst() }
    }

    /// The beginning of the line that `systemctl status` shows.
    func text(now: ContinuousClock.Instant) -> String {
        switch state {
        case nil: "starting"
        case .resolving: "resolving \(upstream)"
        case .connecting: "connecting to \(upstream)"
        case .ready: "ready \(upstream) since \(sinceTimeOfDay)"
        case .waiting(_, _, let until, _):
            "waiting until \(timeOfDay(after: until - now)): \(reason ?? "")"
        case .ended: "ended by \(upstream), slow clients have yet to read"
        case .cancelled: "stopping"
        }
    }

    func description(now: ContinuousClock.Instant) -> UplinkDescription {
        let (name, next): (UplinkDescription.State, ContinuousClock.Instant?) =
            switch state {
            case nil: (.starting, nil)
            case .resolving: (.resolving, nil)
            case .connecting: (.connecting, nil)
            case .ready: (.ready, nil)
            case .ended: (.ended, nil)
            case .waiting(_, _, let until, _): (.waiting, until)
            case .cancelled: (.stopping, nil)
            }
        return UplinkDescription(
            state: name, upstream: upstream, since: wallMicroseconds(of: since, now: now), reason: reason,
            nextAttempt: next.map { wallMicroseconds(of: $0, now: now) }, attempts: attempts,
            connections: connections, addresses: addresses)
    }
}

/// `12:00:05`, local time.
private func timeOfDay(after delay: Duration) -> String {
    // Rounded up: not before the delay has passed.
    var seconds = time(nil) + time_t((delay / .seconds(1)).rounded(.up))
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    let fields = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
    return fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}

/// Microseconds since 1970 by the wall clock as it stands, of a moment that may be long ago or still to come.
func wallMicroseconds(of instant: ContinuousClock.Instant, now: ContinuousClock.Instant) -> Int {
    var wall = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &wall)
    return wall.tv_sec * 1_000_000 + wall.tv_nsec / 1000 + Int((instant - now) / .microseconds(1))
}
