import Bridge
import Control
import Linux
import Uplink

/// What people are told of the connection to the upstream: how it stands, since when, and how it came to that.
struct UplinkStory {
    /// The addresses that are remembered.
    private static let addressLimit = 16

    private(set) var state: UplinkState?
    /// When it came to be so, and since when there has been no connection: microseconds since 1970.
    private var since = wallMicroseconds()
    private var outageSince: Int?
    /// What is connected or tried, or was last.
    private var upstream = ""
    /// Why there is no connection; `nil` while there is one, or none was tried yet.
    private var reason: String?
    /// In vain, since the last connection.
    private var attempts = 0
    private var connections = 0
    /// Those tried since the last connection, that one's own among them.
    private var addresses: [AddressDescription] = []

    init() { outageSince = since }

    mutating func changed(to state: UplinkState) {
        self.state = state
        since = wallMicroseconds()
        switch state {
        case .resolving(let endpoint): upstream = "\(endpoint)"
        case .connecting(let address):
            upstream = address
            tries(address)
        case .securing(let address), .greeting(let address, _): upstream = address
        case .ready(let address, _):
            upstream = address
            tries(address)
            connections += 1
            attempts = 0
            reason = nil
            outageSince = nil
        case .ended(let address): upstream = address
        case .waiting(let failure, let address, _, let lifetime):
            upstream = address
            reason = failure.text(address: address, wasReady: lifetime != nil)
            if outageSince == nil { outageSince = since }
            if lifetime == nil { attempts += 1 } else { addresses = [] }
            failed(address, failure)
        case .resting(let address, _):
            upstream = address
            outageSince = nil
            addresses = []
        case .cancelled: break
        }
    }

    private mutating func tries(_ address: String) {
        addresses.removeAll { $0.address == address }
        addresses.append(AddressDescription(address: address, reason: nil))
        if addresses.count > Self.addressLimit { addresses.removeFirst() }
    }

    /// An address was tried in vain.
    mutating func failed(_ address: String, _ reason: Uplink.Reason) {
        guard let index = addresses.firstIndex(where: { $0.address == address }) else { return }
        addresses[index].reason = reason.text(address: address, wasReady: false)
    }

    /// The beginning of the line that `systemctl status` shows.
    func text(now: ContinuousClock.Instant) -> String {
        switch state {
        case nil: "starting"
        case .resolving: "resolving \(upstream)"
        case .connecting: "connecting to \(upstream)"
        case .securing: "beginning TLS with \(upstream)"
        case .greeting(_, let step): "connected to \(upstream), at step \(step + 1) of on-connect"
        case .ready: "ready \(upstream) since \(timeOfDay(since))"
        case .waiting(_, _, let until, _):
            "waiting until \(timeOfDay(Self.wallTime(of: until, now: now, isRoundedUp: true))): \(reason ?? "")"
        case .resting(_, let until):
            "resting until \(timeOfDay(Self.wallTime(of: until, now: now, isRoundedUp: true))):"
                + " what \(upstream) sends is complete"
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
            case .securing: (.securing, nil)
            case .greeting: (.greeting, nil)
            case .ready: (.ready, nil)
            case .ended: (.ended, nil)
            case .waiting(_, _, let until, _): (.waiting, until)
            case .resting(_, let until): (.resting, until)
            case .cancelled: (.stopping, nil)
            }
        return UplinkDescription(
            state: name, upstream: upstream, since: since, outageSince: outageSince, reason: reason,
            nextAttempt: next.map { Self.wallTime(of: $0, now: now) }, attempts: attempts,
            connections: connections, addresses: addresses)
    }

    /// Microseconds since 1970 of a moment that is still to come; rounded up to whole seconds from now, so that it is not
    /// told to be nearer than it is.
    private static func wallTime(
        of instant: ContinuousClock.Instant, now: ContinuousClock.Instant, isRoundedUp: Bool = false
    ) -> Int {
        let delay = (instant - now) / .seconds(1)
        return wallMicroseconds() + Int((isRoundedUp ? delay.rounded(.up) : delay) * 1_000_000)
    }
}
