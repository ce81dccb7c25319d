import Glibc
import Linux

/// The bridges of this machine, as the file system tells of them.
enum Bridges {
    /// The names of those that have a control socket, in order. One whose daemon was killed may be among them.
    static func running(in runtimeDirectory: String) throws(Failure) -> [String] {
        try names(in: runtimeDirectory, with: ".control")
    }

    /// The names of those that have a configuration, in order.
    static func configured(in directory: String = Program.configurationDirectory) throws(Failure) -> [String]
    {
        try names(in: directory, with: ".yaml")
    }

    /// The path of a bridge's configuration, if none is there.
    static func missingFile(of bridge: String) -> String? {
        let file = "\(Program.configurationDirectory)/\(bridge).yaml"
        return unsafe access(file, F_OK) != 0 && errno == ENOENT ? file : nil
    }

    /// The names of all.
    static func all(_ runtimeDirectory: String) throws(Failure) -> [String] {
        Set(try running(in: runtimeDirectory)).union(try configured()).sorted()
    }

    private static func names(in directory: String, with suffix: String) throws(Failure) -> [String] {
        do throws(SystemError) {
            let names = try entries(of: directory).filter { $0.hasSuffix(suffix) && $0.count > suffix.count }
            return names.map { String($0.dropLast(suffix.count)) }.sorted()
        } catch {
            // Without the directory there are none.
            if error.code == ENOENT { return [] }
            throw Failure("cannot list \(directory): \(describe(errno: error.code))")
        }
    }
}
