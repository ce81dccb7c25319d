import TestSupport
import Testing

@testable import trunklinectl

@Suite struct TopScreenTests {
    private func text(_ lines: [StyledLine]) -> [String] {
        lines.map { line in String(line.text.reversed().drop { $0 == " " }.reversed()) }
    }

    @Test func `the usual screen`() {
        #expect(
            text(TopFixture.screen().lines(rows: 14, columns: 80)) == [
                "4 bridges, 2 clients, 7.1 kB/s in, 180 B/s out               every 1 s  12:00:05",
                "  BRIDGE    STATE     UPSTREAM                  IN   OUT CLIENTS BUFFER RATE IN",
                "● ais       ready     192.0.2.7:10110         7.1k    90       2     3%     ▁▂▅█",
                "● chat      waiting   chat.example.org:5222      0    90       0     0%        ▁",
                "× hung      no answer for 4 s",
                "○ quiet     not running; start it with 'systemctl start trunkline@quiet'",
                "",
                "Clients, most lag first",
                "BRIDGE            NR   LAG MESSAGES MISSED RECEIVED     PID      UID COMMAND",
                "ais                2   12k     1.2k      7      350    1002     1000 socat",
                "ais                1  5.2k      520      0        0    1001     1000 cat",
                "",
                "",
                "q quit  ↑↓ select  s sort  p pause  r reconnect  h help",
            ])
    }

    @Test func `a small screen has what matters most`() {
        #expect(
            text(TopFixture.screen().lines(rows: 5, columns: 20)) == [
                "4 bridges, 2 client…",
                "  BRIDGE    STATE",
                "● ais       ready",
                "● chat      waiting",
                "q quit  ↑↓ select  …",
            ])
    }

    @Test func `the selected bridge is on the screen, however small that is`() {
        var model = TopFixture.model
        for _ in 0..<4 { _ = model.pressed(.down) }
        #expect(model.selected == "quiet")
        let lines = TopFixture.screen(model).lines(rows: 4, columns: 30)
        #expect(text(lines)[2] == "○ quiet       not running; st…")
        #expect(lines[2].parts.map(\.style) == [.reverse])
    }

    @Test func `bridges leave half of the screen to the clients, and more when they need no more`() {
        var model = TopFixture.model
        let clients = (1...50).map { TopFixture.client($0, lag: $0 * 10) }
        model.answered("ais", TopFixture.description("ais", clients: clients))
        let lines = text(TopFixture.screen(model).lines(rows: 24, columns: 80))
        #expect(lines.count == 24)
        #expect(lines[8].hasPrefix("BRIDGE            NR"))
        #expect(lines[9].hasPrefix("ais               50"))
        #expect(lines[22].hasPrefix("ais               37"))
    }

    @Test func `help, a question and a notice take the place of what they hide`() {
        var model = TopFixture.model
        _ = model.pressed(.character("r"))
        #expect(footer(model) == "select a bridge first, with the arrow keys or j and k")
        _ = model.pressed(.character("j"))
        _ = model.pressed(.character("r"))
        #expect(footer(model) == "Reconnect ais to its upstream? y/n")
        _ = model.pressed(.character("n"))
        #expect(footer(model).hasPrefix("q quit"))
        _ = model.pressed(.character("?"))
        let lines = text(TopFixture.screen(model).lines(rows: 24, columns: 80))
        #expect(lines.contains("s             sort the clients in another way"))
        #expect(!lines.contains { $0.contains("192.0.2.7") })
        #expect(footer(model) == "any key: back, q: quit")
    }

    private func footer(_ model: TopModel) -> String {
        text(TopFixture.screen(model).lines(rows: 10, columns: 80)).last ?? ""
    }

    @Test func `a bridge that does not answer shows nothing that may not be true any more`() {
        var model = TopFixture.model
        model.asked("ais", at: TopFixture.start)
        #expect(
            text(TopFixture.screen(model, after: .seconds(1)).lines(rows: 20, columns: 80))[2].contains(
                "ready"))
        let later = text(TopFixture.screen(model, after: .seconds(70)).lines(rows: 20, columns: 80))
        #expect(later[0].hasPrefix("4 bridges, 0 clients, 0 B/s in, 90 B/s out"))
        #expect(later[2] == "× ais       no answer for 70 s")
        #expect(!later.contains { $0.contains("socat") })
    }

    @Test func `without bridges it says how one is started`() {
        let lines = text(TopFixture.screen(TopModel()).lines(rows: 5, columns: 80))
        #expect(lines[2] == "no bridge is running; start one with 'systemctl start trunkline@NAME'")
    }

    @Test func `one page has everything, and no keys`() {
        let page = text(TopFixture.screen().page(columns: 80))
        #expect(page.count == 11)
        #expect(page[0] == "4 bridges, 2 clients, 7.1 kB/s in, 180 B/s out                          12:00:05")
        #expect(page.last == "ais                1  5.2k      520      0        0    1001     1000 cat")
    }

    @Test(arguments: seeds)
    func `no screen is larger than the terminal`(seed: UInt64) {
        var random = Seeded(seed)
        let texts = [
            "", "a", "漢字漢字漢字漢字漢字", "\u{1B}[2J", "e\u{301}\u{301}", "👩‍👩‍👧", String(repeating: "x", count: 300),
        ]
        for _ in 0..<300 {
            var model = TopModel()
            let names = (0..<Int.random(in: 0...9, using: &random)).map { "\(texts[$0 % texts.count])\($0)" }
            model.show(names, now: TopFixture.start)
            for name in names {
                let clients = (0..<Int.random(in: 0...9, using: &random)).map {
                    TopFixture.client(
                        .random(in: 0 ... .max / 2, using: &random),
                        lag: .random(in: 0 ... .max, using: &random), command: texts[$0 % texts.count])
                }
                let upstream = texts[Int.random(in: 0..<texts.count, using: &random)]
                model.answered(
                    name,
                    TopFixture.description(
                        name, upstream: upstream, rate: .random(in: 0...1e30, using: &random),
                        used: .random(in: 0 ... .max, using: &random), clients: clients))
                if Bool.random(using: &random) { model.lost(name, .failed(texts[3])) }
            }
            let keys: [Key] = [.up, .down, .escape, .character("s"), .character("r"), .character("h")]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                _ = model.pressed(keys[Int.random(in: 0..<keys.count, using: &random)])
            }
            let (rows, columns) = (
                Int.random(in: 0...30, using: &random), Int.random(in: 0...120, using: &random)
            )
            for glyphs in [Glyphs.unicode, .ascii] {
                let lines = TopFixture.screen(model, glyphs).lines(rows: rows, columns: columns)
                #expect(lines.count == max(1, rows))
                for line in lines {
                    #expect(DisplayText.columns(line.text) <= max(1, columns), "\(line.text)")
                }
            }
        }
    }

    @Test func `a terminal without UTF-8 gets ASCII alone`() {
        var model = TopFixture.model
        model.answered("ais", TopFixture.description("ais", clients: [TopFixture.client(1, command: "né")]))
        let lines = text(TopFixture.screen(model, .ascii).lines(rows: 20, columns: 80))
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } })
        #expect(lines.contains { $0.hasSuffix(#"n\xc3\xa9"#) })
    }
}
