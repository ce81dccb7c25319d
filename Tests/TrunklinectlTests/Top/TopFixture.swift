import Control

@testable import trunklinectl

/// Bridges and clients for a screen.
enum TopFixture {
    static let start = ContinuousClock.now

    static func description(
        _ name: String, _ state: UplinkDescription.State = .ready, upstream: String = "192.0.2.7:10110",
        rate: Double = 7100, used: Int = 30, clients: [ClientDescription] = []
    ) -> Description {
        let rates = { (bytes: Double) in
            let rate = RateDescription(messages: bytes / 100, bytes: bytes)
            return RatesDescription(second: rate, tenSeconds: rate, minute: rate)
        }
        let nothing = AmountDescription(messages: 0, bytes: 0)
        let bridge = BridgeDescription(
            name: name, version: "1", pid: 1, since: 1, status: "", configuration: "", logLevel: "info",
            uplink: UplinkDescription(
                state: state, upstream: upstream, since: 1, attempts: 0, connections: 1, addresses: []),
            received: nothing, sent: nothing, receiveRates: rates(rate), sendRates: rates(90), counters: [],
            buffer: FillDescription(used: used, size: 1000), outbox: FillDescription(used: 0, size: 1),
            sockets: [])
        return Description(bridge: bridge, clients: clients)
    }

    static func client(
        _ number: Int, lag: Int = 0, missed: Int = 0, sent: Int = 0, command: String? = "cat"
    ) -> ClientDescription {
        let amount = { AmountDescription(messages: $0 / 10, bytes: $0) }
        return ClientDescription(
            number: number, socket: "default", pid: Int32(truncatingIfNeeded: 1000 + number), uid: 1000,
            command: command,
            since: number, lag: amount(lag), sent: amount(0), received: amount(sent), missed: amount(missed),
            skipping: false)
    }

    /// A bridge that works, with two clients, one that waits, one that was stopped, one that is not there.
    static var model: TopModel {
        var model = TopModel()
        model.show(["ais", "chat", "hung", "quiet"], now: start)
        let clients = [client(1, lag: 5200), client(2, lag: 12_000, missed: 70, sent: 350, command: "socat")]
        for rate in [0, 1000, 4000, 7100] {
            model.answered("ais", description("ais", rate: Double(rate), clients: clients))
        }
        model.answered(
            "chat", description("chat", .waiting, upstream: "chat.example.org:5222", rate: 0, used: 0))
        model.lost("quiet", .notRunning)
        return model
    }

    static func screen(
        _ model: TopModel = model, after time: Duration = .seconds(4), _ glyphs: Glyphs = .unicode
    )
        -> TopScreen
    {
        TopScreen(model: model, now: start + time, time: "12:00:05", delay: .seconds(1), glyphs: glyphs)
    }
}
