import Control
import Linux

/// What comes of asking a bridge how it is.
enum Inquiry {
    case running(Description)
    case notRunning
    case failed(Failure)

    init(of bridge: String, in runtimeDirectory: String, patience: Duration = ControlConnection.patience) {
        do throws(Failure) {
            let connection = try ControlConnection(to: bridge, in: runtimeDirectory, patience: patience)
            var description: Description = try connection.ask(.describe)
            description.completeCommands()
            self = .running(description)
        } catch {
            self = error.status == .notRunning ? .notRunning : .failed(error)
        }
    }

    /// The bridges that are named, or else those that have a control socket, each asked in turn.
    ///
    /// - Returns: Of those that were not named only the ones that run: a daemon that was killed leaves its socket.
    static func all(_ invocation: Invocation) throws(Failure) -> [(bridge: String, inquiry: Inquiry)] {
        let directory = invocation.runtimeDirectory
        guard invocation.operands.isEmpty else {
            return invocation.operands.map { ($0, Inquiry(of: $0, in: directory)) }
        }
        let all = try Bridges.running(in: directory).map { ($0, Inquiry(of: $0, in: directory)) }
        return all.filter { if case .notRunning = $0.1 { false } else { true } }
    }
}

extension Description {
    /// The daemon sees no processes of other users (ProtectProc=invisible in systemd.exec(5)); we may.
    mutating func completeCommands() {
        for index in clients.indices where clients[index].command == nil {
            // 0 is a process of another PID namespace.
            let pid = clients[index].pid
            if pid > 0 { clients[index].command = processName(pid: pid) }
        }
    }
}
