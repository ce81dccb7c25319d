import Testing

@testable import Bridge
@testable import Daemon

/// How much flows, for the status.
struct RatesTests {
    private static let start = ContinuousClock.now

    private static func totals(in received: (Int, Int), out sent: (Int, Int) = (0, 0)) -> Totals {
        var totals = Totals()
        totals.received = Amount(messages: received.0, bytes: received.1)
        totals.sent = Amount(messages: sent.0, bytes: sent.1)
        return totals
    }

    /// The text a second after so much has flowed.
    private static func text(in received: (Int, Int), out sent: (Int, Int) = (0, 0)) -> String {
        var rates = Rates(now: start)
        rates.add(totals(in: received, out: sent), now: start + .seconds(1))
        return rates.text
    }

    @Test func `nothing flows at first`() {
        let rates = Rates(now: Self.start)
        #expect(rates.isZero)
        #expect(rates.text == "0 in, 0 out")
    }

    @Test func `each direction is told by itself`() {
        #expect(Self.text(in: (120, 7100)) == "120 msg/s 7.1 kB/s in, 0 out")
        #expect(Self.text(in: (0, 0), out: (1, 999)) == "0 in, 1 msg/s 999 B/s out")
        #expect(Self.text(in: (2, 40), out: (1, 30)) == "2 msg/s 40 B/s in, 1 msg/s 30 B/s out")
    }

    @Test(
        arguments: [
            (1, "1 B"), (9, "9 B"), (10, "10 B"), (999, "999 B"), (1000, "1 kB"), (1049, "1 kB"),
            (1050, "1.1 kB"),
            (9949, "9.9 kB"), (9950, "10 kB"), (999_499, "999 kB"), (999_500, "1 MB"),
            (12_345_678, "12 MB"), (2_500_000_000, "2.5 GB"), (4_000_000_000_000, "4000 GB"),
        ])
    func `bytes are told short`(bytes: Int, text: String) {
        #expect(Self.text(in: (0, bytes)) == "0 msg/s \(text)/s in, 0 out")
    }

    @Test func `messages are told in full`() {
        #expect(Self.text(in: (1_234_567, 1_000_000)).hasPrefix("1234567 msg/s 1 MB/s in"))
    }

    @Test func `a rate is that of the last five seconds`() {
        var rates = Rates(now: Self.start)
        for second in 1...4 {
            rates.add(Self.totals(in: (second * 10, second * 100)), now: Self.start + .seconds(second))
            #expect(rates.text == "10 msg/s 100 B/s in, 0 out")
        }
        // One message more, then nothing.
        let told = (5...9).map { second in
            rates.add(Self.totals(in: (41, 410)), now: Self.start + .seconds(second))
            #expect(!rates.isZero)
            return rates.text
        }
        #expect(
            told.map { $0.prefix { $0 != "m" } } == ["8.2 ", "6.2 ", "4.2 ", "2.2 ", "0.2 "])
        rates.add(Self.totals(in: (41, 410)), now: Self.start + .seconds(10))
        #expect(rates.isZero)
        #expect(rates.text == "0 in, 0 out")
    }

    @Test func `a time without traffic does not dilute what comes after it`() {
        var rates = Rates(now: Self.start)
        rates.add(Self.totals(in: (5, 50)), now: Self.start + .seconds(1))
        rates.begin(now: Self.start + .seconds(1000))
        #expect(rates.isZero)
        rates.add(Self.totals(in: (12, 120)), now: Self.start + .seconds(1001))
        #expect(rates.text == "7 msg/s 70 B/s in, 0 out")
    }

    @Test func `time that was longer than a second is counted`() {
        var rates = Rates(now: Self.start)
        rates.add(Self.totals(in: (10, 100)), now: Self.start + .seconds(4))
        #expect(rates.text == "2.5 msg/s 25 B/s in, 0 out")
    }
}
