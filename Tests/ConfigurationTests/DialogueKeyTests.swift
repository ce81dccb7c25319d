import Configuration
import Testing
import Uplink

@Suite struct DialogueKeyTests {
    private func steps(_ text: String) throws -> [DialogueStep] {
        try read(file(upstream: "on-connect: \(text)")).upstream.onConnect
    }

    @Test func `without on-connect there is no dialogue`() throws {
        #expect(try read(file()).upstream.onConnect == [])
        #expect(try read(file()).upstream.heartbeat == nil)
    }

    @Test func `an empty on-connect is no dialogue`() throws {
        #expect(try steps("[]") == [])
    }

    @Test func `on-connect is a step or a list of steps`() throws {
        #expect(
            try steps("{send: hello}") == [
                DialogueStep(.send([.bytes(Array("hello".utf8))]), timeout: .seconds(10))
            ])
        let text =
            #"[{expect: '# aprsc', within: 4K, show: yes, timeout: 3s}, {send: 'user x\r\n'}, {expect: ok}]"#
        #expect(
            try steps(text) == [
                DialogueStep(
                    .expect(.init(Array("# aprsc".utf8), within: 4096, isShown: true)), timeout: .seconds(3)),
                DialogueStep(.send([.bytes(Array("user x\r\n".utf8))]), timeout: .seconds(10)),
                DialogueStep(.expect(.init(Array("ok".utf8))), timeout: .seconds(10)),
            ])
    }

    @Test(
        arguments: [
            ("${credential:a}", [.credential("a")]),
            (
                #"user ${credential:a b} pass ${credential:p.2}\r\n"#,
                [
                    .bytes(Array("user ".utf8)), .credential("a b"), .bytes(Array(" pass ".utf8)),
                    .credential("p.2"),
                    .bytes([13, 10]),
                ]
            ),
            (#"\\${credential:x}"#, [.bytes([0x5C]), .credential("x")]),
            (#"$${credential:x}"#, [.bytes([0x24]), .credential("x")]),
            (#"\x24{credential:x}"#, [.bytes(Array("${credential:x}".utf8))]),
            (#"${credential}$x${"#, [.bytes(Array("${credential}$x${".utf8))]),
        ] as [(String, [DialogueStep.Piece])])
    func `what is sent may hold credentials, and is shown so that it is read back the same`(
        text: String, pieces: [DialogueStep.Piece]
    ) throws {
        let configuration = try read(file(upstream: "on-connect: {send: '\(text)'}"))
        #expect(configuration.upstream.onConnect.map(\.action) == [.send(pieces)])
        #expect(try read(configuration.yaml()) == configuration)
    }

    @Test(arguments: [
        "${credential:}", "${credential:a", "${credential:a/b}", "${credential:..}", "${credential:a:b}",
        #"\${credential:x}"#, "${credential:\u{E9}}", #"\q"#, "",
        "${credential:\(String(repeating: "x", count: 256))}",
    ])
    func `what cannot be sent is refused with what is allowed`(text: String) {
        let found = errors(in: file(upstream: "on-connect: {send: '\(text)'}"))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("ais.yaml:3:22: upstream.on-connect.send: found") == true, "\(found)")
        #expect(found.first?.hasSuffix(", and ${credential:NAME}") == true, "\(found)")
    }

    @Test(arguments: [
        ("hello", "3:15: upstream.on-connect: found \"hello\"; allowed is \(step)"),
        ("{timeout: 1s}", "3:15: upstream.on-connect: found neither; allowed is \(step)"),
        ("[{send: x}, {send: x, expect: y}]", "3:27: upstream.on-connect: found both; allowed is \(step)"),
        (
            "{send: x, show: yes}",
            "3:25: upstream.on-connect.show: unknown key of a step that sends; allowed are send, timeout"
        ),
        (
            "{expect: abc, within: 2}",
            "3:15: upstream.on-connect: found 3 bytes within 2; allowed is at least their number"
        ),
        (
            "{expect: x, within: 65K}",
            "3:35: upstream.on-connect.within: found \"65K\"; allowed is a size such as 64K, 4M or 1G from 1 to 64K"
        ),
    ])
    func `a wrong step says what of it is wrong`(text: String, message: String) {
        #expect(errors(in: file(upstream: "on-connect: \(text)")) == ["ais.yaml:\(message)"])
    }

    @Test func `a heartbeat has defaults`() throws {
        let heartbeat = try read(file(upstream: "heartbeat: {send: '#\\n'}")).upstream.heartbeat
        #expect(heartbeat == HeartbeatSettings(bytes: [0x23, 0x0A], every: .seconds(30)))
    }
}

private let step = "a mapping with either send or expect"
