import Glibc
import Linux

/// A simulated upstream, for the demo, the tests and the benchmarks.
@main struct Main {
    static let version = "0.1.0"

    static func main() {
        let options: Options
        do {
            options = try Options(arguments: CommandLine.arguments)
        } catch {
            failUsage(error)
        }
        switch options.action {
        case .showHelp: say(OptionTable.help)
        case .showVersion: say("trunkline-sim \(version)\n")
        case .serve: serve(options)
        }
    }

    private static func serve(_ options: Options) {
        do {
            let source = try MessageSource(options)
            let server = try SimulatedServer(options, source: source)
            say("listening on \(try server.localAddress())\n")
            try server.run()
        } catch {
            fail("\(error)")
        }
    }
}
