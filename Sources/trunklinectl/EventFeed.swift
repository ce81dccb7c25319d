import Control
import Linux

/// The events of one bridge, which may end and come back.
struct EventFeed {
    let bridge: String
    private let directory: String
    /// `nil` while it is away.
    private var connection: ControlConnection?
    /// It has told that it stops: a daemon that is killed, or has too many who look, closes the connection without a word.
    private var isStopping = false

    /// - Throws: Why there are no events.
    init(of bridge: String, in directory: String) throws(Failure) {
        self.bridge = bridge
        self.directory = directory
        connection = try Self.connect(to: bridge, in: directory)
    }

    private static func connect(to bridge: String, in directory: String) throws(Failure) -> ControlConnection
    {
        let connection = try ControlConnection(to: bridge, in: directory)
        try connection.monitor()
        return connection
    }

    var isConnected: Bool { connection != nil }

    var request: Poll.Request { Poll.Request(connection?.raw ?? -1, .readable) }

    /// Takes what has arrived, and tells when that was the last.
    ///
    /// - Parameter take: Is called with each event, before that is told.
    /// - Throws: That an event cannot be understood.
    mutating func receive(_ take: (EventDescription) -> Void) throws(Failure) {
        guard let connection else { return }
        let isOpen = try connection.receive()
        while let event = try connection.takeEvent() {
            if event.event == "stopping" { isStopping = true }
            take(event)
        }
        guard !isOpen else { return }
        Program.report(
            "the bridge \(printable(bridge)) has \(isStopping ? "ended" : "closed the connection")")
        self.connection = nil
        isStopping = false
    }

    /// Looks whether a bridge that was away is back, and tells it.
    mutating func look() {
        guard connection == nil else { return }
        // Whatever keeps it away may pass.
        connection = try? Self.connect(to: bridge, in: directory)
        if connection != nil { Program.report("the bridge \(printable(bridge)) is back") }
    }
}
