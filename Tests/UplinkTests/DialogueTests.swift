import TestSupport
import Testing
import Uplink

@Suite struct DialogueTests {
    private static func expect(_ text: String, within: Int? = nil, isShown: Bool = false) -> DialogueStep {
        DialogueStep(.expect(.init(Array(text.utf8), within: within, isShown: isShown)), timeout: .seconds(1))
    }

    private static let send = DialogueStep(.send([.bytes([1])]), timeout: .seconds(1))

    /// What came of a stream: where the dialogue ended, what it needs then, and what was left over.
    private struct Outcome: Equatable {
        var index: Int
        var demand: Dialogue.Demand
        var rest: String
        /// How much had been taken when a step was done.
        var ends: [Int]
    }

    /// Gives a dialogue a stream piece by piece, and sends what it asks to send at once.
    private func play(_ steps: [DialogueStep], _ pieces: [[UInt8]]) -> Outcome {
        var dialogue = Dialogue(steps)
        var buffer: [UInt8] = []
        var taken = 0
        var ends: [Int] = []
        for piece in pieces {
            buffer += piece
            while true {
                let step = dialogue.index
                if dialogue.demand == .sending {
                    dialogue.sent()
                } else {
                    let count = dialogue.received(buffer.span)
                    buffer.removeFirst(count)
                    taken += count
                }
                guard dialogue.index > step else { break }
                ends.append(taken)
            }
        }
        return Outcome(
            index: dialogue.index, demand: dialogue.demand, rest: String(decoding: buffer, as: UTF8.self),
            ends: ends)
    }

    /// The stream whole, byte by byte, and at every single cut.
    private func check(_ steps: [DialogueStep], _ stream: String, _ expected: Outcome) {
        let bytes = Array(stream.utf8)
        #expect(play(steps, [bytes]) == expected, "\(stream)")
        #expect(play(steps, bytes.map { [$0] }) == expected, "\(stream), byte by byte")
        for cut in 0...bytes.count {
            #expect(
                play(steps, [Array(bytes[..<cut]), Array(bytes[cut...])]) == expected,
                "\(stream), cut at \(cut)")
        }
    }

    @Test func `what follows the last step is left over, however the stream is cut`() {
        let login = [Self.expect("login:"), Self.send, Self.expect("ok\n")]
        check(login, "login:ok\nfeed\n", Outcome(index: 3, demand: .done, rest: "feed\n", ends: [6, 6, 9]))
        check([Self.send], "feed", Outcome(index: 1, demand: .done, rest: "feed", ends: [0]))
        check(
            [Self.expect("a"), Self.expect("b")], "ab",
            Outcome(index: 2, demand: .done, rest: "", ends: [1, 2]))
        check(login, "login:o", Outcome(index: 2, demand: .bytes, rest: "", ends: [6, 6]))
    }

    @Test func `within a limit what is before the expected bytes is passed over`() {
        let steps = [Self.expect("# aprsc", within: 100), Self.expect("\n", within: 100)]
        check(
            steps, "hello ## aprsc 2.1\r\nfeed",
            Outcome(index: 2, demand: .done, rest: "feed", ends: [14, 20]))
        check(
            [Self.expect("aabaaa", within: 20)], "aabaabaaabx",
            Outcome(index: 1, demand: .done, rest: "bx", ends: [9]))
    }

    @Test func `what ends with the limit's last byte counts, what ends after it does not`() {
        check([Self.expect("ab", within: 4)], "xxabz", Outcome(index: 1, demand: .done, rest: "z", ends: [4]))
        check(
            [Self.expect("ab", within: 4)], "xxxab", Outcome(index: 0, demand: .nothing, rest: "b", ends: []))
    }

    @Test func `the limit is that of each step`() {
        let steps = [Self.expect("a", within: 3), Self.expect("b", within: 3)]
        check(steps, "xxaxxb", Outcome(index: 2, demand: .done, rest: "", ends: [3, 6]))
    }

    @Test func `the first wrong byte is noticed, and the words are listened to up to the line's end`() {
        check([Self.expect("ok")], "on", Outcome(index: 0, demand: .words, rest: "", ends: []))
        check(
            [Self.expect("ok")], "no entry\nrest", Outcome(index: 0, demand: .nothing, rest: "rest", ends: [])
        )
        check(
            [Self.expect("ok")], "\r\n no entry\r\nrest",
            Outcome(index: 0, demand: .nothing, rest: "rest", ends: []))
        let long = String(repeating: "x", count: Dialogue.longestWords)
        check([Self.expect("ok")], long + "yz", Outcome(index: 0, demand: .nothing, rest: "yz", ends: []))
    }

    @Test func `nothing is taken while something is to be sent`() {
        var dialogue = Dialogue([Self.send, Self.expect("a")])
        #expect(dialogue.received([UInt8(ascii: "a")].span) == 0)
        #expect(dialogue.demand == .sending)
    }

    @Test func `only the steps that are to be shown are shown`() {
        var dialogue = Dialogue([Self.expect("a", isShown: true), Self.send, Self.expect("b")])
        #expect(dialogue.isShown)
        #expect(dialogue.received([UInt8(ascii: "a")].span) == 1)
        #expect(!dialogue.isShown)
        dialogue.sent()
        #expect(!dialogue.isShown && dialogue.expected == "b")
    }

    /// Against a search that is as simple as can be.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `at random, what is found is where a plain search finds it`(seed: UInt64) {
        var random = Seeded(seed)
        let letters = Array("ab".utf8)
        let wanted = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            letters.randomElement(using: &random)!
        }
        let stream = (0..<Int.random(in: 0...60, using: &random)).map { _ in
            letters.randomElement(using: &random)!
        }
        let limit = Int.random(in: wanted.count...80, using: &random)
        let found = stream.indices.map { $0 + 1 }.first {
            $0 >= wanted.count && $0 <= limit && Array(stream[($0 - wanted.count)..<$0]) == wanted
        }
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        let step = DialogueStep(.expect(.init(wanted, within: limit)), timeout: .seconds(1))
        let outcome = play([step], pieces)
        #expect(outcome.ends == (found.map { [$0] } ?? []), "seed \(seed)")
        let isOver = found == nil && stream.count >= limit
        #expect(outcome.demand == (found != nil ? .done : isOver ? .nothing : .bytes), "seed \(seed)")
    }
}

