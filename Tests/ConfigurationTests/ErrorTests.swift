import Configuration
import Testing

@Suite struct ErrorTests {
    @Test func `all errors of a file are told at once, in its order`() {
        let text = """
            upstream:
              adress: a:1
              framing: {kind: delimiter, end: '\\q', size: 1}
              reconnect: {min: 1ms, max: 1x}
            sockets:
              a: {mode: 999, group: no such group}
              b: [x]
              c: {pahth: /x}
            bufer: 4M
            outbox: 1
            mode: 0660
            """
        let time = "a time such as 250ms, 10s or 1min 30s"
        let expected = [
            "2:3: upstream.adress: unknown key; did you mean 'address'?",
            "3:35: upstream.framing.end: found \"\\q\"; allowed is 1 to 16 bytes, with the escapes "
                + #"\r \n \t \0 \\ \a \b \f \v \e \" \' \xHH"#,
            "3:41: upstream.framing.size: unknown key of the kind delimiter; allowed are kind, end",
            "4:20: upstream.reconnect.min: found \"1ms\"; allowed is \(time), at least 10ms",
            "4:30: upstream.reconnect.max: found \"1x\"; allowed is \(time)",
            "6:13: sockets.a.mode: found \"999\"; allowed is an octal mode from 0000 to 0777",
            "6:25: sockets.a.group: found \"no such group\"; allowed is the name of a group of this machine",
            "7:6: sockets.b: found a list; allowed is a mapping with the keys "
                + "path, mode, group, framing, unrepresentable, send, when-behind, patience",
            "8:7: sockets.c.pahth: unknown key; did you mean 'path'?",
            "9:1: bufer: unknown key; did you mean 'buffer'?",
            "10:9: outbox: found \"1\"; allowed is a size such as 64K, 4M or 1G from 64K to 1G",
            "11:1: mode: unknown key; did you mean 'sockets.NAME.mode' or 'control.mode'?",
        ]
        #expect(errors(in: text) == expected.map { "ais.yaml:\($0)" })
    }

    @Test func `what stands under a misspelt key is looked at as well`() {
        let text = """
            upstraem:
              address: a:1
              framming: {knd: length, byts: 5}
              on-connect: [{expct: '\\q'}]
              reconnect: {max: x, lasting: 0s}
            socket: {a: {mode: 999}}
            control: {path: /x}
            """
        let expected = [
            "1:1: upstraem: unknown key; did you mean 'upstream'?",
            "3:3: upstream.framming: unknown key; did you mean 'framing'?",
            "3:14: upstream.framing.knd: unknown key of the kind length; did you mean 'kind'?",
            "3:27: upstream.framing.byts: unknown key of the kind length; did you mean 'bytes'?",
            "3:33: upstream.framing.bytes: found \"5\"; allowed are 1, 2, 3, 4, 8",
            "4:17: upstream.on-connect.expct: unknown key of a step that expects; did you mean 'expect'?",
            "4:24: upstream.on-connect.expect: found \"\\q\"; allowed is 1 to 256 bytes, with the escapes "
                + #"\r \n \t \0 \\ \a \b \f \v \e \" \' \xHH"#,
            "5:20: upstream.reconnect.max: found \"x\"; allowed is a time such as 250ms, 10s or 1min 30s",
            "5:32: upstream.reconnect.lasting: found \"0s\"; allowed is a time such as 250ms, 10s or 1min 30s, at"
                + " least 10ms",
            "6:1: socket: unknown key; did you mean 'sockets'?",
            "6:20: sockets.a.mode: found \"999\"; allowed is an octal mode from 0000 to 0777",
            "7:11: control.path: unknown key; allowed are mode, group",
        ]
        #expect(errors(in: text) == expected.map { "ais.yaml:\($0)" })
    }

    @Test(arguments: [
        ("127.0.0.1:99999", "whose port is not from 1 to 65535"),
        ("a:0", "whose port is not from 1 to 65535"),
        ("tcp://host:1", "with a scheme, which is not used here"), ("host", "without a port"),
        ("'[::1]'", "without a port"), ("'::1:80'", "an IPv6 address without brackets"),
        ("'::1'", "an IPv6 address without brackets"), ("a:http", "whose port is no number"),
        ("unix:run/x", "whose path is not absolute"),
        ("unix:/\(String(repeating: "x", count: 107))", "whose path has 108 bytes, more than 107"),
    ])
    func `what of an address is wrong is told`(text: String, problem: String) {
        let found = errors(in: "upstream: {address: \(text)}\n")
        #expect(found.count == 1 && found.first?.contains(", \(problem); allowed are ") == true, "\(found)")
    }

