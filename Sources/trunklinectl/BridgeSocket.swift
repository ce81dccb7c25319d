import Configuration
import Glibc
import Linux

/// Where a bridge's messages come and go: one of its sockets, as its configuration names it.
struct BridgeSocket {
    static let options = [config, socket, .runtimeDirectory]
    private static let config = CommandOption(
        "config", short: "c", value: "FILE", help: "the bridge's file (/etc/trunkline/BRIDGE.yaml)")
    private static let socket = CommandOption(
        "socket", short: "s", value: "NAME", help: "which of its sockets (the first)")

    let configuration: Configuration
    let settings: SocketSettings

    /// - Parameter invocation: Its first operand is the bridge's name.
    /// - Throws: What is wrong with the bridge's file, or that there is no such socket.
    init(_ invocation: Invocation) throws(Failure) {
        let bridge = invocation.operands[0]
        let socket = invocation[Self.socket]
        do throws(ConfigurationErrors) {
            configuration = try Configuration(
                contentsOf: invocation[Self.config] ?? "\(Program.configurationDirectory)/\(bridge).yaml",
                runtimeDirectory: invocation.runtimeDirectory)
        } catch {
            throw Failure(error.errors.map(\.description).joined(separator: "\n"))
        }
        guard configuration.name == bridge else {
            throw Failure("the file is that of the bridge \(configuration.name), not of \(bridge)")
        }
        let sockets = configuration.sockets
        guard let settings = socket == nil ? sockets.first : sockets.first(where: { $0.name == socket })
        else {
            let names = sockets.map(\.name).joined(separator: ", ")
            throw Failure("\(bridge) has no socket '\(socket ?? "")'; it has \(names)")
        }
        self.settings = settings
    }

    func connect() throws(Failure) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.connecting(to: .unix(path: settings.path)).take()
        } catch {
            let name = configuration.name
            let hint =
                switch error.code {
                case ENOENT, ECONNREFUSED:
                    "the bridge \(name) is not running; start it with 'systemctl start trunkline@\(name)'"
                case EACCES:
                    "only members of \(settings.group.map { "the group \($0.name)" } ?? "its group, which 'ls -l' shows,") may"
                default: "try again"
                }
            throw Failure(
                "cannot connect to \(settings.path): \(describe(errno: error.code)): \(hint)",
                [ENOENT, ECONNREFUSED].contains(error.code) ? .notRunning : .failure)
        }
    }
}
