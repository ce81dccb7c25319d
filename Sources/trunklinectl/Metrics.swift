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
            trunkline_up tells which run, and has no sample for one that could not be asked, which is told on \
            standard error.
            """,
            """
            With --output, FILE is replaced once all is written: who reads it sees the old figures or the new ones, \
            never a part. Until then they are in FILE.new.
            """,
        ], options: [prometheus, output, .runtimeDirectory], run: run)

    private static let prometheus = CommandOption("prometheus", help: "print Prometheus' text format 0.0.4")

    private static let output = CommandOption(
        "output", short: "o", value: "FILE", help: "write to FILE, which is replaced as a whole")

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let directory = invocation.runtimeDirectory
        let isNamed = !invocation.operands.isEmpty
        let names = isNamed ? invocation.operands : try Bridges.all(directory)
        var status = EXIT_SUCCESS
        var subjects: [MetricsSubject] = []
        for name in names {
            let inquiry = Inquiry(of: name, in: directory)
            switch inquiry {
            case .running: break
            case .notRunning where !isNamed: break
            case .notRunning: status = max(status, complain(.notRunning(name)))
            case .failed(let failure): status = max(status, complain(failure))
            }
            subjects.append(MetricsSubject(name: name, inquiry))
        }
        let text = MetricsText(isOpenMetrics: !invocation.has(prometheus)).text(subjects)
        if let path = invocation[output] { try replace(path, with: text) } else { Program.say(text) }
        return status
    }

    private static func complain(_ failure: Failure) -> Int32 {
        Program.report(failure.message)
        return failure.status.rawValue
    }

    private static func replace(_ path: String, with text: String) throws(Failure) {
        do throws(SystemError) {
            try replaceFile(path, with: Array(text.utf8).span)
        } catch {
            throw Failure(
                "cannot write to \(printable(path)): \(error.call): \(describe(errno: error.code)); it is as it was"
            )
        }
    }
}
