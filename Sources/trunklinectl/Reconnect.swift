import Control
import Glibc
import Linux

/// `trunklinectl reconnect`: ends the waiting, or the connection.
enum Reconnect {
    static let verb = Verb(
        "reconnect", in: .steering, [.bridge()], summary: "connect to the server anew, at once",
        details: [
            """
            Ends the waiting for the next attempt, or the connection, and tries at once. Clients stay connected. \
            That it is done does not mean that the server answers: 'monitor' or 'status' tell.
            """
        ], options: [.runtimeDirectory]
    ) { invocation in
        try ControlConnection(to: invocation.operands[0], in: invocation.runtimeDirectory)
            .demand(.reconnect)
        return EXIT_SUCCESS
    }
}
