import Configuration
import Daemon
import Glibc
import Linux

@main
struct Main {
    private enum Action: Int {
        case check
        case show
        case version
        case help
    }
    /// In the order of `Action`.
    private static let options = [
        CommandOption(
            "check", short: "c", help: "check FILEs for mistakes, and warn of what this machine lacks"),
        CommandOption(
            "show", short: "s",
            help: "print every setting of FILE in effect, as YAML, and its bound on memory"),
        CommandOption("version", short: "V", help: "print the version"),
        CommandOption("help", short: "h", help: "print this help, with every key of a configuration file"),
    ]

    static func main() {
        Program.completeStandardDescriptors()
        do throws(UsageError) {
            let arguments = try CommandArguments(CommandLine.arguments, options: options)
            let actions = Set(arguments.options.compactMap { Action(rawValue: $0.index) })
            if actions.contains(.help) { return Program.say(help) }
            if actions.contains(.version) { return Program.say("trunklined \(Program.version)\n") }
            guard actions.count < 2 else { throw UsageError("--check and --show do not go together") }
            guard !arguments.operands.isEmpty else { throw UsageError("a configuration FILE is missing") }
            guard arguments.operands.count == 1 || actions.contains(.check) else {
                throw UsageError("one FILE is one bridge and one process: there can be only one")
            }
            var status = EXIT_SUCCESS
            let configurations = arguments.operands.compactMap { path in
                read(path, &status).map { configuration in
                    if actions.contains(.check) { warn(of: configuration, at: path) }
                    return configuration
                }
            }
            guard status == EXIT_SUCCESS else { exit(status) }
            if actions.contains(.check) { return }
            if actions.contains(.show) { return Program.say(shown(configurations[0])) }
            exit(run(configurations[0]))
        } catch {
            Program.complain("trunklined: \(error)\nTry 'trunklined --help'.\n")
            exit(64 /* EX_USAGE */)
        }
    }

    private static func warn(of configuration: Configuration, at path: String) {
        for line in Warnings(configuration, runtimeDirectory: Program.runtimeDirectory).lines {
            Program.complain("\(path): warning: \(line)\n")
        }
    }

    private static func shown(_ configuration: Configuration) -> String {
        "\(configuration.yaml())\n\(MemoryReport(configuration, kernel: .current))"
    }

    private static var help: String {
        """
        Usage: trunklined [OPTION…] FILE
        Keeps one connection to a remote server; every local program gets its share.

        \(CommandOption.help(for: options))
        --check tells mistakes with their places, and ends with status 78 if there is
        one. Warnings are no mistakes of FILE: a certificate or a directory that is
        not there may come later, or be on another machine.

        A configuration file, here called FILE, is YAML with these keys. A SIZE is in
        bytes, or has K, M or G behind it (powers of 1024); a TIME is in seconds, or
        has units, as in 250ms or 1min 30s.

        \(Configuration.keyReference)
        These are the values of upstream.protocol, and what each sets where FILE does
        not: keys of upstream, but buffer and outbox.

        \(Configuration.protocolReference)
        """
    }

    private static func read(_ path: String, _ status: inout Int32) -> Configuration? {
        do throws(ConfigurationErrors) {
            return try Configuration(contentsOf: path, runtimeDirectory: Program.runtimeDirectory)
        } catch {
            for problem in error.errors { Program.complain("\(problem)\n") }
            // With EX_CONFIG (sysexits(3)) the service manager does not try again.
            status = max(status, error.mayPass ? EXIT_FAILURE : 78)
            return nil
        }
    }

    private static func run(_ configuration: Configuration) -> Int32 {
        do throws(SystemError) {
            return try Daemon(
                configuration,
                controlPath: Configuration.controlPath(
                    of: configuration.name, in: Program.runtimeDirectory),
                notifySocket: Program.environment("NOTIFY_SOCKET")
            ).run()
        } catch {
            Program.complain("trunklined: \(error)\n")
            return EXIT_FAILURE
        }
    }
}
