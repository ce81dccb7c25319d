import Configuration
import Control
import Framing
import Glibc
import Linux

/// Where a bridge's messages come and go: one of its sockets, as its configuration names it.
struct BridgeSocket {
    static let options = [config, socket, .runtimeDirectory]
    private static let config = CommandOption(
        "config", short: "c", value: "FILE",
        help: "the bridge's file, in place of what the daemon has in force")
    private static let socket = CommandOption(
        "socket", short: "s", value: "NAME", help: "which of its sockets (the first)")

    /// That of the daemon, if it can be asked and no file is named.
    let configuration: Configuration
    let settings: SocketSettings
    /// What the daemon tells; `nil` when it cannot be asked.
    private let description: Description?
    private let runtimeDirectory: String

    /// A daemon that has stopped would take neither messages nor programs that want them.
    private static let patience = Duration.seconds(2)

    /// - Parameter invocation: Its first operand is the bridge's name.
    /// - Throws: That the bridge is not running and has no file, what is wrong with that, or that there is no such socket.
    init(_ invocation: Invocation) throws(Failure) {
        let bridge = invocation.operands[0]
        let socket = invocation[Self.socket]
        let directory = invocation.runtimeDirectory
        runtimeDirectory = directory
        let inquiry = Inquiry(of: bridge, in: directory, patience: Self.patience)
        description = if case .running(let found) = inquiry { found } else { nil }
        // A daemon of another version may have settings that are not known here.
        let inForce = description.flatMap {
            try? Configuration(
                parsing: Array($0.bridge.configuration.utf8), path: bridge, runtimeDirectory: directory)
        }
        configuration =
            switch (invocation[Self.config], inForce) {
            case (let file?, _): try Self.file(file, of: bridge, invocation)
            case (nil, let inForce?): inForce
            case (nil, nil): try Self.file(of: bridge, invocation, inquiry)
            }
        let sockets = configuration.sockets
        guard let settings = socket == nil ? sockets.first : sockets.first(where: { $0.name == socket })
        else {
            let names = sockets.map(\.name).joined(separator: ", ")
            throw Failure("\(bridge) has no socket '\(socket ?? "")'; it has \(names)")
        }
        self.settings = settings
    }

    private static func file(_ path: String, of bridge: String, _ invocation: Invocation) throws(Failure)
        -> Configuration
    {
        let configuration: Configuration
        do throws(ConfigurationErrors) {
            configuration = try Configuration(
                contentsOf: path, runtimeDirectory: invocation.runtimeDirectory)
        } catch {
            throw Failure(error.errors.map(\.description).joined(separator: "\n"))
        }
        guard configuration.name == bridge else {
            throw Failure("the file is that of the bridge \(configuration.name), not of \(bridge)")
        }
        return configuration
    }

    /// The bridge's own file: a bridge that has no control socket may run all the same.
    ///
    /// - Throws: If it cannot be used, why the bridge cannot be asked.
    private static func file(of bridge: String, _ invocation: Invocation, _ inquiry: Inquiry) throws(Failure)
        -> Configuration
    {
        do throws(Failure) {
            return try file("\(Program.configurationDirectory)/\(bridge).yaml", of: bridge, invocation)
        } catch {
            switch inquiry {
            case .running: throw error
            case .notRunning: throw .notRunning(bridge)
            case .failed(let failure): throw failure
            }
        }
    }

    /// How its messages are framed for who reads them.
    var framing: Framing { settings.ownFraming ?? configuration.upstream.framing.forSending }

    /// Makes frames for who sends to it.
    var encoder: MessageEncoder { MessageEncoder(to: settings, of: configuration.upstream) }

    var maxMessage: Int { configuration.upstream.maxMessage }

    /// One that messages can be sent to.
    static func forSending(_ invocation: Invocation) throws(Failure) -> BridgeSocket {
        let socket = try BridgeSocket(invocation)
        guard socket.settings.maySend else {
            let name = socket.settings.name
            throw Failure("cannot send to the socket \(name): it has send: no; nothing was sent")
        }
        return socket
    }

    private var absence: Absence? {
        (description?.bridge.uplink).flatMap { Absence($0, configuration, now: WallClock.local.now) }
    }

    /// Tells on standard error that the server is away, and what comes of it, if so.
    func warn(sends: Bool) {
        if let absence { Program.report(absence.words(sends: sends)) }
    }

    /// Warns of a server that is away.
    ///
    /// - Parameter isTyped: A person sends, who can wait until it is back.
    /// - Throws: That all that is sent now would be thrown away.
    func warnSender(isTyped: Bool = false) throws(Failure) {
        if !isTyped, let absence, absence.throwsAway {
            throw Failure("\(absence.words(sends: true)); nothing was sent")
        }
        warn(sends: true)
    }

    func connect() throws(Failure) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.connecting(to: .unix(path: settings.path)).take()
        } catch {
            let cannot = "cannot connect to \(printable(settings.path)): \(describe(errno: error.code))"
            switch error.code {
            case ENOENT, ECONNREFUSED: throw missing(cannot)
            case EACCES: throw Failure("\(cannot): \(Permission.needed(for: settings.path))")
            default: throw Failure("\(cannot): try again")
            }
        }
    }

    /// Whether the bridge may refuse a client, which it does by closing the connection.
    var mayRefuse: Bool { configuration.clientLimits.mayRefuse }

    /// Returns when the bridge has done what it was about to do, if it can be asked.
    func awaitTurn() {
        let connection = try? ControlConnection(
            to: configuration.name, in: runtimeDirectory, patience: Self.patience)
        try? connection?.awaitAnswer()
    }

    /// Why the bridge would refuse one more client, in the words of its log; `nil` if nothing is known of that.
    var refusal: String? {
        guard let clients = description?.clients else { return nil }
        let limits = configuration.clientLimits
        let ownClients = clients.count { $0.uid == geteuid() }
        if let limit = limits.total, clients.count >= limit { return "max-clients (\(limit)) are connected" }
        if let limit = limits.perUser, ownClients >= limit {
            return "max-clients-per-user (\(limit)) are connected"
        }
        return nil
    }

    /// What is to be said if nobody listens there.
    private func missing(_ cannot: String) -> Failure {
        let name = configuration.name
        let isTroubled = description?.bridge.sockets.contains {
            $0.path == settings.path && $0.trouble != nil
        }
        guard isTroubled != true, SocketFile.owner(of: settings.path) == nil else {
            return .fileGone(settings.path, of: name, "socket \(settings.name)")
        }
        guard description == nil else {
            return Failure(
                "\(cannot): the bridge \(name) answers, but has no such socket now; it may be stopping")
        }
        return Failure("\(cannot): \(Failure.notRunning(name).message)", .notRunning)
    }
}
