import Control

@testable import trunklinectl

/// Bridges as their daemons describe them, at a time that does not pass.
enum Sample {
    private static let second = 1_000_000
    /// Mon 2026-11-30 12:00:00 UTC.
    static let clock = WallClock(now: 1_796_040_000 * second, isLocal: false)

    static func ago(_ seconds: Int) -> Int { clock.now - seconds * second }

    private static let fast = RateDescription(messages: 120, bytes: 7130)
    static let rates = RatesDescription(
        second: fast, tenSeconds: RateDescription(messages: 0.25, bytes: 12.4),
        minute: RateDescription(messages: 0, bytes: 0))

    static let ready = UplinkDescription(
        state: .ready, upstream: "192.0.2.7:10110", since: ago(123), attempts: 0, connections: 2,
        addresses: [
            AddressDescription(
                address: "192.0.2.6:10110", reason: "cannot connect to 192.0.2.6:10110: No route to host"),
            AddressDescription(address: "192.0.2.7:10110", reason: nil),
        ])
    static let waiting = UplinkDescription(
        state: .waiting, upstream: "192.0.2.7:10110", since: ago(1), outageSince: ago(90),
        reason: "cannot connect: Connection refused (errno 111)", nextAttempt: ago(-4), attempts: 3,
        connections: 1, addresses: [AddressDescription(address: "192.0.2.7:10110", reason: nil)])

    static func bridge(
        _ name: String = "ais", _ uplink: UplinkDescription = ready, counters: [CounterDescription] = [],
        trouble: String? = nil
    ) -> BridgeDescription {
        BridgeDescription(
            name: name, version: "0.1.0", pid: 137, since: ago(90_000), status: "ready", configuration: "",
            logLevel: "info", uplink: uplink, received: AmountDescription(messages: 12_345, bytes: 1_234_567),
            sent: AmountDescription(messages: 1, bytes: 20), receiveRates: rates,
            sendRates: RatesDescription(second: rates.minute, tenSeconds: rates.minute, minute: rates.minute),
            counters: counters, buffer: FillDescription(used: 12_000, size: 4 << 20),
            outbox: FillDescription(used: 0, size: 1 << 20),
            sockets: [
                SocketDescription(name: "default", path: "/run/trunkline/ais.sock", clients: 3, trouble: nil),
                SocketDescription(
                    name: "watch", path: "/run/trunkline/ais.watch.sock", clients: 1, trouble: trouble),
            ])
    }

    static func client(
        _ number: Int, lag: Int = 0, command: String? = "cat", missed: Int = 0, skipping: Bool = false
    ) -> ClientDescription {
        ClientDescription(
            number: number, socket: "default", pid: 1000 + Int32(number), uid: 1000, command: command,
            since: ago(60), lag: AmountDescription(messages: lag / 10, bytes: lag),
            sent: AmountDescription(messages: 10, bytes: 1500),
            received: AmountDescription(messages: 0, bytes: 0),
            missed: AmountDescription(messages: missed, bytes: missed * 10), skipping: skipping)
    }

    /// The counters of a bridge in which these have counted, and no others.
    static func counters(_ counts: [String: CounterDescription]) -> [CounterDescription] {
        TroubleText.known.keys.sorted().map {
            counts[$0] ?? CounterDescription(reason: $0, times: 0, messages: 0, bytes: 0)
        }
    }

    static func status(_ palette: Palette = .plain, clients: Int = 10) -> StatusText {
        StatusText(
            palette: palette, clock: clock, user: { $0 == 1000 ? "ada" : "\($0)" }, clientLimit: clients)
    }
}
