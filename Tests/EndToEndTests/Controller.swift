import Control
import Linux
import TestSupport
import Testing

/// A connection to the daemon's control socket.
final class Controller {
    let stream: Stream
    private var received: [UInt8] = []

    init(_ daemon: DaemonProcess) throws {
        stream = try Stream.connecting(to: .unix(path: Self.path(of: daemon)))
    }

    static func path(of daemon: DaemonProcess) -> String {
        daemon.directory("\(DaemonProcess.bridge).control")
    }

    /// One call, without the NUL that ends it.
    static func call(_ method: String, _ parameters: String = "{}", more: Bool = false) -> [UInt8] {
        Array(#"{"method":"\#(method)","parameters":\#(parameters),"more":\#(more)}"#.utf8)
    }

    func send(_ method: String, _ parameters: String = "{}", more: Bool = false) throws {
        try stream.send(Self.call(method, parameters, more: more) + [0])
    }

    /// The next reply, without its NUL.
    func reply() throws -> [UInt8] {
        while !received.contains(0) { received += try stream.receive(max(1, stream.waiting)) }
        let reply = received.prefix { $0 != 0 }
        received.removeFirst(reply.count + 1)
        return Array(reply)
    }

    /// The error that a call is answered with; `nil` when it succeeds.
    func error(of method: String, _ parameters: String = "{}", more: Bool = false) throws -> String? {
        try send(method, parameters, more: more)
        do {
            _ = try Answer<Nothing>(try reply())
            return nil
        } catch let refusal as Refusal {
            return refusal.error
        }
    }

    func describe() throws -> Description {
        try send("org.trunkline.Bridge.Describe")
        return try Answer<Description>(try reply()).parameters
    }

    func event() throws -> EventDescription { try Answer<EventDescription>(try reply()).parameters }

    /// Follows what happens.
    ///
    /// - Returns: How things stand.
    func monitor() throws -> EventDescription {
        try send("org.trunkline.Bridge.Monitor", more: true)
        return try event()
    }

    struct Nothing: Decodable, Sendable {}
}