    @Test func `an error has its parts for programs`() {
        #expect {
            try read("upstream: {address: a:1}\nbuffer: 1K\n")
        } throws: { error in
            let expected = ConfigurationError(
                file: "ais.yaml", position: ConfigurationError.Position(line: 2, column: 9), key: "buffer",
                message: "found \"1K\"; allowed is a size such as 64K, 4M or 1G from 64K to 1G")
            return (error as? ConfigurationErrors)?.errors == [expected]
        }
    }

    @Test(arguments: [
        (
            "max-message: 3M",
            "3:16: upstream.max-message: found \"3M\"; allowed is at most 512K, half of outbox (1M)"
        ),
        (
            "reconnect: {min: 1min}",
            "3:20: upstream.reconnect.min: found \"1min\"; allowed is at most max (30s)"
        ),
        (
            "reconnect: {max: 1ms}",
            "3:20: upstream.reconnect.max: found \"1ms\"; allowed is at least min (250ms)"
        ),
        (
            "reconnect: {min: 2s, max: 1s}",
            "3:29: upstream.reconnect.max: found \"1s\"; allowed is at least min (2s)"
        ),
        (
            "framing: {kind: length, offset: 1, strip: 5}",
            "3:45: upstream.framing.strip: found \"5\"; allowed with a send-framing of its own, or send: no on all"
                + " sockets, for such a header cannot be put back"
        ),
        (
            "send-framing: {kind: varint, offset: 1, strip: 2}",
            "3:50: upstream.send-framing.strip: found \"2\"; allowed with send: no on all sockets, for such a"
                + " header cannot be put back"
        ),
        (
            "send-framing: idle",
            "3:17: upstream.send-framing: found \"idle\"; allowed is a kind that divides what clients send; none"
                + " sends it as it comes"
        ),
        (
            "max-message: 512K\nframing: line\nsend-framing: slip",
            "3:16: upstream.max-message: found \"512K\"; allowed is at most 256K, a quarter of outbox (1M)"
        ),
        (
            "reconnect: {max: 1min, lasting: 59s}",
            "3:35: upstream.reconnect.lasting: found \"59s\"; allowed is at least max (1min)"
        ),
        (
            "heartbeat: {send: 'x\\n', hide: yes}",
            "3:34: upstream.heartbeat.hide: found \"yes\"; allowed with expect only, which tells what is kept from"
                + " clients"
        ),
        (
            "heartbeat: {send: 'x\\n', expect: 'pong\\r\\n'}",
            "3:36: upstream.heartbeat.expect: found \"pong\\r\\n\"; allowed is the beginning of a message, without"
                + " what ends it"
        ),
        (
            "framing: {kind: delimiter, end: '||'}\nheartbeat: {send: 'x||', expect: 'a||b'}",
            "4:36: upstream.heartbeat.expect: found \"a||b\"; allowed is the beginning of a message, without what"
                + " ends it"
        ),
        (
            "framing: {kind: fixed, size: 2}\nheartbeat: {send: xy, expect: abc}",
            "4:33: upstream.heartbeat.expect: found \"abc\"; allowed is at most 2, as long as a message can be"
        ),
        (
            "heartbeat: {send: ping}",
            "3:21: upstream.heartbeat.send: found \"ping\"; allowed are whole messages of framing (line), for"
                + " anything else would be glued to what a client sends next; did you mean 'ping\\n'?"
        ),
        (
            "heartbeat: {send: \(String(repeating: "x", count: 60))}",
            "3:21: upstream.heartbeat.send: found \"\(String(repeating: "x", count: 60))\"; allowed are whole messages"
                + " of framing (line), for anything else would be glued to what a client sends next; did you forget"
                + " '\\n' at its end?"
        ),
        (
            "send-framing: {kind: length, bytes: 2}\nheartbeat: {send: '\\0\\x05ping'}",
            "4:21: upstream.heartbeat.send: found \"\\0\\x05ping\"; allowed are whole messages of send-framing"
                + " (length), for anything else would be glued to what a client sends next"
        ),
        (
            "protocol: gelf-tcp\nheartbeat: {send: '{}'}",
            "4:21: upstream.heartbeat.send: found \"{}\"; allowed are whole messages of framing (delimiter), for"
                + " anything else would be glued to what a client sends next; protocol gelf-tcp sets"
                + " upstream.framing; did you mean '{}\\0'?"
        ),
        (
            "framing: beast\nsend-framing: line\nheartbeat: {send: 'x\\n', expect: 11111111112222222222333}",
            "5:36: upstream.heartbeat.expect: found \"11111111112222222222333\"; a number needs quotes here; did you mean"
                + " the text '11111111112222222222333'?"
        ),
        (
            "framing: beast\nsend-framing: line\nheartbeat: {send: 'x\\n', expect: '11111111112222222222333'}",
            "5:36: upstream.heartbeat.expect: found \"11111111112222222222333\"; allowed is at most 22, as long as a"
                + " message can be"
        ),
        (
            "framing: {kind: block, start: a, end: b}\nheartbeat: {send: axb, expect: xb}",
            "4:34: upstream.heartbeat.expect: found \"xb\"; allowed is the beginning of a message, without what ends"
                + " it"
        ),
        (
            "max-message: 1\nsend-framing: {kind: fixed, size: 2}",
            "4:37: upstream.send-framing.size: found \"2\"; allowed is at most max-message (1)"
        ),
        (
            "framing: {kind: length, bytes: 1, adjust: -300}",
            "3:45: upstream.framing.adjust: found \"-300\"; allowed is what leaves something to count: with bytes and"
                + " strip as they are, no message could be valid"
        ),
        (
            "send-framing: {kind: varint, bytes: 1, strip: 1000}",
            "3:49: upstream.send-framing.strip: found \"1000\"; allowed is what leaves something to count: with bytes"
                + " and strip as they are, no message could be valid"
        ),
        (
            "framing: {kind: length, offset: 100}\nmax-message: 100",
            "3:12: upstream.framing: found a mapping; allowed is one whose messages can be within max-message (100):"
                + " these have at least 104 bytes"
        ),
        (
            "framing: {kind: fixed, size: 2}\noversize: skip",
            "4:13: upstream.oversize: found \"skip\"; allowed is reconnect, for in a fixed framing nothing tells"
                + " where the next message begins"
        ),
        (
            "framing: until-close\nfirst-message: discard",
            "4:18: upstream.first-message: found \"discard\"; allowed is keep, for in that framing nothing tells"
                + " where the first message ends"
        ),
        (
            "framing: none\nfirst-message: discard",
            "4:18: upstream.first-message: found \"discard\"; allowed is keep, for in that framing nothing tells"
                + " where the first message ends"
        ),
        (
            "on-connect: [{expect: hi, show: yes}]\nfirst-message: discard",
            "4:18: upstream.first-message: found \"discard\"; allowed is keep where clients get what the server"
                + " says in on-connect (show: yes)"
        ),
    ])
    func `a contradiction in the upstream is an error`(upstream: String, message: String) {
        #expect(errors(in: file(upstream: upstream)) == ["ais.yaml:\(message)"])
    }

    @Test(arguments: ["framing: none", "framing: idle", "framing: until-close", "send-framing: none"])
    func `where bytes do not divide messages a heartbeat may be any bytes`(framing: String) {
        #expect(errors(in: file(upstream: "\(framing)\nheartbeat: {send: ping}")) == [])
    }

    @Test func `a heartbeat is no fault beside a framing that is wrong`() {
        let text = file(
            upstream: "send-framing: {kind: fixed, size: 1G}\nmax-message: 2G\nheartbeat: {send: ping}",
            top: "outbox: x\nbuffer: y\n")
        #expect(errors(in: text).count == 3, "\(errors(in: text))")
    }

    @Test func `a header that is stripped is no fault where nobody sends`() throws {
        let framing = "framing: {kind: length, offset: 1, strip: 5}"
        #expect(errors(in: file(upstream: framing, top: "sockets: {default: {send: no}}\n")) == [])
        #expect(errors(in: file(upstream: "\(framing)\nsend-framing: line")) == [])
    }

    @Test func `SLIP needs twice the room`() {
        #expect(
            errors(in: file(upstream: "framing: slip", top: "buffer: 128K\n")) == [
                "ais.yaml:4:9: buffer: found \"128K\"; allowed is at least 256K, four times upstream.max-message (64K)"
            ])
        #expect(errors(in: file(upstream: "framing: slip", top: "buffer: 256K\n")) == [])
    }

    @Test(arguments: [
        (
            "buffer: 64K",
            "3:9: buffer: found \"64K\"; allowed is at least 128K, twice upstream.max-message (64K)"
        ),
        ("outbox: 100000", nil),
        (
            "outbox: 65536",
            "3:9: outbox: found \"65536\"; allowed is at least 128K, twice upstream.max-message (64K)"
        ),
        (
            "sockets: {a: {path: /x}, b: {path: //./x}}",
            "3:36: sockets.b.path: found \"//./x\"; allowed is a path of its own, not that of sockets.a.path"
        ),
        (
            "sockets: {a: {path: /run/trunkline/ais.sock}, default: }",
            "3:56: sockets.default.path: found \"/run/trunkline/ais.sock\" (the default); "
                + "allowed is a path of its own, not that of sockets.a.path"
        ),
    ])
    func `a contradiction among other keys is an error`(top: String, message: String?) {
        #expect(errors(in: file(top: top + "\n")) == message.map { ["ais.yaml:\($0)"] } ?? [])
    }

    @Test func `a bridge cannot be its own upstream`() {
        let found = errors(in: "upstream: {address: unix:/run/trunkline/ais.sock}\n")
        #expect(
            found == [
                "ais.yaml:1:1: sockets.default.path: found \"/run/trunkline/ais.sock\" (the default); "
                    + "allowed is a path of its own, not that of upstream.address"
            ])
    }

    @Test func `an address to bind to is nothing for Unix sockets alone`() {
        let mixed = "upstream: {address: [unix:/a, b:1], bind-address: 192.0.2.7}\n"
        #expect(errors(in: mixed).isEmpty)
        let found = errors(in: "upstream: {address: [unix:/a, unix:/b], bind-address: 192.0.2.7}\n")
        #expect(
            found == [
                "ais.yaml:1:55: upstream.bind-address: found \"192.0.2.7\"; allowed with a host:port only: Unix"
                    + " sockets have no such address"
            ])
    }

    @Test(arguments: [
        ("'127.0.0.1:1'", "'::1'", "::1", "IPv4"),
        ("['[::1]:1', '[fe80::1%lo]:2']", "127.0.0.1", "127.0.0.1", "IPv6"),
    ])
    func `an address to bind to is of the family of one of the server's`(
        address: String, local: String, shown: String, family: String
    ) {
        let found = errors(in: "upstream:\n  address: \(address)\n  bind-address: \(local)\n")
        #expect(
            found == [
                "ais.yaml:3:17: upstream.bind-address: found \"\(shown)\"; allowed is an address of \(family), as all"
                    + " in upstream.address are: from one of the other family there is no connection to any"
            ])
        for more in ["host:1", "unix:/a", "127.0.0.1:1, '[::1]:1'", "127.1:1"] {
            #expect(
                errors(in: "upstream: {address: [\(more)], bind-address: 127.0.0.1}\n").isEmpty
                    == !more.hasPrefix("unix"))
        }
    }

    @Test func `what is wrong already is not called a contradiction too`() {
        let text = file(
            upstream: "max-message: 3M\nreconnect: {min: 1h, max: 1x}", top: "buffer: 1\noutbox: 8M\n")
        #expect(errors(in: text).count == 2)
    }

    @Test func `a path has at most 107 bytes`() throws {
        let longest = "/" + String(repeating: "é", count: 53)
        #expect(try read(file(top: "sockets: {a: {path: \(longest)}}\n")).sockets[0].path.utf8.count == 107)
        let message = "allowed are at most 107 bytes, not 108"
        #expect(
            errors(in: file(top: "sockets: {a: {path: \(longest)x}}\n"))
                == ["ais.yaml:3:21: sockets.a.path: found \"\(longest)x\"; \(message)"])
        let name = String(repeating: "n", count: 88)
        let shown = "/run/trunkline/ais.\(String(repeating: "n", count: 41))…"
        let key = "ais.yaml:3:101: sockets.\(name).path"
        #expect(
            errors(in: file(top: "sockets: {\(name): {}}\n"))
                == ["\(key): found \"\(shown)\" (the default); allowed are at most 107 bytes, not 112"])
    }

    @Test(arguments: [
        ("/etc/trunkline/ais.yaml", "ais"), ("a/b_C-9.yml", "b_C-9"), ("plain", "plain"), ("-.yaml", "-"),
    ])
    func `the bridge is named after the file`(path: String, name: String) throws {
        #expect(try read(file(), path: path).name == name)
    }

    @Test(arguments: [
        ("a b.yaml", "a b"), (".yaml", ""), ("ais.conf", "ais.conf"), ("x.yaml.yaml", "x.yaml"), ("", ""),
        ("é.yaml", "é"),
    ])
    func `a file whose name is no bridge's is refused`(path: String, name: String) {
        let message = "found \"\(name)\" as the bridge's name; allowed are letters, digits, '_' and '-'"
        #expect(errors(in: file(), path: path) == ["\(path): \(message)"])
    }

    @Test func `a wrong name comes before the errors of the file`() {
        let found = errors(in: "upstream: 1\nx: 2\n", path: "a b.yaml")
        let expected = ["a b.yaml: found", "a b.yaml:1:11: ", "a b.yaml:2:1: x"]
        #expect(found.map { String($0.prefix(15)) } == expected)
    }

    @Test func `what is shown of a value is short and printable`() {
        let found = errors(
            in: file(top: "buffer: \"\\e[31m\\u202e\(String(repeating: "x", count: 1000))\"\n"))
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("ais.yaml:3:9: buffer: found \"\\e[31m\\xe2\\x80\\xaexxx"))
        #expect(found[0].contains("xxx…\"; allowed"))
        #expect(found[0].count < 250)
    }
}
