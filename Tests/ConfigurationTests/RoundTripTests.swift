import Framing
import TestSupport
import Testing
import Uplink

@testable import Configuration

@Suite struct RoundTripTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a configuration is shown as YAML that reads back the same`(seed: UInt64) throws {
        let configuration = random(seed)
        let yaml = configuration.yaml()
        let back = try Configuration(
            parsing: Array(yaml.utf8), path: "\(configuration.name).yaml", runtimeDirectory: "/")
        #expect(back == configuration, "\(yaml)")
        #expect(back.yaml() == yaml)
    }

    @Test(arguments: examples)
    func `an example is accepted, and shown as YAML that reads back the same`(path: String) throws {
        let configuration = try Configuration(contentsOf: path, runtimeDirectory: "/run/trunkline")
        let yaml = configuration.yaml()
        #expect(
            try Configuration(parsing: Array(yaml.utf8), path: path, runtimeDirectory: "/elsewhere")
                == configuration)
    }

    @Test func `there are examples`() {
        #expect(examples.count >= 4)
    }

    @Test func `every setting in effect is shown, in the shortest form`() throws {
        let text = #"""
            upstream:
              address: [a:1, '[2001:db8::1]:80', "unix:/run/a b"]
              framing: {kind: delimiter, end: "\r\x00'1"}
              send-framing: {kind: length}
              max-message: 1024
              connect-timeout: 60000ms
              reconnect: {max: 90s}
            sockets:
              "null": {mode: 600, group: root, framing: {kind: line, ending: crlf}, unrepresentable: escape, send: no, patience: infinity, path: "/tmp/it's\n"}
            hold-time: 0
            ready-when: connected
            control: {group: root, mode: 600}
            """#
        let expected = #"""
            upstream:
              address: [a:1, '[2001:db8::1]:80', 'unix:/run/a b']
              failover: in-order
              fail-back: infinity
              tls: no
              framing: {kind: delimiter, end: '\r\0''1'}
              send-framing: {kind: length, bytes: 4, order: big, offset: 0, adjust: 0, strip: 4}
              max-message: 1K
              oversize: reconnect
              first-message: keep
              unrepresentable: skip
              on-connect: []
              connect-timeout: 1min
              idle-timeout: infinity
              write-timeout: 2min
              keepalive: {idle: 1min, interval: 15s, count: 4}
              reconnect: {min: 250ms, max: 90s, lasting: 5min}
            sockets:
              'null':
                path: "/tmp/it's\x0a"
                mode: 0600
                group: root
                framing: {kind: line, ending: crlf}
                unrepresentable: escape
                send: no
                when-behind: disconnect
                patience: infinity
            buffer: 4M
            outbox: 1M
            when-down: hold
            hold-time: 0
            max-clients: infinity
            max-clients-per-user: infinity
            ready-when: connected
            control: {mode: 0600, group: root}

            """#
        #expect(try read(text).yaml() == expected)
    }

    private func random(_ seed: UInt64) -> Configuration {
        var random = Seeded(seed)
        let maxMessage = Int.random(in: 1...1 << Int.random(in: 0...20, using: &random), using: &random)
        let ring = Int.random(in: 21...30, using: &random)
        let count = Int.random(in: 1...4, using: &random)
        let framing = framing(&random, atMost: maxMessage)
        let sendFraming = sendFraming(&random, atMost: maxMessage)
        let steps = (0..<Int.random(in: 0...3, using: &random)).map { _ in step(&random) }
        let addresses = [nil, "192.0.2.7", "2001:db8::7", "fe80::1%eth0"]
        return Configuration(
            name: name(&random),
            upstream: UpstreamSettings(
                protocolName: Bool.random(using: &random)
                    ? nil : Preset.all.randomElement(using: &random)?.name,
                uplink: Uplink.Settings(
                    endpoints: [.host("a", port: 1)]
                        + (0..<Int.random(in: 0...2, using: &random)).map { _ in endpoint(&random) },
                    connectTimeout: time(&random), reconnect: reconnect(&random),
                    failover: .inOrder, failBack: Bool.random(using: &random) ? nil : .seconds(600)),
                framing: framing,
                sendFraming: sendFraming,
                maxMessage: maxMessage, oversize: oversize(&random, framing),
                firstMessage: firstMessage(&random, framing, steps), idleTimeout: time(&random),
                writeTimeout: time(&random), bindAddress: addresses.randomElement(using: &random) ?? nil,
                tls: tls(&random),
                onConnect: steps,
                heartbeat: heartbeat(&random, framing, sendFraming, atMost: maxMessage),
                keepalive: KeepaliveSettings(
                    idle: Bool.random(using: &random) ? nil : .seconds(7), interval: .milliseconds(1500),
                    count: Int.random(in: 1...127, using: &random))),
            sockets: (0..<count).map { socket(&random, number: $0, framing, atMost: maxMessage) },
            buffer: 1 << ring, outbox: 1 << 21, whenDown: Bool.random(using: &random) ? .hold : .discard,
            holdTime: time(&random),
            clientLimits: ClientLimits(total: clients(&random), perUser: clients(&random)),
            readyWhen: Bool.random(using: &random) ? .listening : .connected,
            control: ControlSettings(
                mode: UInt32.random(in: 0...0o777, using: &random), group: group(&random)))
    }

    private func step(_ random: inout Seeded) -> DialogueStep {
        let timeout = Duration.milliseconds(Int.random(in: 1...100_000, using: &random))
        guard Bool.random(using: &random) else {
            let count = Int.random(in: 1...3, using: &random)
            var pieces: [DialogueStep.Piece] = []
            for _ in 0..<count {
                // Two literal parts in a row would be one.
                if case .credential? = pieces.last {
                    let mark = Bool.random(using: &random) ? Array("${credential:x}".utf8) : []
                    pieces.append(.bytes(bytes(&random, atMost: 40) + mark))
                } else {
                    pieces.append(
                        .credential(["user", "a b", "pass.1", "'\""].randomElement(using: &random) ?? "x"))
                }
            }
            return DialogueStep(.send(pieces), timeout: timeout)
        }
        let expected = bytes(&random, atMost: 256)
        let within =
            Bool.random(using: &random) ? nil : Int.random(in: expected.count...65536, using: &random)
        return DialogueStep(
            .expect(.init(expected, within: within, isShown: Bool.random(using: &random))), timeout: timeout)
    }

    private func heartbeat(
        _ random: inout Seeded, _ framing: Framing, _ sendFraming: Framing, atMost limit: Int
    ) -> HeartbeatSettings? {
        var beat: [UInt8] = []
        guard Bool.random(using: &random),
            (try? sendFraming.encode(bytes(&random, atMost: 50), into: &beat)) != nil, beat.count <= 4096
        else { return nil }
        let answer = Bool.random(using: &random) ? nil : answer(&random, framing, atMost: min(limit, 256))
        return HeartbeatSettings(
            bytes: beat,
            every: .milliseconds(Int.random(in: 100...9000, using: &random)),
            answer: answer, hidesAnswers: answer != nil && Bool.random(using: &random))
    }

    /// The beginning of a message; `nil` if the bytes drawn can be none.
    private func answer(_ random: inout Seeded, _ framing: Framing, atMost limit: Int) -> [UInt8]? {
        let longest = min(limit, framing.payloadSizes?.upperBound ?? limit)
        let answer = bytes(&random, atMost: longest)
        return switch framing {
        case .line where answer.contains(0x0A): nil
        case .delimiter(let end) where answer.firstRange(of: end) != nil: nil
        case .block(_, let end) where answer.firstRange(of: end) != nil: nil
        default: answer
        }
    }

    private func bytes(_ random: inout Seeded, atMost count: Int) -> [UInt8] {
        // What looks like a number is written in quotes.
        if Int.random(in: 0..<8, using: &random) == 0 { return [0x37] }
        return (0..<Int.random(in: 1...count, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
    }

    private func oversize(_ random: inout Seeded, _ framing: Framing) -> UpstreamSettings.Oversize {
        if case .fixed = framing { return .reconnect }
        return Bool.random(using: &random) ? .reconnect : .skip
    }

    private func firstMessage(
        _ random: inout Seeded, _ framing: Framing, _ steps: [DialogueStep]
    ) -> UpstreamSettings.FirstMessage {
        let isShown = steps.contains { step in
            if case .expect(let expectation) = step.action { expectation.isShown } else { false }
        }
        return isShown || framing.beginning == .unknown || Bool.random(using: &random) ? .keep : .discard
    }

    private func tls(_ random: inout Seeded) -> TLSSettings? {
        guard Bool.random(using: &random) else { return nil }
        let isVerified = Bool.random(using: &random)
        let certificate = file(&random)
        return TLSSettings(
            caFile: isVerified ? file(&random) : nil, serverName: "\(name(&random)).example.org",
            verify: isVerified ? .full : .insecure, certificate: certificate,
            key: certificate == nil ? nil : file(&random),
            minimum: Bool.random(using: &random) ? .tls12 : .tls13,
            alpn: (0..<Int.random(in: 0...2, using: &random)).map { _ in name(&random) },
            pins: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                String(repeating: "aZ/+0", count: 8) + "xyI="
            })
    }

    private func file(_ random: inout Seeded) -> FileSource? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: nil
        case 1: .path("/\(text(&random, atMost: 20))x")
        default: .credential(name(&random))
        }
    }

    private func clients(_ random: inout Seeded) -> Int? {
        Bool.random(using: &random) ? nil : Int.random(in: 1...Int.max, using: &random)
    }

    private func socket(
        _ random: inout Seeded, number: Int, _ upstream: Framing, atMost maxMessage: Int
    ) -> SocketSettings {
        let framing =
            Bool.random(using: &random) ? nil : sendFraming(&random, atMost: maxMessage, with: upstream)
        var mayEscape = false
        if case .line? = framing { mayEscape = maxMessage <= 1 << 18 }
        return SocketSettings(
            name: "\(name(&random))\(number)", path: "/\(text(&random, atMost: 20))\(number)",
            mode: UInt32.random(in: 0...0o777, using: &random),
            group: group(&random),
            framing: framing,
            unrepresentable: SocketSettings.Unrepresentable.allCases.filter { $0 != .escape || mayEscape }
                .randomElement(using: &random) ?? .skip,
            maySend: Bool.random(using: &random),
            whenBehind: SocketSettings.WhenBehind.allCases.randomElement(using: &random) ?? .drop,
            patience: time(&random))
    }

    private func group(_ random: inout Seeded) -> SocketSettings.Group? {
        Bool.random(using: &random) ? SocketSettings.Group(name: "root", id: 0) : nil
    }

    private func endpoint(_ random: inout Seeded) -> Endpoint {
        let port = UInt16.random(in: 1...65535, using: &random)
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: .host("2001:db8::\(String(port, radix: 16))", port: port)
        case 1: .host("fe80::1%eth\(port)", port: port)
        case 2: .unix(path: "/run/feed \(port)'#")
        default: .host(name(&random), port: port)
        }
    }

    private func framing(_ random: inout Seeded, atMost maxMessage: Int) -> Framing {
        let width = LengthField.Width.allCases.randomElement(using: &random) ?? .four
        let order = LengthField.Order.allCases.randomElement(using: &random) ?? .big
        let offset = Bool.random(using: &random) ? 0 : Int.random(in: 0...1024, using: &random)
        let kinds: [Framing] = [
            .line(), .line(ending: .crlf), .delimiter(end: bytes(&random)),
            .length(LengthField(width: width, order: order)),
            .length(
                LengthField(
                    width: width, order: order, offset: offset,
                    adjust: Int.random(in: -9...9, using: &random),
                    strip: offset == 0 ? Int.random(in: 0...width.rawValue, using: &random) : 0)),
            .varint(VarintField(bytes: Int.random(in: 1...10, using: &random), offset: offset)),
            .varint(VarintField(offset: offset, strip: 0)),
            .fixed(size: Int.random(in: 1...maxMessage, using: &random)),
            .netstring, .octetCounted, .header, .block(start: bytes(&random), end: bytes(&random)),
            .cobs, .beast, .json, .unframed, .untilClose(every: .seconds(7)), .idle(gap: .milliseconds(7)),
            .slip,
        ]
        // SLIP needs four times the room.
        return kinds.dropLast(maxMessage > 1 << 18 ? 1 : 0).filter {
            $0.payloadSizes.map { $0.lowerBound <= maxMessage } == true
        }.randomElement(using: &random) ?? .line()
    }

    /// One that divides what clients send.
    private func sendFraming(
        _ random: inout Seeded, atMost maxMessage: Int, with other: Framing = .line()
    ) -> Framing {
        let framing = framing(&random, atMost: maxMessage)
        guard let sizes = other.payloadSizes, framing.payloadSizes?.overlaps(sizes) == true else {
            return other.forSending
        }
        switch framing.boundary {
        case .bytes, .read: return framing
        case .pause, .close: return .unframed
        }
    }

    private func bytes(_ random: inout Seeded) -> [UInt8] {
        (0..<Int.random(in: 1...16, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func time(_ random: inout Seeded) -> Duration? {
        let units: [Duration] = [
            .microseconds(1), .milliseconds(1), .seconds(1), .seconds(60), .seconds(86400),
        ]
        let unit = units.randomElement(using: &random) ?? .seconds(1)
        return Bool.random(using: &random) ? nil : unit * Int.random(in: 1000...9999, using: &random)
    }

    private func reconnect(_ random: inout Seeded) -> Backoff.Settings {
        let min = Int.random(in: 10_000...1_000_000_000, using: &random)
        let max = Int.random(in: min...2_000_000_000, using: &random)
        return Backoff.Settings(
            min: .microseconds(min), max: .microseconds(max),
            lasting: .microseconds(Int.random(in: max...3_000_000_000, using: &random)))
    }

    private func name(_ random: inout Seeded) -> String {
        let letters = Array("abcXYZ019_-")
        let count = Int.random(in: 1...8, using: &random)
        return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
    }

    private func text(_ random: inout Seeded, atMost count: Int) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "/", " ", "'", "\"", "\\", "#", ":", "-", "{", "]", ",", "&", "*", "!", "|", "%", "@",
            "`", "~", "\n",
            "\t", "\r", "\u{1}", "\u{7F}", "\u{85}", "\u{A0}", "\u{E9}", "\u{301}", "\u{2028}", "\u{202E}",
            "\u{FEFF}",
            "\u{FFFE}", "\u{1F600}", "\u{10FFFF}",
        ]
        var text = "x"
        for _ in 0..<Int.random(in: 0...count, using: &random) {
            text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
        }
        return text
    }
}
