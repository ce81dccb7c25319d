import Glibc

/// What every program of the project needs of its process.
public enum Program {
    /// The project's version (semver.org).
    public static let version = "0.1.0"

    /// A variable of the environment; `nil` when it is not set or empty.
    public static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Where sockets are: the first of the directories that the service manager has made for this service
    /// (systemd.exec(5)), or where they would be.
    public static var runtimeDirectory: String { directory("RUNTIME_DIRECTORY") ?? "/run/trunkline" }

    /// Where configurations are: likewise.
    public static var configurationDirectory: String {
        directory("CONFIGURATION_DIRECTORY") ?? "/etc/trunkline"
    }

    private static func directory(_ variable: String) -> String? {
        environment(variable).map { String($0.prefix { $0 != ":" }) }
    }

    /// Opens /dev/null for standard descriptors that the program was started without: else the next sockets would take
    /// their places, and be written to. Call before anything is opened.
    public static func completeStandardDescriptors() {
        var raw: Int32 = 0
        while (0...STDERR_FILENO).contains(raw) { raw = unsafe open("/dev/null", O_RDWR) }
        if raw > STDERR_FILENO { close(raw) }
    }

    /// What the program is called, in its messages: the file's name.
    public static var name: String {
        CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
    }

    /// Writes to standard output.
    ///
    /// If that fails, it is told and the process ends with status 1; quietly when nobody reads it any more.
    public static func say(_ text: String) {
        do throws(SystemError) {
            try write(text, to: STDOUT_FILENO)
        } catch {
            if error.code != EPIPE { report(cannotWrite(error)) }
            exit(EXIT_FAILURE)
        }
    }

    /// What is told of a write to standard output that failed.
    public static func cannotWrite(_ error: SystemError) -> String {
        "cannot write to standard output: \(describe(errno: error.code))"
    }

    /// Writes to standard error.
    public static func complain(_ text: String) {
        // There is nobody left to tell of a failure.
        try? write(text, to: STDERR_FILENO)
    }

    /// Writes a message to standard error, behind the program's name.
    public static func report(_ message: String) { complain("\(name): \(message)\n") }

    /// Ends the process quietly, as one that has succeeded, on a signal by which a user ends what would go on for ever.
    public static func endWhenInterrupted() {
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(EXIT_SUCCESS) } }
    }

    private static func write(_ text: String, to raw: Int32) throws(SystemError) {
        let bytes = Array(text.utf8)
        let stream = FileDescriptor(owning: raw)
        // Standard descriptors stay open, whatever becomes of the write.
        do throws(SystemError) {
            try stream.writeAll(bytes.span)
        } catch {
            _ = stream.release()
            throw error
        }
        _ = stream.release()
    }
}
