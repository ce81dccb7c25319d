import Configuration
import Framing
import Testing
import Uplink

@Suite struct KeyTests {
    @Test func `an address is enough`() throws {
        let configuration = try read("upstream: {address: feed.example.org:10110}")
        let expected = Configuration(
            name: "ais",
            upstream: UpstreamSettings(
                uplink: Uplink.Settings(
                    endpoints: [.host("feed.example.org", port: 10110)], connectTimeout: .seconds(10),
                    reconnect: Backoff.Settings(
                        min: .milliseconds(250), max: .seconds(30), lasting: .seconds(300))),
                framing: .line(), sendFraming: .line(), maxMessage: 65536, oversize: .reconnect,
                idleTimeout: nil, writeTimeout: .seconds(120), bindAddress: nil,
                keepalive: KeepaliveSettings(idle: .seconds(60), interval: .seconds(15), count: 4)),
            sockets: [
                SocketSettings(
                    name: "default", path: "/run/trunkline/ais.sock", mode: 0o660, group: nil, maySend: true,
                    whenBehind: .disconnect, patience: .seconds(1))
            ],
            buffer: 4 << 20, outbox: 1 << 20, whenDown: .hold, holdTime: .seconds(5),
            clientLimits: ClientLimits(total: nil, perUser: nil), readyWhen: .listening,
            control: ControlSettings(mode: 0o660, group: nil))
        #expect(configuration == expected)
    }

    @Test(
        arguments: [
            ("a:1", [.host("a", port: 1)]), ("'[2001:db8::1]:80'", [.host("2001:db8::1", port: 80)]),
            ("'[fe80::1%eth0]:80'", [.host("fe80::1%eth0", port: 80)]),
            ("unix:/run/feed", [.unix(path: "/run/feed")]),
            ("[a:1, 'b:2', unix:/c]", [.host("a", port: 1), .host("b", port: 2), .unix(path: "/c")]),
            ("[a:1]", [.host("a", port: 1)]), ("192.0.2.1:65535", [.host("192.0.2.1", port: 65535)]),
        ] as [(String, [Endpoint])])
    func `upstream.address is one endpoint or a list`(text: String, endpoints: [Endpoint]) throws {
        #expect(try read("upstream: {address: \(text)}").upstream.uplink.endpoints == endpoints)
    }

    @Test(arguments: [
        "a", "a:0", "a:65536", "a:x", ":1", "'[::1]'", "'::1:80'", "'[zz::]:80'", "'[::1%]:80'", "unix:run",
        "'unix:'",
        "unix:/", "'a b:1'", #""a\x01b:1""#, #""unix:/a\0b""#, "http://a:1",
        "unix:/\(String(repeating: "x", count: 107))",
        "{a: 1}", "[]", "[[a:1]]", "", "~",
    ])
    func `what is no address is refused, with the three spellings`(text: String) {
        let found = errors(in: "upstream:\n  address: \(text)\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("ais.yaml:2:") == true
                && found.first?.hasSuffix("; allowed are host:port, [IPv6 address]:port, unix:/path") == true)
    }

