import Control
import Glibc
import Linux

/// `trunklinectl monitor`: what happens, as it happens.
enum Monitor {
    static let verb = Verb(
        "monitor", in: .looking, [.bridge(.any)], summary: "print what happens, as it happens",
        details: [
            """
            Without a BRIDGE, all that run now. It goes on until it is interrupted, or nobody reads it any more, or \
            the last of the bridges has ended (with status 1).
            """,
            """
            With --json, one object a line: what the method Monitor of org.trunkline.Bridge returns, and "bridge".
            """,
        ], options: [.json, .runtimeDirectory], run: run)

    private static func run(_ invocation: Invocation) throws -> Int32 {
        let directory = invocation.runtimeDirectory
        let isNamed = !invocation.operands.isEmpty
        let names = isNamed ? invocation.operands : try Bridges.running(in: directory)
        let connections = try names.compactMap { name throws(Failure) -> ControlConnection? in
            do throws(Failure) {
                let connection = try ControlConnection(to: name, in: directory)
                try connection.monitor()
                return connection
            } catch {
                if isNamed || error.status != .notRunning { throw error }
                return nil
            }
        }
        guard !connections.isEmpty else { throw Failure("no bridge is running", .notRunning) }
        // To end it is how it is meant to end.
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(EXIT_SUCCESS) } }
        let text = EventText(
            palette: .ofOutput, clock: .local, isJSON: invocation.has(.json), width: width(of: connections))
        try print(connections, as: text)
        return ExitStatus.failure.rawValue
    }

    /// Of the column of bridges; 0 when there is only one.
    private static func width(of connections: [ControlConnection]) -> Int {
        connections.count < 2 ? 0 : connections.map { printable($0.bridge).count }.max() ?? 0
    }

    /// Prints the events of several bridges until the last of them has ended, or nobody listens any more.
    private static func print(_ all: [ControlConnection], as text: EventText) throws(Failure) {
        var connections = all
        // A daemon that is killed, or has too many who look, closes the connection without a word.
        var stopping: Set<String> = []
        while !connections.isEmpty {
            for connection in try wait(for: connections) {
                let isOpen = try connection.receive()
                while let event = try connection.takeEvent() {
                    if event.event == "stopping" { stopping.insert(connection.bridge) }
                    Program.say(text.line(event, of: connection.bridge))
                }
                guard !isOpen else { continue }
                connections.removeAll { $0 === connection }
                let end = stopping.contains(connection.bridge) ? "ended" : "closed the connection"
                Program.complain("trunklinectl: the bridge \(printable(connection.bridge)) has \(end)\n")
            }
        }
    }

    private static func wait(for connections: [ControlConnection]) throws(Failure) -> [ControlConnection] {
        // A pipe reports an error when its reader has gone, though nothing is to be written.
        var wanted =
            connections.map { pollfd(fd: $0.raw, events: Int16(POLLIN), revents: 0) }
            + [pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)]
        while unsafe poll(&wanted, nfds_t(wanted.count), -1) < 0 {
            guard errno == EINTR else { throw Failure("cannot wait: poll: \(describe(errno: errno))") }
        }
        if wanted[connections.count].revents != 0 { exit(EXIT_SUCCESS) }
        return zip(connections, wanted).filter { $0.1.revents != 0 }.map(\.0)
    }
}

/// How `monitor` prints an event.
struct EventText {
    let palette: Palette
    let clock: WallClock
    let isJSON: Bool
    /// Of the column of bridges; 0 for none.
    let width: Int

    func line(_ event: EventDescription, of bridge: String) -> String {
        guard !isJSON else { return jsonLine(Line(bridge: bridge, event)) }
        let name = printable(bridge)
        let column = width == 0 ? "" : name + String(repeating: " ", count: max(0, width - name.count)) + "  "
        return
            "\(clock.stamp(event.time))  \(column)\(palette.paint(printable(event.text), colour(event.level)))\n"
    }

    private func colour(_ level: String) -> Palette.Colour? {
        switch level {
        case "error": .red
        case "warning": .yellow
        case "notice": .bold
        case "debug": .dim
        default: nil
        }
    }

    private struct Line: Encodable {
        let bridge: String
        let event: String
        let level: String
        let text: String
        let time: Int
        let fields: [String: String]

        init(bridge: String, _ event: EventDescription) {
            self.bridge = bridge
            self.event = event.event
            level = event.level
            text = event.text
            time = event.time
            fields = event.fields
        }
    }
}
