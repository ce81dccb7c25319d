import Bridge
import Testing

@testable import Daemon

/// How much flows on the average.
struct RatesTests {
    private static let start = ContinuousClock.now

    private static func totals(in received: Int, out sent: Int = 0) -> Totals {
        var totals = Totals()
        totals.received = Amount(messages: received, bytes: received * 10)
        totals.sent = Amount(messages: sent, bytes: sent * 10)
        return totals
    }

    /// Messages each second from the upstream, over the last second, ten seconds and minute.
    private static func received(_ rates: Rates, _ totals: Totals, at second: Double) -> [Double] {
        [1, 10, 60].map {
            rates.received(over: .seconds($0), totals, now: start + .seconds(second)).messages
        }
    }

    @Test func `nothing flows at first`() {
        let rates = Rates(now: Self.start)
        #expect(Self.received(rates, Totals(), at: 0) == [0, 0, 0])
        #expect(Self.received(rates, Totals(), at: 100) == [0, 0, 0])
    }

    @Test func `each direction is told by itself, in messages and bytes`() {
        let rates = Rates(now: Self.start)
        let (totals, now) = (Self.totals(in: 120, out: 3), Self.start + .seconds(1))
        #expect(
            rates.received(over: .seconds(10), totals, now: now) == Rates.Rate(messages: 120, bytes: 1200))
        #expect(rates.sent(over: .seconds(10), totals, now: now) == Rates.Rate(messages: 3, bytes: 30))
    }

    @Test func `a steady flow has the same rate over every time`() {
        var rates = Rates(now: Self.start)
        for second in 1...200 {
            let totals = Self.totals(in: second * 7)
            rates.add(totals, now: Self.start + .seconds(second))
            #expect(Self.received(rates, totals, at: Double(second)) == [7, 7, 7])
        }
    }

    @Test func `a burst is in the rate for as long as that looks back, and no longer`() {
        var rates = Rates(now: Self.start)
        rates.begin(now: Self.start + .seconds(100))
        // Six hundred at once, then nothing: samples are taken for ten seconds.
        let totals = Self.totals(in: 600)
        for second in 101...111 { rates.add(totals, now: Self.start + .seconds(second)) }
        #expect(Self.received(rates, totals, at: 101) == [600, 60, 10])
        #expect(Self.received(rates, totals, at: 102) == [0, 60, 10])
        #expect(Self.received(rates, totals, at: 110) == [0, 60, 10])
        #expect(Self.received(rates, totals, at: 112) == [0, 0, 10])
        #expect(Self.received(rates, totals, at: 160) == [0, 0, 10])
        #expect(Self.received(rates, totals, at: 162) == [0, 0, 0])
    }

    @Test func `what has come since the last sample counts`() {
        var rates = Rates(now: Self.start)
        rates.add(Self.totals(in: 10), now: Self.start + .seconds(1))
        #expect(Self.received(rates, Self.totals(in: 15), at: 1.5) == [10, 10, 10])
    }

    @Test func `a rest is part of the time, whether or not samples were taken`() {
        var rates = Rates(now: Self.start)
        rates.add(Self.totals(in: 50), now: Self.start + .seconds(1))
        rates.begin(now: Self.start + .seconds(995))
        rates.add(Self.totals(in: 80), now: Self.start + .seconds(1000))
        #expect(Self.received(rates, Self.totals(in: 80), at: 1000) == [6, 3, 0.5])
    }

    @Test func `few samples are kept`() {
        var rates = Rates(now: Self.start)
        for second in 1...10_000 { rates.add(Self.totals(in: second), now: Self.start + .seconds(second)) }
        #expect(rates.sampleCount <= 62)
    }

    @Test(
        arguments: [
            (1, "1 B"), (9, "9 B"), (10, "10 B"), (999, "999 B"), (1000, "1 kB"), (1049, "1 kB"),
            (1050, "1.1 kB"),
            (9949, "9.9 kB"), (9950, "10 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
            (12_345_678, "12 MB"), (2_500_000_000, "2.5 GB"), (4_000_000_000_000, "4000 GB"),
        ])
    func `bytes are told short`(bytes: Double, text: String) {
        #expect(Rates.Rate(messages: 0, bytes: bytes).text == "0 msg/s \(text)/s")
    }

    @Test func `messages are told in full, and nothing as nothing`() {
        #expect(Rates.Rate(messages: 1_234_567, bytes: 1_000_000).text == "1234567 msg/s 1 MB/s")
        #expect(Rates.Rate(messages: 0.25, bytes: 3).text == "0.3 msg/s 3 B/s")
        #expect(Rates.Rate().text == "0")
    }
}
