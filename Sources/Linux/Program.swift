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

    /// Writes to standard output, or ends the process quietly when nobody reads it any more.
    public static func say(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes to standard error.
    public static func complain(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to raw: Int32) {
        let bytes = Array(text.utf8)
        let stream = FileDescriptor(owning: raw)
        // There is nobody left to tell of a failure.
        try? stream.writeAll(bytes.span)
        _ = stream.release()
    }
}
