import Control
import Glibc
import Linux

/// `trunklinectl metrics`: figures for a monitoring system.
enum Metrics {
    static let verb = Verb(
        "metrics", in: .looking, [.bridge(.any)], summary: "print figures for a monitoring system",
        details: [
            """
            The text is OpenMetrics. With --prometheus it is Prometheus' own older format (0.0.4): the textfile \
            collector of node_exporter reads no other. Without a BRIDGE, all bridges, running and configured: \
            trunkline_up tells which run.
            """
        ], options: [prometheus, .runtimeDirectory], run: run)

    private static let prometheus = CommandOption("prometheus", help: "print Prometheus' text format 0.0.4")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let directory = invocation.runtimeDirectory
        let isNamed = !invocation.operands.isEmpty
        let names = isNamed ? invocation.operands : try Bridges.all(directory)
        var status = EXIT_SUCCESS
        var subjects: [MetricsSubject] = []
        for name in names {
            var description: Description?
            switch Inquiry(of: name, in: directory) {
            case .running(let found): description = found
            case .notRunning where !isNamed: break
            case .notRunning: status = max(status, complain(.notRunning(name)))
            case .failed(let failure): status = max(status, complain(failure))
            }
            subjects.append(MetricsSubject(name: name, description: description))
        }
        Program.say(MetricsText(isOpenMetrics: !invocation.has(prometheus)).text(subjects))
        return status
    }

    private static func complain(_ failure: Failure) -> Int32 {
        Program.complain("trunklinectl: \(failure.message)\n")
        return failure.status.rawValue
    }
}
