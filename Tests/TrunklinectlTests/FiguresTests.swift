import Control
import Testing

@testable import trunklinectl

/// Numbers, times and text as people read them.
struct FiguresTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (7130, "7.1 kB"), (9960, "10 kB"), (999_400, "999 kB"),
        (999_600, "1 MB"), (1_234_567_890, "1.2 GB"), (5_000_000_000_000_000, "5000 TB"),
        (.max, "9223372 TB"),
    ])
    func `bytes are short`(count: Int, text: String) { #expect(Figures.bytes(count) == text) }

    @Test(arguments: [
        (0, 1, "0 B of 1 B (0 %)"), (1023, 1024, "1 kB of 1 kB (99 %)"), (0, 0, "0 B of 0 B (0 %)"),
    ])
    func `nothing is full before it is`(used: Int, size: Int, text: String) {
        #expect(Figures.fill(FillDescription(used: used, size: size)) == text)
    }

    @Test(arguments: [(0, 0, "0"), (1, 5, "1 message, 5 B"), (2, 0, "2 messages"), (0, 23, "23 B")])
    func `of an amount only that is told of which there is any`(messages: Int, bytes: Int, text: String) {
        #expect(Figures.amount(AmountDescription(messages: messages, bytes: bytes)) == text)
    }

    @Test(arguments: [(0.0, 0.0, "0"), (0, 5, "0 msg/s 5 B/s"), (1234, 5e9, "1234 msg/s 5 GB/s")])
    func `rates are short`(messages: Double, bytes: Double, text: String) {
        #expect(Figures.rate(RateDescription(messages: messages, bytes: bytes)) == text)
    }

    @Test(arguments: [
        (-5, "0s"), (0, "0s"), (999_999, "0s"), (1_000_000, "1s"), (60_000_000, "1min"),
        (3_661_000_000, "1h 1min"),
        (3_601_000_000, "1h"), (90_000_000_000, "1d 1h"), (8_640_000_000_000, "100d"),
    ])
    func `a time span has two units at the most`(microseconds: Int, text: String) {
        #expect(WallClock.span(microseconds) == text)
    }

    @Test func `times are dates`() {
        #expect(Sample.clock.date(Sample.clock.now) == "Mon 2026-11-30 12:00:00 UTC")
        #expect(Sample.clock.stamp(Sample.clock.now + 45_600) == "Nov 30 12:00:00.045")
        #expect(Sample.clock.ahead(Sample.clock.now + 1) == "in 1s")
        #expect(Sample.clock.exact(Sample.clock.now + 45_600) == "2026-11-30T12:00:00.045600+00:00")
    }

    @Test(arguments: [
        ("cat", "cat"), ("grün €😀", "grün €😀"), ("\u{1B}[31m", #"\e[31m"#), ("a\nb", #"a\nb"#),
        ("\u{202E}", #"\xe2\x80\xae"#), ("\u{9B}", #"\xc2\x9b"#), ("\u{2028}", #"\xe2\x80\xa8"#),
        ("e\u{301}", "e\u{301}"),
    ])
    func `what would steer a terminal is spelled as a configuration does it`(text: String, shown: String) {
        #expect(printable(text) == shown)
    }

    @Test(arguments: [
        ("error", "\u{1B}[31mx\u{1B}[0m"), ("warning", "\u{1B}[33mx\u{1B}[0m"), ("info", "x"), ("other", "x"),
    ])
    func `an event has a time and the colour of its level`(level: String, text: String) {
        let event = EventDescription(
            event: "connected", level: level, text: "x", time: Sample.ago(1), fields: [:])
        let look = EventText(palette: Palette(isOn: true), clock: Sample.clock, isJSON: false, width: 0)
        #expect(look.line(event, of: "ais") == "Nov 30 11:59:59.000  \(text)\n")
    }

    @Test func `of several bridges the name is told, and JSON has everything`() {
        let event = EventDescription(
            event: "connected", level: "info", text: "to \"x\"\u{1B}", time: 5, fields: ["A": "b"])
        let columns = EventText(palette: .plain, clock: Sample.clock, isJSON: false, width: 5)
        #expect(columns.line(event, of: "ais").hasSuffix(#"  ais    to "x"\e"# + "\n"))
        let json = EventText(palette: .plain, clock: Sample.clock, isJSON: true, width: 5)
        #expect(
            json.line(event, of: "ais") == #"""
                {"bridge":"ais","event":"connected","fields":{"A":"b"},"level":"info","text":"to \"x\"\u001b","time":5}

                """#)
    }
}
