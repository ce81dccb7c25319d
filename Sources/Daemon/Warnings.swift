import Bridge
public import Configuration
import Linux
import Uplink

/// What `--check` says of a configuration without a mistake that may not do what is wanted of it: now and on this machine, for
/// files and directories may come later.
public struct Warnings: Sendable {
    /// Each names a key.
    public let lines: [String]

    /// - Parameters:
    ///   - configuration: Whose files are looked at.
    ///   - runtimeDirectory: Is made by the service manager, and need not be there yet.
    public init(_ configuration: Configuration, runtimeDirectory: String) {
        let upstream = configuration.upstream
        let failBack =
            upstream.uplink.failBack != nil && upstream.uplink.endpoints.count == 1
            ? ["upstream.fail-back: has no effect, for upstream.address is one only"] : []
        let files = upstream.tls.map { $0.fileFaults.map { "upstream.tls: \($0), on this machine" } } ?? []
        let places = configuration.sockets.compactMap { socket in
            Self.fault(ofPath: socket.path, runtimeDirectory).map {
                "sockets.\(socket.name).path: cannot listen on \(socket.path): \($0), on this machine"
            }
        }
        lines = (failBack + files + places).map { line in
            // A path may hold what steers a terminal.
            String(String.UnicodeScalarView(line.unicodeScalars.map { isPrintable($0) ? $0 : "?" }))
        }
    }

    private static func fault(ofPath path: String, _ runtimeDirectory: String) -> String? {
        let directory = SocketFile.directory(of: path)
        if SocketFile.directory(of: "\(runtimeDirectory)/x") != directory, !SocketFile.isDirectory(directory)
        {
            return "there is no directory \(directory)"
        }
        return SocketFile.isTaken(path) ? "something that is not a socket stands there" : nil
    }
}
