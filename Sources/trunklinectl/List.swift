import Control
import Glibc
import Linux

/// `trunklinectl list`: all bridges at a glance.
enum List {
    static let verb = Verb(
        "list", in: .looking, summary: "list all bridges, running and configured",
        details: [
            """
            Rates are those of the last ten seconds. With --json, an array with one object for each bridge: its name, \
            its state (running, not-running, or unknown when it could not be asked), and of a running one the uplink, \
            the number of clients, and the rates.
            """
        ], options: [names, .json, .runtimeDirectory], run: run)

    private static let names = CommandOption("names", help: "print names only, and ask nobody")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let bridges = try Bridges.all(invocation.runtimeDirectory)
        guard !invocation.has(names) else {
            Program.say(bridges.map { "\($0)\n" }.joined())
            return EXIT_SUCCESS
        }
        let entries = bridges.map { ListEntry($0, Inquiry(of: $0, in: invocation.runtimeDirectory)) }
        Program.say(
            invocation.has(.json)
                ? jsonLine(entries)
                : ListEntry.table(
                    entries, palette: .ofOutput, clock: .local, width: Terminal.size?.columns ?? .max))
        let errors = entries.compactMap(\.error)
        errors.forEach(Program.report)
        return errors.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE
    }
}

/// A bridge as `list` shows it.
struct ListEntry: Encodable {
    enum State: String, Encodable {
        case running
        case notRunning = "not-running"
        /// It could not be asked.
        case unknown
    }

    let name: String
    let state: State
    /// Why it could not be asked.
    var error: String?
    var uplink: UplinkDescription?
    var clients: Int?
    var receiveRate: RateDescription?
    var sendRate: RateDescription?

    init(_ name: String, _ inquiry: Inquiry) {
        self.name = name
        switch inquiry {
        case .running(let description):
            state = .running
            uplink = description.bridge.uplink
            clients = description.clients.count
            receiveRate = description.bridge.receiveRates.tenSeconds
            sendRate = description.bridge.sendRates.tenSeconds
        case .notRunning: state = .notRunning
        case .failed(let failure):
            state = .unknown
            error = failure.message
        }
    }

    // MARK: For people

    static func table(
        _ entries: [ListEntry], palette: Palette, clock: WallClock, width: Int = .max
    ) -> String {
        var columns = Columns(
            ["", "BRIDGE", "STATE", "UPSTREAM", "SINCE", "CLIENTS", "IN", "OUT"], numbers: [5],
            dispensable: [4, 5, 3, 7])
        for entry in entries { columns.append(entry.row(clock)) }
        let lines = entries.isEmpty ? [] : columns.lines(palette, width: width) + [""]
        return (lines + ["\(Figures.counted(entries.count, "bridge")) listed.\n"]).joined(separator: "\n")
    }

    private func row(_ clock: WallClock) -> [Columns.Cell] {
        let name = Columns.Cell(printable(name))
        guard let uplink, let clients, let receiveRate, let sendRate else {
            return state == .notRunning
                ? [Columns.Cell("○"), name, Columns.Cell("not running", .dim)]
                : [Columns.Cell("●", .red), name, Columns.Cell("unknown", .red)]
        }
        return [
            Columns.Cell("●", uplink.state.colour), name,
            Columns.Cell(uplink.state.rawValue, uplink.state.colour),
            Columns.Cell(printable(uplink.upstream)),
            Columns.Cell(clock.ago(uplink.outageSince ?? uplink.since)),
            Columns.Cell(number: "\(clients)"), Columns.Cell(Figures.rate(receiveRate)),
            Columns.Cell(Figures.rate(sendRate)),
        ]
    }
}
