import Control
import Glibc
import Linux
import TestSupport
import Testing

@testable import trunklinectl

/// The client's side of the control socket, with services of all kinds.
struct ControlConnectionTests {
    private func failure(_ body: () throws -> Void) -> Failure? {
        do {
            try body()
            return nil
        } catch {
            return error as? Failure
        }
    }

    /// The service is a thread of the tests, which may stand still for longer than a daemon does.
    private func connect(to service: FakeService) throws -> ControlConnection {
        try ControlConnection(to: "ais", in: service.directory.path, patience: .seconds(20) * slowdown)
    }

    @Test func `an answer of any size is understood`() throws {
        let clients = (1...5000).map { Sample.client($0, command: $0 % 2 == 0 ? "cat" : nil) }
        let description = Description(bridge: Sample.bridge(), clients: clients)
        let service = try FakeService([Reply.success(description), Reply.success])
        let connection = try connect(to: service)
        #expect(try connection.ask(.describe, for: Description.self) == description)
        try connection.demand(.reconnect)
    }

    @Test func `several answers that come at once are taken in turn`() throws {
        let events = (1...3).map {
            EventDescription(event: "e", level: "info", text: "\($0)", time: $0, fields: [:])
        }
        let service = try FakeService([events.flatMap { Reply.success($0, continues: true) }])
        let connection = try connect(to: service)
        try connection.monitor()
        #expect(try connection.takeEvent() == nil)
        var received: [EventDescription] = []
        while try connection.waitAndReceive() {
            while let event = try connection.takeEvent() { received.append(event) }
        }
        #expect(received == events)
    }

    /// The fake service runs as whoever runs the test.
    private static let steerers =
        getuid() == 0 ? "root" : "root and the user it runs as (\(Users.name(getuid())))"

    @Test(arguments: [
        (ControlError.noSuchClient(7), Request.disconnect(client: 7), "the bridge ais has no client 7"),
        (
            .permissionDenied, .reconnect,
            "you may look at the bridge ais, but only \(Self.steerers) may steer it; nothing was done"
        ),
        (
            .invalidParameter("level"), .setLogLevel("lo\u{7}ud"),
            #"there is no log level 'lo\aud'; there are error, warning, notice, info, debug"#
        ),
        (
            .methodNotFound("a\u{1B}"), .reconnect,
            "the bridge ais refused: org.varlink.service.MethodNotFound"
        ),
    ])
    func `a refusal is told in words`(error: ControlError, request: Request, words: String) throws {
        let service = try FakeService([Reply.failure(error)])
        let connection = try connect(to: service)
        let failure = failure { try connection.demand(request) }
        #expect(failure?.message == words && failure?.isRefusal == true)
    }

    @Test(arguments: [
        (Array("{}\0".utf8), "the bridge ais refused: an answer that cannot be understood"),
        ([], "the bridge ais closed the connection instead of answering"),
        (Array("{\"parameters\":{".utf8), "the bridge ais closed the connection instead of answering"),
    ])
    func `what is no answer is told`(bytes: [UInt8], words: String) throws {
        let service = try FakeService([bytes])
        let connection = try connect(to: service)
        let failure = failure { try connection.demand(.reconnect) }
        #expect(failure?.message == words && failure?.status == .failure)
        #expect(failure?.isRefusal == (bytes == Array("{}\0".utf8)))
    }

    @Test func `a bridge that hangs is told`() throws {
        let service = try FakeService([], hangs: true)
        let connection = try ControlConnection(
            to: "ais", in: service.directory.path, patience: .milliseconds(20))
        let failure = failure { try connection.demand(.reconnect) }
        let words = "the bridge ais has not answered for 0.02 seconds"
        #expect(failure?.message == "\(words); it may still be done when the bridge answers again")
        let looking = self.failure { _ = try connection.ask(.describe, for: Description.self) }
        #expect(looking?.message == words)
        #expect(failure?.isRefusal == false)
    }

    @Test func `a bridge that is not running is told, and how to start it`() throws {
        let directory = try TemporaryDirectory()
        let failure = failure { _ = try ControlConnection(to: "a\u{1B}s", in: directory.path) }
        #expect(failure?.status == .notRunning)
        let message = failure?.message ?? ""
        #expect(
            message.hasPrefix(
                #"the bridge a\es is not running; start it with 'systemctl start trunkline@a\es'"#))
    }

    @Test func `a name that is too long for a socket is told`() throws {
        let directory = try TemporaryDirectory()
        let name = String(repeating: "x", count: 200)
        let failure = failure { _ = try ControlConnection(to: name, in: directory.path) }
        #expect(failure?.message.contains("cannot connect to \(directory.path)/\(name).control") == true)
    }
}

extension ControlConnection {
    fileprivate func waitAndReceive() throws -> Bool {
        // The descriptor is non-blocking.
        var wanted = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&wanted, 1, 10_000)
        return try receive()
    }
}