    @Test(
        arguments: [
            ("line", .line()), ("{kind: line}", .line()),
            (#"{kind: delimiter, end: '\0'}"#, .delimiter(end: [0])),
            (#"{kind: delimiter, end: "\0"}"#, .delimiter(end: [0])),
            (#"{kind: delimiter, end: '\r\n\x80'}"#, .delimiter(end: [13, 10, 0x80])),
            (#"{kind: delimiter, end: \r}"#, .delimiter(end: [13])),
            ("{kind: delimiter, end: \"\\n\"}", .delimiter(end: [10])),
            ("length", .length(LengthField(width: .four))),
            ("{kind: length}", .length(LengthField(width: .four))),
            ("{kind: length, bytes: 1}", .length(LengthField(width: .one))),
            ("{kind: length, bytes: 8, order: little}", .length(LengthField(width: .eight, order: .little))),
            ("{kind: fixed, size: 2}", .fixed(size: 2)), ("{kind: fixed, size: 64K}", .fixed(size: 65536)),
            ("{kind: line, ending: crlf}", .line(ending: .crlf)),
            (
                "{kind: length, bytes: 3, offset: 2, adjust: -5, strip: 0}",
                .length(LengthField(width: .three, offset: 2, adjust: -5, strip: 0))
            ),
            ("{kind: length, bytes: 2, offset: 4}", .length(LengthField(width: .two, offset: 4, strip: 0))),
            ("{kind: length, bytes: 2, strip: 1}", .length(LengthField(width: .two, strip: 1))),
            ("varint", .varint(VarintField())),
            ("{kind: varint, bytes: 4, offset: 1}", .varint(VarintField(bytes: 4, offset: 1))),
            ("{kind: varint, strip: 0}", .varint(VarintField(strip: 0))),
            ("netstring", .netstring), ("octet-counted", .octetCounted), ("header", .header),
            (#"{kind: block, start: \v, end: \x1c\r}"#, .block(start: [0x0B], end: [0x1C, 0x0D])),
            ("slip", .slip), ("cobs", .cobs), ("beast", .beast), ("{kind: json}", .json), ("none", .unframed),
        ] as [(String, Framing)])
    func `a framing is a bare name, or a mapping`(text: String, framing: Framing) throws {
        let received = try read(file(upstream: "framing: \(text)"))
        #expect(received.upstream.framing == framing)
        #expect(received.upstream.sendFraming == framing)
        let sent = try read(file(upstream: "send-framing: \(text)"))
        #expect(sent.upstream.framing == .line())
        #expect(sent.upstream.sendFraming == framing)
    }

    @Test(
        arguments: [
            ("until-close", .untilClose(every: .seconds(10))),
            ("{kind: until-close, every: 1min}", .untilClose(every: .seconds(60))),
            ("idle", .idle(gap: .milliseconds(50))), ("{kind: idle, gap: 1s}", .idle(gap: .seconds(1))),
        ] as [(String, Framing)])
    func `where messages end elsewhere than in the bytes, clients send without any framing`(
        text: String, framing: Framing
    ) throws {
        let upstream = try read(file(upstream: "framing: \(text)")).upstream
        #expect(upstream.framing == framing)
        #expect(upstream.sendFraming == .unframed)
    }

    @Test(arguments: UpstreamSettings.FirstMessage.allCases)
    func `upstream.first-message is keep or discard`(value: UpstreamSettings.FirstMessage) throws {
        #expect(try read(file(upstream: "first-message: \(value.rawValue)")).upstream.firstMessage == value)
    }

    @Test(arguments: [
        ("lines", "3:12: upstream.framing: found \"lines\"; allowed are \(kinds)"),
        ("[line]", "3:12: upstream.framing: found a list; allowed are \(kinds)"),
        ("", "3:11: upstream.framing: found nothing; allowed are \(kinds)"),
        ("{}", "3:12: upstream.framing.kind: missing; allowed are \(kinds)"),
        ("{kind: x}", "3:19: upstream.framing.kind: found \"x\"; allowed are \(kinds)"),
        ("delimiter", "3:12: upstream.framing.end: missing; allowed is \(bytes)"),
        ("{kind: delimiter, end: ''}", "3:35: upstream.framing.end: found \"\"; allowed is \(bytes)"),
        ("{kind: delimiter, end: '\\q'}", "3:35: upstream.framing.end: found \"\\q\"; allowed is \(bytes)"),
        (
            "{kind: delimiter, end: 12345678901234567}",
            "3:35: upstream.framing.end: found \"12345678901234567\"; allowed is \(bytes)"
        ),
        (
            "{kind: line, end: x}",
            "3:25: upstream.framing.end: unknown key of the kind line; allowed are kind, ending"
        ),
        (
            "{kind: fixed, size: 1, bytes: 2}",
            "3:35: upstream.framing.bytes: unknown key of the kind fixed; allowed are kind, size"
        ),
        ("{kind: length, bytes: 5}", "3:34: upstream.framing.bytes: found \"5\"; allowed are 1, 2, 3, 4, 8"),
        (
            "{kind: length, order: middle}",
            "3:34: upstream.framing.order: found \"middle\"; allowed are big, little"
        ),
        (
            "fixed",
            "3:12: upstream.framing.size: missing; allowed is a size such as 64K, 4M or 1G, at least 1"
        ),
        (
            "{kind: fixed, size: 0}",
            "3:32: upstream.framing.size: found \"0\"; allowed is a size such as 64K, 4M or 1G, at least 1"
        ),
        (
            "{kind: length, offset: 1025}",
            "3:35: upstream.framing.offset: found \"1025\"; allowed is a number from 0 to 1024"
        ),
        (
            "{kind: length, adjust: -1048577}",
            "3:35: upstream.framing.adjust: found \"-1048577\"; allowed is a number from -1048576 to 1048576"
        ),
        (
            "{kind: length, adjust: --1}",
            "3:35: upstream.framing.adjust: found \"--1\"; allowed is a number from -1048576 to 1048576"
        ),
        (
            "{kind: varint, bytes: 11}",
            "3:34: upstream.framing.bytes: found \"11\"; allowed is a number from 1 to 10"
        ),
        ("{kind: block, start: x}", "3:12: upstream.framing.end: missing; allowed is \(bytes)"),
        (
            "{kind: until-close, every: 9ms}",
            "3:39: upstream.framing.every: found \"9ms\"; allowed is \(time), at least 10ms"
        ),
        (
            "{kind: idle, gap: 0}",
            "3:30: upstream.framing.gap: found \"0\"; allowed is \(time), at least 1ms"
        ),
        (
            "{kind: fixed, size: 65537}",
            "3:32: upstream.framing.size: found \"65537\"; allowed is at most max-message (64K)"
        ),
    ])
    func `a wrong framing says which key of it is wrong`(text: String, message: String) {
        #expect(errors(in: file(upstream: "framing: \(text)")) == ["ais.yaml:\(message)"])
    }

    @Test(arguments: [("1", 1), ("512K", 512 << 10), ("1000", 1000)])
    func `upstream.max-message is a size`(text: String, size: Int) throws {
        #expect(try read(file(upstream: "max-message: \(text)")).upstream.maxMessage == size)
    }

    @Test(
        arguments: [("10ms", .milliseconds(10)), ("1min 30s", .seconds(90)), ("infinity", nil)]
            as [(String, Duration?)])
    func `times may be infinite where that means something`(text: String, duration: Duration?) throws {
        let configuration = try read(
            file(
                upstream: "connect-timeout: \(text)\nidle-timeout: \(text)\nwrite-timeout: \(text)",
                top: "hold-time: \(text)\nsockets: {default: {patience: \(text)}}\n"))
        #expect(configuration.upstream.uplink.connectTimeout == duration)
        #expect(configuration.upstream.idleTimeout == duration)
        #expect(configuration.upstream.writeTimeout == duration)
        #expect(configuration.holdTime == duration)
        #expect(configuration.sockets.map(\.patience) == [duration])
    }

    @Test func `upstream.reconnect has min, max and lasting, each with a default`() throws {
        func reconnect(_ text: String) throws -> Backoff.Settings {
            try read(file(upstream: "reconnect: \(text)")).upstream.uplink.reconnect
        }
        func delays(_ min: Duration, _ max: Duration, _ lasting: Duration) -> Backoff.Settings {
            Backoff.Settings(min: min, max: max, lasting: lasting)
        }
        let quarter = Duration.milliseconds(250)
        #expect(try reconnect("{}") == delays(quarter, .seconds(30), .seconds(300)))
        #expect(try reconnect("{min: 10ms}") == delays(.milliseconds(10), .seconds(30), .seconds(300)))
        #expect(try reconnect("{max: 250ms}") == delays(quarter, quarter, .seconds(300)))
        #expect(try reconnect("{max: 10min}") == delays(quarter, .seconds(600), .seconds(600)))
        #expect(try reconnect("{lasting: 30s}") == delays(quarter, .seconds(30), .seconds(30)))
    }

    @Test(arguments: [
        ("64K", 1 << 16), ("65536", 1 << 16), ("65537", 1 << 17), ("1000000", 1 << 20), ("1G", 1 << 30),
    ])
    func `buffer and outbox are rounded up to a power of two`(text: String, size: Int) throws {
        let configuration = try read(
            file(upstream: "max-message: 1K", top: "buffer: \(text)\noutbox: \(text)\n"))
        #expect(configuration.buffer == size)
        #expect(configuration.outbox == size)
    }

    @Test(arguments: UpstreamSettings.Oversize.allCases)
    func `upstream.oversize is reconnect or skip`(value: UpstreamSettings.Oversize) throws {
        #expect(try read(file(upstream: "oversize: \(value.rawValue)")).upstream.oversize == value)
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::7", "fe80::7%eth0", "::1", "0.0.0.0"])
    func `upstream.bind-address is an address in digits`(text: String) throws {
        #expect(try read(file(upstream: "bind-address: '\(text)'")).upstream.bindAddress == text)
    }

    @Test(arguments: ["host", "192.0.2", "192.0.2.7:80", "[::1]", "::1%", "eth0", "''", "1.2.3.4%eth0", "~"])
    func `what is no address in digits is refused`(text: String) {
        let found = errors(in: file(upstream: "bind-address: \(text.contains("[") ? "'\(text)'" : text)"))
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("; allowed are an IPv4 address, an IPv6 address without brackets") == true)
    }

    @Test(arguments: [("1", 1), ("1000", 1000), ("infinity", nil)] as [(String, Int?)])
    func `the number of clients can be limited, in total and of a user`(text: String, count: Int?) throws {
        let total = try read(file(top: "max-clients: \(text)\n")).clientLimits
        #expect(total == ClientLimits(total: count, perUser: nil))
        let perUser = try read(file(top: "max-clients-per-user: \(text)\n")).clientLimits
        #expect(perUser == ClientLimits(total: nil, perUser: count))
    }

    @Test(arguments: Configuration.WhenDown.allCases)
    func `when-down is hold or discard`(value: Configuration.WhenDown) throws {
        #expect(try read(file(top: "when-down: \(value.rawValue)\n")).whenDown == value)
    }

    @Test(arguments: [
        "", "sockets:\n", "sockets: {}\n", "sockets: {default: }\n", "sockets: {default: {}}\n",
    ])
    func `without a socket there is one, named default`(text: String) throws {
        let sockets = try read(file(top: text)).sockets
        #expect(sockets.map(\.name) == ["default"])
        #expect(sockets.map(\.path) == ["/run/trunkline/ais.sock"])
    }

    @Test func `sockets keep the order of the file and have paths named after them`() throws {
        let sockets = try read(file(top: "sockets:\n  zulu:\n  default:\n  alpha: {path: /tmp/a}\n  null:\n"))
            .sockets
        #expect(sockets.map(\.name) == ["zulu", "default", "alpha", "null"])
        let expected = [
            "/run/trunkline/ais.zulu.sock", "/run/trunkline/ais.sock", "/tmp/a",
            "/run/trunkline/ais.null.sock",
        ]
        #expect(sockets.map(\.path) == expected)
    }

    @Test(
        arguments: [("0660", 0o660), ("660", 0o660), ("'0000'", 0), ("777", 0o777), ("0600", 0o600)]
            as [(String, UInt32)])
    func `a socket's mode is octal`(text: String, mode: UInt32) throws {
        #expect(try read(file(top: "sockets: {a: {mode: \(text)}}\n")).sockets.map(\.mode) == [mode])
    }

    @Test(arguments: [
        ("yes", true), ("no", false), ("true", true), ("false", false), ("on", true), ("off", false),
        ("Yes", true),
        ("NO", false),
    ])
    func `a socket's send is yes or no, however YAML spells it`(text: String, value: Bool) throws {
        #expect(try read(file(top: "sockets: {a: {send: \(text)}}\n")).sockets.map(\.maySend) == [value])
    }

    @Test func `a socket's group is looked up`() throws {
        let sockets = try read(file(top: "sockets: {a: {group: root}, b: {}}\n")).sockets
        #expect(sockets.map(\.group) == [SocketSettings.Group(name: "root", id: 0), nil])
    }

    @Test(arguments: [
        ("upstream.max-message", "0", "a size such as 64K, 4M or 1G, at least 1"),
        ("upstream.max-message", "-1", "a size such as 64K, 4M or 1G, at least 1"),
        ("upstream.connect-timeout", "0", "\(time), at least 1ms, or infinity"),
        ("upstream.idle-timeout", "999us", "\(time), at least 1ms, or infinity"),
        ("upstream.write-timeout", "0", "\(time), at least 1ms, or infinity"),
        ("upstream.idle-timeout", "never", "\(time), at least 1ms, or infinity"),
        ("upstream.reconnect.min", "9ms", "\(time), at least 10ms"),
        ("upstream.reconnect.min", "infinity", "\(time), at least 10ms"),
        ("upstream.reconnect.max", "infinity", "\(time)"),
        ("upstream.keepalive.idle", "999ms", "\(time), at least 1s, at most 9h, or infinity"),
        ("upstream.keepalive.idle", "10h", "\(time), at least 1s, at most 9h, or infinity"),
        ("upstream.keepalive.interval", "infinity", "\(time), at least 1s, at most 9h"),
        ("upstream.keepalive.count", "0", "a number from 1 to 127"),
        ("upstream.keepalive.count", "128", "a number from 1 to 127"),
        ("buffer", "65535", "a size such as 64K, 4M or 1G from 64K to 1G"),
        ("buffer", "1073741825", "a size such as 64K, 4M or 1G from 64K to 1G"),
        ("outbox", "lots", "a size such as 64K, 4M or 1G from 64K to 1G"),
        ("max-clients", "0", "a number, at least 1, or infinity"),
        ("max-clients", "1K", "a number, at least 1, or infinity"),
        ("max-clients-per-user", "-1", "a number, at least 1, or infinity"),
        ("hold-time", "x", "\(time), or infinity"),
        ("sockets.a.path", "relative", "an absolute path"),
        ("sockets.a.path", "/run/", "an absolute path"),
        ("sockets.a.mode", "0888", "an octal mode from 0000 to 0777"),
        ("sockets.a.mode", "1777", "an octal mode from 0000 to 0777"),
        ("sockets.a.mode", "rw", "an octal mode from 0000 to 0777"),
        ("sockets.a.group", "no such group", "the name of a group of this machine"),
        ("sockets.a.patience", "-1s", "\(time), or infinity"),
    ])
    func `a value that does not fit is refused with what is allowed`(
        key: String, text: String, allowed: String
    ) {
        let parts = key.split(separator: ".")
        var lines = parts.enumerated().map { String(repeating: "  ", count: $0.offset) + $0.element + ":" }
        lines[lines.count - 1] += " \(text)"
        let isUpstream = parts[0] == "upstream"
        let before = isUpstream ? "upstream:\n  address: a:1\n" : file()
        let body = lines.dropFirst(isUpstream ? 1 : 0).joined(separator: "\n")
        let line = before.split(separator: "\n").count + body.split(separator: "\n").count
        let column = (lines.last?.count ?? 0) - text.count + 1
        let expected = "ais.yaml:\(line):\(column): \(key): found \"\(text)\"; allowed is \(allowed)"
        #expect(errors(in: before + body) == [expected])
    }

    @Test(arguments: [
        ("when-down: maybe", "4:12: when-down: found \"maybe\"; allowed are hold, discard"),
        ("sockets: {a: {send: maybe}}", "4:21: sockets.a.send: found \"maybe\"; allowed are yes, no"),
        ("sockets: {a: {send: [yes]}}", "4:21: sockets.a.send: found a list; allowed are yes, no"),
        (
            "sockets: {a: {when-behind: wait}}",
            "4:28: sockets.a.when-behind: found \"wait\"; allowed are disconnect, drop"
        ),
        ("sockets: {a: 1}", "4:14: sockets.a: found \"1\"; allowed is \(socketMapping)"),
        ("sockets: [a]", "4:10: sockets: found a list; allowed is a mapping from names to mappings"),
        (
            "sockets: {'a b': {}}",
            "4:11: sockets.a b: found \"a b\" as a name; allowed are letters, digits, '_' and '-'"
        ),
        (
            "sockets: {'': {}}",
            "4:11: sockets.: found \"\" as a name; allowed are letters, digits, '_' and '-'"
        ),
    ])
    func `a wrong choice or a wrong socket is refused with what is allowed`(text: String, message: String) {
        #expect(errors(in: file(upstream: "framing: line", top: "\(text)\n")) == ["ais.yaml:\(message)"])
    }
}

private let kinds =
    "line, delimiter, length, varint, fixed, netstring, octet-counted, header, block, slip, cobs, beast, json,"
    + " until-close, idle, none"
private let time = "a time such as 250ms, 10s or 1min 30s"
private let bytes = #"1 to 16 bytes, with the escapes \r \n \t \0 \\ \a \b \f \v \e \" \' \xHH"#
private let socketMapping =
    "a mapping with the keys path, mode, group, framing, unrepresentable, send, when-behind, patience"
