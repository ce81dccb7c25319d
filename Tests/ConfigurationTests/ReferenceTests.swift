import Framing
import Testing

@testable import Configuration

@Suite struct ReferenceTests {
    @Test func `the reference fits 80 columns and is aligned`() {
        let lines = Configuration.keyReference.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 && $0.last != " " })
        let column = lines[1].prefix { $0 == " " }.count
        #expect(
            lines.allSatisfy { line in
                let (left, right) = (line.prefix(column), line.dropFirst(column))
                return right.first != " "
                    && (left.first == " " ? left.allSatisfy { $0 == " " } : left.last == " ")
            })
    }

    @Test func `the reference tells types and defaults`() {
        let text = Configuration.keyReference.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        for line in [
            "upstream.address ADDRESS, or a list; required",
            "upstream.protocol PROTOCOL; default none",
            "upstream.framing KIND, or a mapping; default line",
            "upstream.framing.bytes 1 | 2 | 3 | 4 | 8; default 4",
            "upstream.framing.bytes NUMBER; default 10",
            "upstream.framing.strip NUMBER; default bytes if offset is 0, else 0",
            "upstream.send-framing KIND, or a mapping; default as framing",
            "upstream.max-message SIZE; default 64K", "upstream.reconnect.min TIME; default 250ms",
            "sockets.NAME.mode MODE; default 0660", "sockets.NAME.send yes | no; default yes",
            "sockets.NAME.framing KIND, or a mapping; default as with the upstream",
            "sockets.NAME.unrepresentable skip | disconnect | escape; default skip",
            "upstream.unrepresentable skip | disconnect; default skip",
            "buffer SIZE; default 4M",
            "upstream.bind-address IP ADDRESS; default the kernel's choice",
            "upstream.first-message keep | discard; default keep",
            "upstream.framing.every TIME; default 10s", "upstream.framing.gap TIME; default 50ms",
            "upstream.oversize reconnect | skip; default reconnect",
            "upstream.tls yes | no, or a mapping; default no",
            "upstream.tls.verify full | insecure; default full",
            "upstream.tls.pin PIN, or a list; default none",
            "upstream.failover in-order | random; default in-order",
            "upstream.fail-back TIME; default infinity",
            "upstream.write-timeout TIME; default 2min",
            "upstream.on-connect STEP, or a list; default nothing",
            "upstream.on-connect.expect BYTES; required",
            "upstream.on-connect.within SIZE; default right away",
            "upstream.on-connect.send BYTES; required", "upstream.on-connect.timeout TIME; default 10s",
            "upstream.heartbeat.every TIME; default 30s", "upstream.keepalive.idle TIME; default 1min",
            "upstream.keepalive.count NUMBER; default 4",
            "upstream.reconnect.lasting TIME; default 5min or max",
            "max-clients NUMBER; default infinity", "max-clients-per-user NUMBER; default infinity",
            "when-down hold | discard; default hold", "hold-time TIME; default 5s",
            "ready-when listening | connected; default listening",
            "control.mode MODE; default 0660", "control.group GROUP; default the daemon's own",
        ] {
            #expect(text.contains(line))
        }
    }

    @Test func `the protocols are listed with what they set, in 80 columns`() {
        let lines = Configuration.protocolReference.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        let column = lines[1].prefix { $0 == " " }.count
        let heads = lines.filter { $0.first != " " }.map { $0.prefix(column).split(separator: " ")[0] }
        #expect(heads.map(String.init) == Preset.all.map(\.name))
        for line in [
            "nmea              NMEA 0183 sentences (port 10110)",
            "                  framing: {kind: line, ending: crlf}", "                  buffer: 8M",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test func `the keys of framings are explained once`() {
        #expect(Configuration.keyReference.contains("\nupstream.framing.end"))
        #expect(!Configuration.keyReference.contains("send-framing.end"))
        #expect(!Configuration.keyReference.contains("sockets.NAME.framing.end"))
    }

    /// Every key of the tables is in what is shown of some configuration, and the other way round.
    @Test func `the reference and what is shown have the same keys`() throws {
        var shown: Set<String> = []
        let pin = String(repeating: "A", count: 43) + "="
        var configuration = try read(
            file(
                upstream: """
                    protocol: nmea
                    bind-address: 192.0.2.7
                    tls: {ca-file: /a, server-name: b, certificate: /c, key: /d, alpn: e, pin: \(pin)}
                    on-connect: [{send: x}, {expect: x, within: 9}]
                    heartbeat: {send: 'x\\n', expect: y}
                    """,
                top: "sockets: {NAME: {group: root}}\ncontrol: {group: root}\n"))
        for framing in [
            Framing.line(), .delimiter(end: [1]), .length(LengthField(width: .four)),
            .varint(VarintField(strip: 0)), .fixed(size: 2), .block(start: [1], end: [2]),
            .untilClose(every: .seconds(1)), .idle(gap: .seconds(1)),
        ] {
            configuration.upstream.framing = framing
            configuration.upstream.sendFraming = framing
            configuration.sockets[0].framing = framing
            let document = try Document(Array(configuration.yaml().utf8))
            if let root = document.root { shown.formUnion(paths(in: root)) }
        }
        #expect(shown.subtracting(["sockets.NAME"]) == Set(KeyReference.paths))
    }

    @Test func `each key is explained, in a sentence`() {
        for row in KeyReference.rows {
            #expect(row.help.hasSuffix(".") && row.help.count > 10, "\(row.path)")
            #expect(!row.type.isEmpty, "\(row.path)")
        }
    }

    private func paths(in node: Node) -> [String] {
        if case .list(let nodes) = node.content { return nodes.flatMap(paths) }
        guard case .mapping(let entries) = node.content else { return [] }
        return entries.flatMap { entry in
            [entry.name] + paths(in: entry.value).map { "\(entry.name).\($0)" }
        }
    }
}
