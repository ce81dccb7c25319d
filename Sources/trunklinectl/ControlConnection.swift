import Configuration
import Control
import Glibc
import Linux

/// A conversation with a bridge's daemon through its control socket (https://varlink.org).
final class ControlConnection {
    let bridge: String
    private let descriptor: FileDescriptor
    /// Far more than a bridge with a full house of clients answers.
    private var buffer = MessageBuffer(limit: 256 << 20)
    /// Arrived, and not asked for yet.
    private var messages: ArraySlice<[UInt8]> = []
    private let patience: Duration
    static let patience = Duration.seconds(5)

    /// - Parameters:
    ///   - bridge: Its name.
    ///   - runtimeDirectory: Where its control socket is.
    ///   - patience: A daemon answers at once; one that has been silent for so long has stopped, or hangs.
    /// - Throws: That the bridge is not running, or that its socket is not for this user.
    init(
        to bridge: String, in runtimeDirectory: String, patience: Duration = ControlConnection.patience
    ) throws(Failure) {
        self.bridge = bridge
        self.patience = patience
        let path = Configuration.controlPath(of: bridge, in: runtimeDirectory)
        do throws(SystemError) {
            descriptor = try FileDescriptor.connecting(to: .unix(path: path)).take()
        } catch {
            throw Self.failure(bridge, path, error.code)
        }
    }

    /// Why there is no connection, from connect(2)'s errno.
    static func failure(_ bridge: String, _ path: String, _ code: Int32) -> Failure {
        let cannot = "cannot connect to \(printable(path)): \(describe(errno: code))"
        switch code {
        case ENOENT, ECONNREFUSED:
            guard SocketFile.owner(of: path) != nil else { return .notRunning(bridge) }
            return .fileGone(path, of: bridge, "control socket")
        case EACCES: return Failure("\(cannot): \(Permission.needed(for: path))")
        case EAGAIN: return Failure("\(cannot): the bridge \(printable(bridge)) does not answer")
        default: return Failure(cannot)
        }
    }

    // MARK: Asking

    /// Asks for something that is answered once.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - for: What is answered.
    ///   - consequence: What is told of a bridge that does not answer, beside that.
    /// - Returns: The answer.
    /// - Throws: That there was none, or a refusal.
    func ask<Parameters>(
        _ request: Request, for: Parameters.Type = Parameters.self, consequence: String = ""
    ) throws(Failure) -> Parameters
    where Parameters: Decodable & Sendable {
        try send(Call(request, takesMore: false, isOneWay: false))
        while messages.isEmpty {
            guard try wait() else { throw failure("has not answered for \(patience)\(consequence)") }
            guard try receive() else { throw failure("closed the connection instead of answering") }
        }
        return try answer(of: request)
    }

    /// Asks for something that is done, and answered with nothing.
    func demand(_ request: Request) throws(Failure) {
        // It stands in the queue of a daemon that has only been stopped.
        let consequence = "; it may still be done when the bridge answers again"
        _ = try ask(request, for: Nothing.self, consequence: consequence)
    }

    /// Returns when the bridge answers.
    func awaitAnswer() throws(Failure) { _ = try ask(.getInfo, for: Nothing.self) }

    private struct Nothing: Decodable {}

    /// Asks for events, which `takeEvent` gives.
    func monitor() throws(Failure) { try send(Call(.monitor, takesMore: true, isOneWay: false)) }

    /// The next event that has arrived; `nil` when there is none yet.
    func takeEvent() throws(Failure) -> EventDescription? {
        guard !messages.isEmpty else { return nil }
        return try answer(of: .monitor)
    }

    private func answer<Parameters>(of request: Request) throws(Failure) -> Parameters
    where Parameters: Decodable & Sendable {
        do throws(Refusal) {
            return try Answer<Parameters>(messages.removeFirst()).parameters
        } catch {
            let owner = try? descriptor.peerCredentials().uid
            throw Failure(RefusalText.text(error, of: request, to: bridge, ownedBy: owner), isRefusal: true)
        }
    }

    // MARK: Bytes

    var raw: Int32 { descriptor.raw }

    private func send(_ call: Call) throws(Failure) {
        do throws(SystemError) {
            try descriptor.sendAll(call.message.span)
        } catch {
            throw failure("cannot be asked: \(describe(errno: error.code))")
        }
    }

    private func wait() throws(Failure) -> Bool {
        do throws(SystemError) {
            return try descriptor.wait(for: .readable, atMost: patience)
        } catch {
            throw failure("cannot be heard: \(describe(errno: error.code))")
        }
    }

    /// Takes what has arrived.
    ///
    /// - Returns: Whether more may come.
    func receive() throws(Failure) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        do {
            var free = chunk.mutableSpan
            switch try descriptor.receive(into: &free) {
            case .moved(let count):
                buffer.append(chunk[..<count])
                while let message = try buffer.next() { messages.append(message) }
            case .wouldBlock: break
            case .ended: return false
            }
            return true
        } catch let error as SystemError where error.isOfPeer {
            return false
        } catch let error as SystemError {
            throw failure("cannot be heard: \(describe(errno: error.code))")
        } catch {
            throw failure("answers more than can be true")
        }
    }

    private func failure(_ words: String) -> Failure { Failure("the bridge \(printable(bridge)) \(words)") }
}

extension Failure {
    static func notRunning(_ bridge: String) -> Failure {
        let name = printable(bridge)
        let lacks = Bridges.missingFile(of: bridge).map { " (but there is no \(printable($0)))" } ?? ""
        return Failure(
            "the bridge \(name) is not running; start it with 'systemctl start trunkline@\(name)'\(lacks)",
            .notRunning)
    }

    /// The bridge runs, and somebody has removed its socket, which is called so.
    static func fileGone(_ path: String, of bridge: String, _ socket: String) -> Failure {
        let name = printable(bridge)
        return Failure(
            "the bridge \(name) is running, but the file of its \(socket) is gone (\(printable(path))); "
                + "'systemctl restart trunkline@\(name)' puts it back")
    }
}

/// What a refusal means, in words.
enum RefusalText {
    /// - Parameters:
    ///   - refusal: What was answered.
    ///   - request: What was asked.
    ///   - bridge: Its name.
    ///   - owner: The user that it runs as, if that is known.
    /// - Returns: A sentence without its end.
    static func text(
        _ refusal: Refusal, of request: Request, to bridge: String, ownedBy owner: UInt32? = nil
    ) -> String {
        let name = printable(bridge)
        switch (refusal.error.split(separator: ".").last, request) {
        case ("NoSuchClient", .disconnect(let number)): return "the bridge \(name) has no client \(number)"
        case ("PermissionDenied", _):
            let steerers =
                switch owner {
                case nil: "root and the user it runs as"
                case 0: "root"
                case let owner?: "root and the user it runs as (\(printable(Users.name(owner))))"
                }
            return "you may look at the bridge \(name), but only \(steerers) may steer it; nothing was done"
        case ("InvalidParameter", .setLogLevel(let level)):
            return
                "there is no log level '\(printable(level))'; there are \(LogLevel.all.joined(separator: ", "))"
        default: return "the bridge \(name) refused: \(printable(refusal.error))"
        }
    }
}
