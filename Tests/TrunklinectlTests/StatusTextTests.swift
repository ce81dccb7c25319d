import Bridge
import Control
import Testing

@testable import trunklinectl

/// What `status` prints.
struct StatusTextTests {
    private func text(
        _ bridge: BridgeDescription, clients: [ClientDescription] = [], _ look: StatusText = Sample.status()
    ) -> String {
        look.text("ais", .running(Description(bridge: bridge, clients: clients))) ?? ""
    }

    @Test func `everything is told of a bridge that is connected`() {
        let counters = Sample.counters([
            "closed": CounterDescription(reason: "closed", times: 1, messages: 0, bytes: 0),
            "cut-off": CounterDescription(reason: "cut-off", times: 12, messages: 11, bytes: 210),
        ])
        let clients = [
            Sample.client(1), Sample.client(2, lag: 2_500_000, command: nil),
            Sample.client(3, lag: 10, missed: 7, skipping: true),
        ]
        #expect(
            text(Sample.bridge(counters: counters), clients: clients) == """
                ● ais - ready 192.0.2.7:10110
                      Uplink: ready since Mon 2026-11-30 11:57:57 UTC; 2min 3s ago
                              2 connections since the start
                              tried: 192.0.2.6:10110 – cannot connect to 192.0.2.6:10110: No route to host
                              tried: 192.0.2.7:10110
                      Daemon: trunklined 0.1.0, pid 137, since Sun 2026-11-29 11:00:00 UTC; 1d 1h ago
                              logs info and what is worse
                     Traffic:      1 s                 10 s              1 min  total
                              in   120 msg/s 7.1 kB/s  0.3 msg/s 12 B/s  0      12345 messages, 1.2 MB
                              out  0                   0                 0      1 message, 20 B
                      Buffer: 12 kB of 4.2 MB (0 %)
                      Outbox: 0 B of 1 MB (0 %)
                    Troubles:  1 time   connections ended by the server
                              12 times  messages cut off by the end of a connection  11 messages, 210 B
                     Sockets: default  /run/trunkline/ais.sock        3 clients
                              watch    /run/trunkline/ais.watch.sock  1 client
                     Clients: 3
                    NR     LAG    SENT  RECEIVED  MISSED  SINCE  SOCKET   USER   PID  COMMAND
                     2  2.5 MB  1.5 kB         0       0  1min   default  ada   1002  ?
                     3    10 B  1.5 kB         0      7+  1min   default  ada   1003  cat
                     1       0  1.5 kB         0       0  1min   default  ada   1001  cat

                """)
    }

    @Test(arguments: [
        ("upstream: {address: a:1, protocol: aprs-is}", "    Protocol: aprs-is\n"),
        ("upstream: {address: a:1}", nil), ("upstream: {address: a:1, protocol: of-the-future}", nil),
    ])
    func `the protocol is told, if one is named`(configuration: String, line: String?) {
        var bridge = Sample.bridge()
        bridge.configuration = configuration
        let shown = text(bridge)
        #expect(shown.contains("Protocol") == (line != nil))
        if let line { #expect(shown.contains("\n\(line)      Daemon: ")) }
    }

    @Test func `a socket's own framing is told`() {
        var bridge = Sample.bridge()
        bridge.configuration =
            "upstream: {address: a:1}\nsockets: {default: {}, watch: {framing: {kind: slip}}}"
        let lines = text(bridge).split(separator: "\n")
        #expect(lines.contains { $0.contains("ais.watch.sock") && $0.hasSuffix("  framing slip") })
        #expect(!lines.contains { $0.contains("ais.sock") && $0.contains("framing") })
    }

    @Test func `a connection with TLS has a field for that, and what is not verified is told`() {
        var uplink = Sample.ready
        uplink.tls = TLSDescription(
            version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384", alpn: "chat", resumed: true, verified: true,
            subject: "CN=a\u{1B}", issuer: "CN=b", names: ["a.test", "192.0.2.7"],
            notAfter: Sample.ago(-86400),
            pin: "")
        #expect(
            text(Sample.bridge("ais", uplink)).contains(
                """
                         TLS: TLSv1.3, TLS_AES_256_GCM_SHA384, chat, resumed
                              CN=a\\e, issued by CN=b
                              until Tue 2026-12-01 12:00:00 UTC, for a.test, 192.0.2.7
                      Daemon:
                """))
        uplink.tls?.verified = false
        uplink.tls?.names = []
        #expect(
            text(Sample.bridge("ais", uplink)).contains(
                "for no name\n              not verified: the configuration says verify: insecure\n"))
        var bridge = Sample.bridge("ais", uplink)
        let pin = String(repeating: "A", count: 43) + "="
        bridge.configuration = "upstream: {address: 'a:1', tls: {verify: insecure, pin: '\(pin)'}}"
        #expect(
            text(bridge).contains(
                "not verified: the configuration says verify: insecure; but its key is that of a pin\n"))
    }

    @Test func `an outage has a reason, and a next attempt`() {
        let text = text(Sample.bridge("ais", Sample.waiting))
        #expect(text.hasPrefix("● ais - waiting 192.0.2.7:10110\n"))
        #expect(
            text.contains("              no connection since Mon 2026-11-30 11:58:30 UTC; 1min 30s ago\n"))
        #expect(text.contains("              cannot connect: Connection refused (errno 111)\n"))
        #expect(text.contains("              next attempt in 4s, Mon 2026-11-30 12:00:04 UTC\n"))
        #expect(text.contains("1 connection since the start, 3 attempts in vain since the last\n"))
        #expect(text.contains("Clients: none\n"))
        #expect(!text.contains("Troubles"))
    }

    @Test(arguments: [
        (UplinkDescription.State.ready, "\u{1B}[32m"), (.waiting, "\u{1B}[31m"), (.connecting, "\u{1B}[33m"),
    ])
    func `the dot has the colour of the state`(state: UplinkDescription.State, colour: String) {
        var uplink = Sample.ready
        uplink.state = state
        let text = text(Sample.bridge("ais", uplink), Sample.status(Palette(isOn: true)))
        #expect(text.hasPrefix("\(colour)●\u{1B}[0m ais - \(colour)\(state)\u{1B}[0m"))
    }

    @Test func `a socket's trouble is red`() {
        let bridge = Sample.bridge(trouble: "its file was removed")
        let text = text(bridge, Sample.status(Palette(isOn: true)))
        #expect(text.contains("\u{1B}[31mits file was removed\u{1B}[0m\n"))
        #expect(!self.text(bridge).contains("\u{1B}"))
    }

    @Test(arguments: [(10, 12, "… and 990 more: --all shows them\n"), (1000, 1001, ""), (.max, 1001, "")])
    func `of a thousand clients those with the largest lag are shown`(limit: Int, lines: Int, last: String)
        throws
    {
        let clients = (1...1000).map { Sample.client($0, lag: $0 * 7919 % 1009 * 1000) }
        let text = text(Sample.bridge(), clients: clients, Sample.status(clients: limit))
        let shown = text.split(separator: "\n").drop { !$0.contains("Clients: 1000") }.dropFirst()
        #expect(shown.count == lines)
        #expect(last.isEmpty || text.hasSuffix(last))
        let numbers = shown.compactMap { Int($0.split(separator: " ")[0]) }
        let lags = numbers.map { clients[$0 - 1].lag.bytes }
        #expect(lags == lags.sorted(by: >) && lags.first == clients.map(\.lag.bytes).max())
    }

    @Test func `what others have chosen cannot steer the terminal`() {
        var bridge = Sample.bridge("a\u{1B}[2Js", Sample.waiting, trouble: "\u{202E}x")
        bridge.uplink.reason = "no\r\nsuch \u{7F} thing"
        bridge.uplink.upstream = "\u{9B}31m"
        bridge.uplink.addresses = [AddressDescription(address: "\u{200B}", reason: "\u{200B}x")]
        bridge.version = "\t"
        bridge.logLevel = "\u{7}"
        bridge.counters = [CounterDescription(reason: "\u{8}", times: 1, messages: 0, bytes: 0)]
        bridge.sockets[0].name = "\n"
        bridge.sockets[0].path = "\u{1B}"
        var client = Sample.client(1, command: "\u{1B}]0;x\u{7}")
        client.socket = "\u{0}"
        let text = text(bridge, clients: [client])
        #expect(text.split(separator: "\n").joined() == text.filter { $0 != "\n" })
        #expect(
            text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && !(0x7F...0x9F ~= $0.value)) })
        #expect(!text.unicodeScalars.contains("\u{202E}") && !text.unicodeScalars.contains("\u{200B}"))
        #expect(text.contains(#"\e]0;x\a"#))
        #expect(
            text.split(separator: "\n").count == self.text(Sample.bridge("ais", Sample.waiting)).split(
                separator: "\n"
            ).count + 4)
    }

    @Test func `long names move what follows, and nothing else`() {
        let name = String(repeating: "x", count: 255)
        let text = text(Sample.bridge(name), clients: [Sample.client(1, command: name)])
        #expect(text.hasPrefix("● \(name) - ready"))
        #expect(text.contains("1001  \(name)\n"))
    }

    @Test(arguments: [72, 80])
    func `tables have the columns for which there is room`(width: Int) {
        var look = Sample.status()
        look.width = width
        var bridge = Sample.bridge()
        bridge.receiveRates = RatesDescription(
            second: .init(messages: 12_345, bytes: 123_456),
            tenSeconds: .init(messages: 12_345, bytes: 123_456),
            minute: .init(messages: 12_345, bytes: 123_456))
        let clients = [
            Sample.client(
                1_234_567, lag: 123_456_789, command: "a-long-commands", missed: 1_234_567, skipping: true)
        ]
        let text = text(bridge, clients: clients, look)
        let tables = text.split(separator: "\n").filter {
            $0.contains("LAG") || $0.contains("a-long-commands") || $0.contains("10 s") || $0.contains(" in ")
        }
        #expect(tables.count == 4 && tables.allSatisfy { $0.count <= width }, "\(text)")
        #expect(!text.contains("SINCE") && text.contains("MISSED") && text.contains("COMMAND"))
        #expect(self.text(bridge, clients: clients).contains("SINCE"))
    }

    @Test(arguments: [Int.min, -1, .max], [-1.0, 1e19, 1e300, .infinity, -.infinity, .nan])
    func `no number that a daemon tells is too much`(count: Int, rate: Double) {
        let amount = AmountDescription(messages: count, bytes: count)
        let rates = RateDescription(messages: rate, bytes: rate)
        var bridge = Sample.bridge(
            "ais", Sample.waiting,
            counters: [CounterDescription(reason: "closed", times: count, messages: count, bytes: count)])
        (bridge.since, bridge.uplink.since, bridge.uplink.nextAttempt) = (count, count, count)
        (bridge.uplink.attempts, bridge.uplink.connections) = (count, count)
        bridge.receiveRates = RatesDescription(second: rates, tenSeconds: rates, minute: rates)
        (bridge.received, bridge.buffer) = (amount, FillDescription(used: count, size: 1))
        bridge.outbox = FillDescription(used: count, size: count)
        var client = Sample.client(count == .max ? 1 : 2)
        (client.since, client.lag, client.sent) = (count, amount, amount)
        (client.received, client.missed) = (amount, amount)
        let description = Description(bridge: bridge, clients: [client, client])
        #expect(Sample.status().text("ais", .running(description)) != nil)
        let list = ListEntry.table(
            [ListEntry("ais", .running(description))], palette: .plain, clock: Sample.clock)
        #expect(list.contains("1 bridge listed."))
        let metrics = [MetricsSubject(name: "ais", .running(description))]
        #expect(!MetricsText(isOpenMetrics: false).text(metrics).isEmpty)
        var model = TopModel()
        let now = ContinuousClock.now
        model.show(["ais", "b"], now: now)
        for name in ["ais", "b"] { model.answered(name, description) }
        let screen = TopScreen(
            model: model, now: now, time: "", delay: .seconds(1), glyphs: .unicode)
        #expect(!screen.lines(rows: 24, columns: 80).isEmpty)
    }

    @Test func `a bridge that does not run is told, and how to start it`() {
        #expect(
            Sample.status().text("ais", .notRunning) == """
                ○ ais - not running
                       Start: systemctl start trunkline@ais

                """)
        var look = Sample.status()
        look.missingFile = { "/etc/trunkline/\($0).yaml" }
        #expect(
            look.text("ais", .notRunning)?.hasSuffix(
                "systemctl start trunkline@ais (but there is no /etc/trunkline/ais.yaml)\n") == true)
        #expect(Sample.status().text("ais", .failed(Failure("why"))) == nil)
    }

    @Test func `every counter has words`() {
        #expect(Set(TroubleText.known.keys) == Set(Trouble.allCases.map(\.rawValue)))
        #expect(TroubleText.words("new-one") == "new-one")
    }
}