@Suite struct WordsTests {
    private func text(_ said: String, hiding secrets: String..., isCut: Bool = false) -> String {
        let bytes = Array(said.utf8)
        var words = Words(count: bytes.count)
        for secret in secrets { words.hide(Array(secret.utf8).span, in: bytes.span) }
        return words.text(of: bytes.span, isCut: isCut)
    }

    @Test func `what was said is shown in one line of ASCII, without the ends of lines around it`() {
        #expect(text("\r\nLogin incorrect\r\n") == "Login incorrect")
        #expect(text("a\r\nb\u{1B}[2J\u{E9}") == #"a\r\nb\e[2J\xc3\xa9"#)
        #expect(text("") == "")
        #expect(text("\r\n") == "")
    }

    @Test func `a credential is hidden wherever it stands`() {
        #expect(text("user joe pass 12345 is wrong\n", hiding: "12345") == "user joe pass *** is wrong")
        #expect(text("joe12345joe", hiding: "joe", "12345") == "***")
        #expect(text("aaaa", hiding: "aa") == "***")
        #expect(text("x", hiding: "x") == "***")
        #expect(text(" secret\n", hiding: "\n") == "secret***")
    }

    @Test func `so is the part of one that was cut off`() {
        #expect(text("345 is wrong, pass 123", hiding: "12345") == "*** is wrong, pass ***")
        #expect(text("123456", hiding: "9123456789") == "***")
        #expect(text("rest", hiding: "12345t") == "rest")
    }

    @Test func `of much the end is shown`() {
        #expect(text("no\n", isCut: true) == "…no")
        let longest = Dialogue.longestWords
        #expect(text(String(repeating: "\u{1}", count: longest)).count == longest + 1)
    }
}
