import Framing
import Testing
import Uplink

@testable import Configuration

@Suite struct PresetTests {
    /// What each protocol makes of the upstream's keys and the rings, where only an address is given besides.
    private struct Effect: Equatable {
        var framing: Framing
        var maxMessage = 64 << 10
        var oversize = UpstreamSettings.Oversize.reconnect
        var idleTimeout: Duration?
        var onConnect: [DialogueStep] = []
        var buffer = 4 << 20
        var outbox = 1 << 20
    }

    private static let crlf = Framing.line(ending: .crlf)
    private static let effects: [String: Effect] = [
        "nmea": Effect(framing: crlf, maxMessage: 4096, oversize: .skip),
        "ais": Effect(framing: crlf, maxMessage: 4096, oversize: .skip, idleTimeout: .seconds(600)),
        "gpsd": Effect(
            framing: crlf, maxMessage: 16 << 10,
            onConnect: [
                DialogueStep(
                    .send([.bytes(Array(#"?WATCH={"enable":true,"json":true};"#.utf8) + [0x0A])]),
                    timeout: .seconds(10))
            ]),
        "sbs": Effect(framing: crlf, maxMessage: 4096, oversize: .skip),
        "avr": Effect(framing: .line(), maxMessage: 4096, oversize: .skip),
        "beast": Effect(framing: .beast),
        "asterix": Effect(framing: .length(LengthField(width: .two, offset: 1, adjust: -3, strip: 0))),
        "aprs-is": Effect(framing: crlf, maxMessage: 4096, oversize: .skip, idleTimeout: .seconds(60)),
        "kiss": Effect(framing: .slip),
        "mllp": Effect(
            framing: .block(start: [0x0B], end: [0x1C, 0x0D]), maxMessage: 4 << 20, buffer: 8 << 20,
            outbox: 8 << 20),
        "modbus-tcp": Effect(
            framing: .length(LengthField(width: .two, offset: 4, adjust: 0, strip: 0)), maxMessage: 260),
        "tpkt": Effect(framing: .length(LengthField(width: .two, offset: 2, adjust: -4, strip: 0))),
        "syslog-tcp": Effect(framing: .octetCounted), "syslog-lf": Effect(framing: .line()),
        "gelf-tcp": Effect(framing: .delimiter(end: [0]), maxMessage: 2 << 20, outbox: 4 << 20),
        "graphite": Effect(framing: .line()), "ndjson": Effect(framing: .line(), maxMessage: 512 << 10),
        "java-data-output": Effect(framing: .length(LengthField(width: .two, strip: 2))),
        "java-int": Effect(framing: .length(LengthField(width: .four, strip: 4))),
    ]

    private static let names = Preset.all.map(\.name)

    @Test func `every protocol has a name of its own, and is tested`() {
        #expect(Set(Self.names).count == Self.names.count)
        #expect(Set(Self.names) == Set(Self.effects.keys))
        #expect(Self.names.allSatisfy(isName))
    }

    @Test(arguments: names)
    func `a protocol and an address are enough`(name: String) throws {
        let (named, plain) = (try read(file(upstream: "protocol: \(name)")), try read(file()))
        let effect = try #require(Self.effects[name])
        let upstream = named.upstream
        #expect(upstream.protocolName == name)
        #expect(
            Effect(
                framing: upstream.framing, maxMessage: upstream.maxMessage, oversize: upstream.oversize,
                idleTimeout: upstream.idleTimeout, onConnect: upstream.onConnect, buffer: named.buffer,
                outbox: named.outbox) == effect)
        #expect(upstream.sendFraming == upstream.framing)

        // Everything else is as without it.
        var rest = named
        rest.upstream.protocolName = nil
        rest.upstream.framing = plain.upstream.framing
        rest.upstream.sendFraming = plain.upstream.sendFraming
        rest.upstream.maxMessage = plain.upstream.maxMessage
        rest.upstream.oversize = plain.upstream.oversize
        rest.upstream.idleTimeout = plain.upstream.idleTimeout
        rest.upstream.onConnect = plain.upstream.onConnect
        (rest.buffer, rest.outbox) = (plain.buffer, plain.outbox)
        #expect(rest == plain)
    }

    @Test(arguments: names)
    func `what is shown of a protocol names it, and reads back the same`(name: String) throws {
        let configuration = try read(file(upstream: "protocol: \(name)"))
        let yaml = configuration.yaml()
        #expect(yaml.contains("\n  protocol: \(name)\n"))
        #expect(try read(yaml) == configuration)
    }

    @Test func `without a protocol none is shown`() throws {
        #expect(try read(file()).upstream.protocolName == nil)
        #expect(try !read(file()).yaml().contains("protocol"))
    }

    // MARK: Single keys override

    @Test func `a key that is given stands, wherever it is given, and the others are the protocol's`() throws
    {
        for lines in [
            "protocol: ais\nmax-message: 1K\nidle-timeout: infinity",
            "idle-timeout: infinity\nmax-message: 1K\nprotocol: ais",
        ] {
            let upstream = try read(file(upstream: lines)).upstream
            #expect(upstream.maxMessage == 1024)
            #expect(upstream.idleTimeout == nil)
            #expect(upstream.oversize == .skip)
            #expect(upstream.framing == Self.crlf)
        }
    }

    @Test func `a key outside of the upstream overrides, too`() throws {
        let configuration = try read(file(upstream: "protocol: mllp", top: "buffer: 32M\n"))
        #expect(configuration.buffer == 32 << 20)
        #expect(configuration.outbox == 8 << 20)
    }

    @Test(
        arguments: [
            ("protocol: modbus-tcp\nframing: length", .length(LengthField(width: .four))),
            (
                "protocol: modbus-tcp\nframing: {kind: length, order: little}",
                .length(LengthField(width: .four, order: .little))
            ),
            ("protocol: nmea\nframing: line", .line()), ("protocol: mllp\nframing: beast", .beast),
        ] as [(String, Framing)])
    func `another framing replaces the protocol's wholly, in both directions`(
        upstream: String, framing: Framing
    ) throws {
        let settings = try read(file(upstream: upstream)).upstream
        #expect(settings.framing == framing)
        #expect(settings.sendFraming == framing)
    }

    @Test func `another framing for sending leaves the protocol's for receiving`() throws {
        let upstream = try read(file(upstream: "protocol: java-int\nsend-framing: {kind: fixed, size: 2}"))
            .upstream
        #expect(upstream.framing == .length(LengthField(width: .four)))
        #expect(upstream.sendFraming == .fixed(size: 2))
    }

    @Test(arguments: ["[]", "{send: x}"])
    func `a dialogue of one's own replaces the protocol's, also an empty one`(steps: String) throws {
        let given = try read(file(upstream: "on-connect: \(steps)"))
        let configuration = try read(file(upstream: "protocol: gpsd\non-connect: \(steps)"))
        #expect(configuration.upstream.onConnect == given.upstream.onConnect)
        #expect(try read(configuration.yaml()) == configuration)
    }

    /// None that is known sets a key within a mapping; one may.
    @Test(arguments: [
        ("", "{min: 2s, max: 1min}"), ("  reconnect: {}\n", "{min: 2s, max: 1min}"),
        ("  reconnect: {max: 5s}\n", "{min: 2s, max: 5s}"), ("  reconnect: 7\n", "7"), ("  reconnect:\n", ""),
    ])
    func `a key within a mapping overrides just itself`(given: String, expected: String) throws {
        let preset = Preset(
            "x", "", ["upstream.reconnect.max": "1min", "upstream.reconnect.min": "2s"], source: "")
        func entries(_ text: String) throws -> [Node.Entry] {
            guard case .mapping(let entries)? = try Document(Array(text.utf8)).root?.content else {
                return []
            }
            return entries
        }
        var found = try entries("upstream:\n  address: a:1\n\(given)")
        preset.complete(&found, at: Position(line: 1, column: 1))
        let wanted = try entries("upstream:\n  address: a:1\n  reconnect: \(expected)\n")
        #expect(plain(found) == plain(wanted))
    }

    /// What entries say, in order of their names.
    private func plain(_ entries: [Node.Entry]) -> String {
        let parts = entries.map { entry in
            switch entry.value.content {
            case .mapping(let inner): "\(entry.name): {\(plain(inner))}"
            case .text, .list, .nothing, .refused: "\(entry.name): \(entry.value.found)"
            }
        }
        return parts.sorted().joined(separator: ", ")
    }

    // MARK: Errors

    @Test(arguments: [
        ("nmae", "found \"nmae\"; did you mean 'nmea'?"), ("NMEA", "found \"NMEA\"; did you mean 'nmea'?"),
        ("modbus_tcp", "found \"modbus_tcp\"; did you mean 'modbus-tcp'?"),
        ("redis", "found \"redis\"; allowed are \(names.joined(separator: ", "))"),
        ("", "found nothing; allowed are \(names.joined(separator: ", "))"),
        ("[nmea]", "found a list; allowed are \(names.joined(separator: ", "))"),
    ])
    func `an unknown protocol is refused, with the nearest or all`(text: String, message: String) {
        let column = text.isEmpty ? 12 : 13
        #expect(
            errors(in: file(upstream: "protocol: \(text)"))
                == ["ais.yaml:3:\(column): upstream.protocol: \(message)"])
    }

    @Test func `a protocol in the wrong place is told where it belongs`() {
        #expect(
            errors(in: file(top: "protocol: nmea\n"))
                == ["ais.yaml:3:1: protocol: unknown key; did you mean 'upstream.protocol'?"])
    }

    @Test(arguments: [
        (
            "protocol: mllp", "buffer: 64K",
            "4:9: buffer: found \"64K\"; allowed is at least 8M, twice upstream.max-message (4M); protocol mllp"
                + " sets upstream.max-message"
        ),
        (
            "protocol: mllp\nmax-message: 5M", "",
            "4:16: upstream.max-message: found \"5M\"; allowed is at most 4M, half of buffer (8M); protocol mllp"
                + " sets buffer"
        ),
        (
            "framing: slip\nprotocol: gelf-tcp", "",
            "4:13: buffer: found 4M (the default); allowed is at least 8M, four times upstream.max-message"
                + " (2M); protocol gelf-tcp sets upstream.max-message"
        ),
        (
            "protocol: kiss\nmax-message: 512K", "",
            "4:16: upstream.max-message: found \"512K\"; allowed is at most 256K, a quarter of outbox (1M);"
                + " protocol kiss sets upstream.framing"
        ),
        (
            "protocol: nmea\nframing: {kind: fixed, size: 9}", "",
            "3:13: upstream.oversize: found \"skip\" (set by protocol nmea); allowed is reconnect, for in a fixed"
                + " framing nothing tells where the next message begins"
        ),
        (
            "protocol: modbus-tcp\nsend-framing: {kind: fixed, size: 261}", "",
            "4:37: upstream.send-framing.size: found \"261\"; allowed is at most max-message (260); protocol"
                + " modbus-tcp sets upstream.max-message"
        ),
        (
            "protocol: gelf-tcp\nheartbeat: {send: 'x\\0', expect: 'a\\0'}", "",
            "4:36: upstream.heartbeat.expect: found \"a\\0\"; allowed is the beginning of a message, without what"
                + " ends it; protocol gelf-tcp sets upstream.framing"
        ),
        (
            "protocol: modbus-tcp\nheartbeat: {send: '\\0\\0\\0\\0\\0\\0', expect: \(String(repeating: "y", count: 256))}\n"
                + "max-message: 255", "",
            "4:45: upstream.heartbeat.expect: found \"\(String(repeating: "y", count: 60))…\"; allowed is at most"
                + " 255, as long as a message can be"
        ),
    ])
    func `a contradiction tells what the protocol has to do with it`(
        upstream: String, top: String, message: String
    ) {
        #expect(errors(in: file(upstream: upstream, top: "\(top)\n")).first == "ais.yaml:\(message)")
    }

    @Test func `a value that does not fit is told, whatever the protocol sets`() {
        #expect(
            errors(in: file(upstream: "protocol: nmea\noversize: no\nmax-mesage: 1")) == [
                "ais.yaml:4:13: upstream.oversize: found \"no\"; allowed are reconnect, skip",
                "ais.yaml:5:3: upstream.max-mesage: unknown key; did you mean 'max-message'?",
            ])
    }
}
