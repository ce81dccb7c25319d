import Control
import Testing

@testable import trunklinectl

@Suite struct TopModelTests {
    private func clients(_ model: TopModel, after time: Duration = .zero) -> [String] {
        model.clients(now: TopFixture.start + time).map { "\($0.bridge) \($0.client.number)" }
    }

    private func pressing(_ keys: String, _ model: TopModel = TopFixture.model) -> (
        TopModel, TopModel.Effect?
    ) {
        var model = model
        let effects = keys.map { model.pressed(.character($0)) }
        return (model, effects.last ?? nil)
    }

    @Test func `q ends it, from the help as well`() {
        #expect(pressing("q").1 == .quit)
        #expect(pressing("hq").1 == .quit)
        #expect(pressing("x").1 == nil)
    }

    @Test func `a bridge is reconnected once its user has said yes`() {
        #expect(pressing("jr").1 == nil)
        #expect(pressing("jry").1 == .reconnect("ais"))
        #expect(pressing("jrn").1 == nil)
        #expect(pressing("jrny").1 == nil)
        // Nothing else has an effect meanwhile.
        #expect(pressing("jrq").1 == nil)
        #expect(pressing("ry").1 == nil)
    }

    @Test func `the only bridge need not be selected`() {
        var model = TopModel()
        model.show(["ais"], now: TopFixture.start)
        #expect(pressing("ry", model).1 == .reconnect("ais"))
    }

    @Test(arguments: [
        ("j", "ais"), ("k", "ais"), ("jj", "chat"), ("jjk", "ais"), ("jkkk", "ais"), ("jjjjjjj", "quiet"),
    ])
    func `the selection moves within the bridges`(keys: String, bridge: String) {
        #expect(pressing(keys).0.selected == bridge)
    }

    @Test func `a selected bridge that has gone is selected no more, until it is back`() {
        var (model, _) = pressing("jj")
        model.show(["ais", "hung"], now: TopFixture.start)
        #expect(model.selected == nil)
        model.show(["ais", "chat", "hung"], now: TopFixture.start)
        #expect(model.selected == "chat")
    }

    @Test func `clients are those of the selected bridge, or of all`() {
        var model = TopFixture.model
        model.answered("chat", TopFixture.description("chat", clients: [TopFixture.client(1, lag: 9000)]))
        #expect(clients(model) == ["ais 2", "chat 1", "ais 1"])
        #expect(clients(pressing("jj", model).0) == ["chat 1"])
        _ = model.pressed(.down)
        _ = model.pressed(.escape)
        #expect(clients(model) == ["ais 2", "chat 1", "ais 1"])
    }

    @Test(arguments: [
        ("", [3, 1, 2, 4]), ("s", [2, 1, 3, 4]), ("ss", [4, 1, 2, 3]), ("sss", [4, 3, 2, 1]),
        ("ssss", [3, 1, 2, 4]),
    ])
    func `clients are sorted by lag, by what they missed, by what they sent, by age`(
        keys: String, numbers: [Int]
    ) {
        var model = TopModel()
        model.show(["ais"], now: TopFixture.start)
        let all = [
            TopFixture.client(1), TopFixture.client(2, missed: 10), TopFixture.client(3, lag: 10),
            TopFixture.client(4, sent: 10),
        ]
        model.answered("ais", TopFixture.description("ais", clients: all))
        // Of equals the older comes first.
        #expect(pressing(keys, model).0.clients(now: TopFixture.start).map(\.client.number) == numbers)
    }

    @Test func `silence is told after two seconds, from the first question that was not answered`() {
        var model = TopFixture.model
        let start = TopFixture.start
        for second in 0..<4 { model.asked("ais", at: start + .seconds(second)) }
        #expect(model.bridges[0].silence(now: start + .milliseconds(1999)) == nil)
        #expect(model.bridges[0].silence(now: start + .seconds(4)) == .seconds(4))
        #expect(clients(model, after: .seconds(4)) == [])
        model.answered("ais", TopFixture.description("ais"))
        #expect(model.bridges[0].silence(now: start + .seconds(9)) == nil)
    }

    @Test func `a history has gaps where nothing is known, and is not kept for ever`() {
        var model = TopModel()
        model.show(["ais"], now: TopFixture.start)
        model.answered("ais", TopFixture.description("ais", rate: 1))
        model.asked("ais", at: TopFixture.start)
        model.asked("ais", at: TopFixture.start)
        model.answered("ais", TopFixture.description("ais", rate: 2))
        model.lost("ais", .notRunning)
        #expect(model.bridges[0].history == [1, nil, 2, nil])
        for _ in 0..<1000 { model.answered("ais", TopFixture.description("ais")) }
        #expect(model.bridges[0].history.count == 200)
    }

    @Test(arguments: [
        ("q", [Key.character("q")]), ("\u{1B}[A\u{1B}[B", [.up, .down]),
        ("\u{1B}OAj", [.up, .character("j")]),
        ("\u{1B}", [.escape]), ("\u{1B}q", [.escape, .character("q")]),
        ("\u{1B}[1;5C\u{1B}[15~p", [.character("p")]),
        ("\u{1B}[", []), ("\u{1}é\r", []), ("", []),
    ])
    func `keys are found in what a terminal sends`(bytes: String, keys: [Key]) {
        #expect(Key.keys(in: Array(bytes.utf8)) == keys)
    }

    @Test(
        arguments: [
            ([0, 1, 4, 7, nil], 7, "  ▁▂▅█ "), ([0, 0], 2, "▁▁"), ([5], 1, "█"), ([1, 2, 3], 2, "▆█"),
            ([1], 0, ""),
            ([], 3, "   "), ([0.001, 1000], 2, "▂█"),
        ] as [([Double?], Int, String)])
    func `bars are as high as the highest`(history: [Double?], width: Int, bars: String) {
        #expect(Glyphs.unicode.bars(history, width: width) == bars)
    }

    @Test(arguments: [
        (["LANG": "C.UTF-8"], false), (["LANG": "de_DE.utf8@euro"], false), (["LANG": "C"], true),
        ([:], true),
        (["LANG": "C.UTF-8", "LC_ALL": "POSIX"], true), (["LC_CTYPE": "en_US.UTF-8", "LANG": "C"], false),
    ])
    func `the locale tells whether there is UTF-8`(environment: [String: String], isASCII: Bool) {
        #expect(Glyphs { environment[$0] }.isASCII == isASCII)
    }
}
