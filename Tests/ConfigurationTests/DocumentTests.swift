import Configuration
import Testing

@Suite struct DocumentTests {
    @Test(arguments: [
        (
            "a: [1\n",
            "4:1: not YAML: did not find expected ',' or ']' "
                + "(while parsing a flow sequence, which began on line 3)"
        ),
        (
            "é:\n\tb: 1\n",
            "4:1: not YAML: found character that cannot start any token "
                + "(while scanning for the next token); indent with spaces, not tabs"
        ),
        ("a: b: c\n", "3:5: not YAML: mapping values are not allowed in this context"),
        ("a: [::1]:80\n", "3:5: not YAML: did not find expected node content (while parsing a flow node)"),
    ])
    func `a syntax error is the only error, with libyaml's words`(text: String, message: String) {
        #expect(errors(in: "x: 1\nx: 2\n" + text) == ["ais.yaml:\(message)"])
    }

    @Test(arguments: ["a: 'x\n", "a: *\n", "%x\n", "a: @b\n", "}", "...\n", "\"\\q\"", "a\nb: 1"])
    func `a syntax error of any kind has a place`(text: String) {
        let found = errors(in: text)
        #expect(found.count == 1)
        #expect(found.first?.prefixMatch(of: #/ais\.yaml:\d+:\d+: not YAML: /#) != nil)
    }

    @Test(arguments: [
        ("a: \u{7}\n", "1:4"), ("é: 1\nb: é\u{7}\n", "2:5"), ("a: 1\n\0", "2:1"),
    ])
    func `a control character is an error with its place`(text: String, place: String) {
        #expect(errors(in: text) == ["ais.yaml:\(place): not UTF-8 text: control characters are not allowed"])
    }

    @Test(
        arguments: [
            ([0x61, 0x3A, 0x20, 0xFF], "1:4"), ([0xFF, 0xFE, 0x61, 0x00], "1:1"),
            ([0x61, 0x0A, 0xC3], "2:1"),
            ([0x61, 0x0A, 0xED, 0xA0, 0x80], "2:1"),
        ] as [([UInt8], String)])
    func `what is not UTF-8 is an error with its place`(bytes: [UInt8], place: String) {
        let found = errors(in: bytes)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("ais.yaml:\(place): not UTF-8 text: ") == true)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "---\n", "~\n", "\u{FEFF}"])
    func `a file without settings is an error`(text: String) {
        let found = errors(in: text)
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix("; allowed is a mapping with the keys \(keys)") == true)
    }

    @Test(arguments: [("[]", "a list"), ("text", "\"text\""), ("- upstream: {}", "a list")])
    func `a file that is no mapping is an error`(text: String, found: String) {
        #expect(
            errors(in: text) == ["ais.yaml:1:1: found \(found); allowed is a mapping with the keys \(keys)"])
    }

    @Test(arguments: [
        ("buffer: &a 4M", "3:9: buffer: found an anchor; anchors are not supported"),
        ("buffer: !!str 4M", "3:9: buffer: found a tag; tags are not supported"),
        ("buffer: ! 4M", "3:9: buffer: found a tag; tags are not supported"),
        ("sockets: &a {}", "3:10: sockets: found an anchor; anchors are not supported"),
        ("&a buffer: 4M", "3:1: found an anchor; anchors are not supported"),
        ("buffer: 4M\nbuffer: 8M", "4:1: buffer: given twice; first on line 3"),
        ("sockets:\n  a:\n    mode: 660\n    mode: 600", "6:5: sockets.a.mode: given twice; first on line 5"),
        ("sockets:\n  a:\n  a:", "5:3: sockets.a: given twice; first on line 4"),
        ("? [a]\n: b", "3:3: found a list as a key"),
        ("---\nupstream: {}", "3:1: a second document; a configuration is one"),
        ("null: 1", "3:1: null: unknown key; allowed are \(keys)"),
    ])
    func `what a configuration has no use for is refused`(top: String, message: String) {
        #expect(errors(in: file(top: "\(top)\n")) == ["ais.yaml:\(message)"])
    }

    @Test func `an alias is refused, once`() {
        #expect(
            errors(in: "upstream: {address: &a b:1, framing: *a}\n") == [
                "ais.yaml:1:21: upstream.address: found an anchor; anchors are not supported",
                "ais.yaml:1:38: upstream.framing: found an alias; aliases are not supported",
            ])
        #expect(errors(in: "*a").count == 1)
    }

    @Test(arguments: ["\u{FEFF}", "---\n", "%YAML 1.1\n---\n", "# é\n\n", "\r\n"])
    func `what YAML allows before a document is no error`(text: String) throws {
        #expect(try read(text + file()).upstream.maxMessage == 65536)
    }

    @Test(arguments: ["\r\n", "\r"])
    func `lines may end as elsewhere`(end: String) {
        let text = file(top: "buffer: 1\n").replacing("\n", with: end)
        #expect(errors(in: text).map { $0.prefix(22) } == ["ais.yaml:3:9: buffer: "])
    }

    @Test(arguments: ["[", "{a: ", "- ", "? "])
    func `what is nested too deeply is an error`(opening: String) {
        let found = errors(in: String(repeating: opening, count: 17) + "1")
        #expect(found.count == 1)
        #expect(found.first?.contains("nested deeper than 16 levels") == true)
    }

    @Test func `too many values are an error`() {
        let found = errors(in: "a: [\(String(repeating: "1,", count: 10_000))]\n")
        #expect(found == ["ais.yaml:1:19999: more than 10000 values"])
    }

    @Test func `a file of 1M is read, and a larger one is not`() throws {
        let padding = String(repeating: "#", count: (1 << 20) - file().utf8.count)
        #expect(try read(file() + padding).name == "ais")
        #expect(errors(in: file() + padding + "#") == ["ais.yaml: larger than 1M"])
    }
}

private let keys =
    "upstream, sockets, buffer, outbox, when-down, hold-time, max-clients, max-clients-per-user, ready-when,"
    + " control"
