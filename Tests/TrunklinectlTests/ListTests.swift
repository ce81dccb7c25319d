import Control
import Testing

@testable import trunklinectl

/// What `list` prints.
struct ListTests {
    private let entries = [
        ListEntry("ais", .running(Description(bridge: Sample.bridge(), clients: [Sample.client(1)]))),
        ListEntry("chat", .notRunning),
        ListEntry(
            "far-away-and-long",
            .running(Description(bridge: Sample.bridge("x", Sample.waiting), clients: []))),
        ListEntry("odd", .failed(Failure("the bridge odd has not answered for 5.0 seconds"))),
    ]

    @Test func `bridges stand in columns`() {
        #expect(
            ListEntry.table(entries, palette: .plain, clock: Sample.clock) == """
                   BRIDGE             STATE        UPSTREAM         SINCE         CLIENTS  IN                OUT
                ●  ais                ready        192.0.2.7:10110  2min 3s ago         1  0.3 msg/s 12 B/s  0
                ○  chat               not running
                ●  far-away-and-long  waiting      192.0.2.7:10110  1min 30s ago        0  0.3 msg/s 12 B/s  0
                ●  odd                unknown

                4 bridges listed.

                """)
    }

    @Test(arguments: [(103, 1, 1, 1), (90, 0, 1, 1), (78, 0, 0, 1), (70, 0, 0, 0), (20, 0, 0, 0)])
    func `what is least needed is left out where there is no room`(
        width: Int, since: Int, clients: Int, upstream: Int
    ) {
        let table = ListEntry.table(entries, palette: .plain, clock: Sample.clock, width: width)
        let lines = table.split(separator: "\n")
        #expect(width < 60 || lines.allSatisfy { $0.count <= width }, "\(table)")
        let heading = lines[0]
        #expect(heading.contains("SINCE") == (since == 1))
        #expect(heading.contains("CLIENTS") == (clients == 1))
        #expect(heading.contains("UPSTREAM") == (upstream == 1))
        #expect(heading.contains("BRIDGE") && heading.contains("STATE") && heading.contains("IN"))
        #expect(lines[2].hasSuffix("not running"))
    }

    @Test func `colours change no column`() {
        let coloured = ListEntry.table(entries, palette: Palette(isOn: true), clock: Sample.clock)
        #expect(coloured.contains("\u{1B}[32mready\u{1B}[0m"))
        let plain = coloured.replacing(#/\u{1B}\[[0-9]+m/#, with: "")
        #expect(plain == ListEntry.table(entries, palette: .plain, clock: Sample.clock))
    }

    @Test(arguments: [(0, "0 bridges listed.\n"), (1, "1 bridge listed.\n")])
    func `bridges are counted`(count: Int, last: String) {
        let table = ListEntry.table(Array(entries.prefix(count)), palette: .plain, clock: Sample.clock)
        #expect(table.hasSuffix(last))
        #expect(count > 0 || table == last)
    }

    @Test func `JSON has what is known`() {
        let lines = jsonLine([entries[1], entries[3]])
        #expect(
            lines == """
                [{"name":"chat","state":"not-running"},\
                {"error":"the bridge odd has not answered for 5.0 seconds","name":"odd","state":"unknown"}]

                """)
        let running = jsonLine(entries[0])
        #expect(running.contains(#""clients":1,"name":"ais","receiveRate":{"bytes":12.4,"messages":0.25}"#))
    }
}
