import Framing
import TestSupport
import Testing

/// JSON values one after the other.
struct JSONTests {
    static let values = [
        "{}", "[]", "\"\"", "0", "true", "null", "-1.5e+3", #"{"a":"}\"]"}"#, #"["\\"]"#, #""\\\"""#,
        #"[{"b":[1, 2, {}]}]"#, "\"{\"", "[\n]",
    ]
    static let others = [
        "", " ", "{", "}", "1 ", " 1", "{}{}", "x", "\"", "[}", "{]", "[}x", ",", "1 2", "[]\n", #""\""#,
        "1,",
    ]

    static func payload(using random: inout Seeded) -> [UInt8] {
        let texts = Int.random(in: 0..<4, using: &random) == 0 ? others : values
        return [UInt8](texts.randomElement(using: &random) ?? "")
    }

    static func isNone(_ payload: [UInt8]) -> Bool { others.contains { [UInt8]($0) == payload } }

    @Test(arguments: [
        ("{}{}", ["{}", "{}"]), ("{}\n{}\r\n", ["{}", "{}"]), (" \t\r\n[] ", ["[]"]),
        ("1 2\n3", ["1", "2"]), ("1{}2[]3\"a\"4 ", ["1", "{}", "2", "[]", "3", "\"a\"", "4"]),
        ("truefalse null ", ["truefalse", "null"]), (#""a""b\"c""\\""#, [#""a""#, #""b\"c""#, #""\\""#]),
        (#"{"a":"}","b":"\"}"}[[["]"]]]"#, [#"{"a":"}","b":"\"}"}"#, #"[[["]"]]]"#]),
        ("-0.5E-7\n", ["-0.5E-7"]), ("{\"é\":\"\u{1F600}\"}\n", ["{\"é\":\"\u{1F600}\"}"]),
        ("[1,\n2]\n\n[", ["[1,\n2]"]),
    ])
    func `a value ends where its brackets or quotes do, or where another byte follows`(
        stream: String, payloads: [String]
    ) {
        verify(.json, [UInt8](stream), holds: payloads.map { [UInt8]($0) })
    }

    /// RFC 8259, section 13: its two examples and three more, as they stand in the text.
    @Test func `the examples of the RFC are found`() {
        let object = """
            {
              "Image": {
                  "Width":  800,
                  "Height": 600,
                  "Title":  "View from 15th Floor",
                  "Thumbnail": {
                      "Url":    "http://www.example.com/image/481989943",
                      "Height": 125,
                      "Width":  100
                  },
                  "Animated" : false,
                  "IDs": [116, 943, 234, 38793]
                }
            }
            """
        let array = "[{\"precision\": \"zip\", \"Latitude\":  37.7668}, {\"precision\": \"zip\"}]"
        let texts = [object, array, "\"Hello world!\"", "42", "true"]
        verify(.json, [UInt8](texts.joined(separator: "\n\n") + "\n"), holds: texts.map { [UInt8]($0) })
    }

    @Test(arguments: ["}", "]", ",", ":", "x", "+1", ".5", "\u{FEFF}{}", "\0", "'a'", "N"])
    func `what is no value is a fault`(text: String) {
        for skips in [nil, []] as [[[UInt8]]?] {
            verify(
                .json, [UInt8]("[1]2 " + text), holds: ["[1]", "2"].map { [UInt8]($0) }, passesOver: skips,
                then: .malformed(.noJSON))
        }
    }

    @Test(arguments: [
        "[}", "{]", "[[]}", "{\"a\":[1}", "[{\"]\":\"[\"]", String(repeating: "[", count: 64) + "}",
    ])
    func `a bracket that closes one of the other kind is a fault`(text: String) {
        verify(
            .json, [UInt8]("[{}]" + text + "1 "), holds: [[UInt8]("[{}]")], then: .malformed(.otherBracket))
    }

    @Test func `what is nested deeper than 64 brackets is counted only`() {
        let deep = String(repeating: "[", count: 64) + "{]" + String(repeating: "]", count: 64)
        verify(.json, [UInt8](deep + deep), holds: [[UInt8](deep), [UInt8](deep)])
    }

    /// Up to the limit, the message is not known to be too long.
    @Test(arguments: 1..<20)
    func `such a bracket in a value that is passed over is found as well`(count: Int) {
        let value = [UInt8]("[" + String(repeating: "1", count: count))
        let isTooLong = value.count > 10
        verify(
            .json, limit: 10, value + [UInt8]("}[]"), holds: [], passesOver: isTooLong ? [value] : [],
            then: .malformed(.otherBracket))
    }

    @Test(arguments: ["[%]", "\"%\"", "%"])
    func `a value longer than the limit is a fault, or passed over`(pattern: String) {
        func value(_ count: Int) -> [UInt8] {
            let fill = String(repeating: "1", count: count - pattern.utf8.count + 1)
            return [UInt8](
                pattern.split(separator: "%", omittingEmptySubsequences: false).joined(separator: fill))
        }
        for count in [19, 20] { verify(.json, limit: 20, value(count) + [0x0A], holds: [value(count)]) }
        // The white space that ends a number belongs to its frame, else to the next.
        let isNumber = pattern == "%"
        for count in [21, 22, 100] {
            let long = value(count)
            let stream = value(20) + [0x0A] + long + [0x0A] + value(20) + [0x0A]
            verify(.json, limit: 20, stream, holds: [value(20)], then: .tooLong(limit: 20))
            let skipped = isNumber ? long + [0x0A] : [0x0A] + long
            verify(.json, limit: 20, stream, holds: [value(20), value(20)], passesOver: [skipped])
        }
    }

    @Test func `white space is skipped, however much there is`() {
        var stream = Stream(.json, limit: 10)
        for _ in 0..<100 {
            stream.receive([UInt8](repeating: 0x20, count: 1000))
            #expect(stream.unconsumed.count == 16)
        }
        stream.receive([UInt8]("1 "))
        #expect(stream.found.frames == [Frame(length: 18, header: 16, trailer: 1)])
        #expect(stream.found.between.count == 99_984)
    }

    @Test func `depth has no limit of its own`() {
        let deep = [UInt8](repeating: 0x5B, count: 100_000) + [UInt8](repeating: 0x5D, count: 100_000)
        var stream = Stream(.json, limit: 200_000)
        stream.receive(deep)
        #expect(stream.found.payloads == [deep])
    }

    @Test func `a value that drips in is not looked at again`() throws {
        var stream = Stream(.json, limit: 2000)
        stream.receive([UInt8]("{\""))
        for _ in 0..<1000 {
            stream.receive(CollectionOfOne(0x61))
            try #require(stream.found.frames.isEmpty && stream.found.fault == nil)
            for i in stream.unconsumed.indices { stream.unconsumed[i] = 0x7D }
        }
        stream.receive([UInt8]("\":1}"))
        #expect(stream.found.frames == [Frame(length: 1006)])
    }

    @Test(arguments: seeds)
    func `whatever comes, it is the same however it is cut`(seed: UInt64) {
        var random = Seeded(seed)
        let alphabet = [UInt8]("{[]}\"\\ 1\n")
        for skips in [false, true] {
            let stream = (0..<60).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            verifySame(.json, limit: 4, stream, skipsOversize: skips, seed: seed)
        }
    }
}
