import Control
import Glibc
import Linux

/// The control connection of one bridge, of which nothing is ever waited for: the bridge may have stopped.
final class BridgeFeed {
    /// What has become of what was asked.
    enum Report {
        case described(Description)
        case reconnecting
        /// It would not reconnect, for this reason.
        case refused(Refusal)
        case lost(TopModel.Contact)
    }

    /// More than a thousand clients' description takes.
    private static let longestAnswer = 64 << 20

    let name: String
    private let path: String
    private var connection: FileDescriptor?
    private var descriptor: Int32 {
        switch connection {
        case .some(let connection): connection.raw
        case nil: -1
        }
    }
    private var buffer = MessageBuffer(limit: BridgeFeed.longestAnswer)
    /// Not sent yet.
    private var output: [UInt8] = []
    /// Asked, or to be asked, and not answered, the oldest first.
    private var questions: [Request] = []
    /// On this connection.
    private var hasAnswered = false

    init(name: String, path: String) {
        self.name = name
        self.path = path
    }

    /// What to wait for.
    var request: Poll.Request {
        Poll.Request(descriptor, output.isEmpty ? .readable : [.readable, .writable])
    }

    /// Asks for a description, unless one is on its way.
    func describe() -> [Report] { questions.contains(.describe) ? advance() : ask(.describe) }

    func reconnect() -> [Report] { ask(.reconnect) }

    private func ask(_ question: Request) -> [Report] {
        questions.append(question)
        output += Call(question, takesMore: false, isOneWay: false).message
        return advance()
    }

    /// Does what can be done without waiting.
    func advance() -> [Report] {
        do throws(SystemError) {
            if connection == nil, !(try connect()) { return [] }
            try send()
            return try receive()
        } catch {
            return error.isOfPeer ? ended() : [lose(contact(error))]
        }
    }

    /// - Returns: Whether there is a connection; so many may wait for the bridge that there can be none now.
    private func connect() throws(SystemError) -> Bool {
        do throws(SystemError) {
            connection = try FileDescriptor.connecting(to: .unix(path: path)).take()
            return true
        } catch  where error.code == EAGAIN {
            return false
        }
    }

    private func send() throws(SystemError) {
        while !output.isEmpty, case .moved(let count)? = try connection?.send(output.span) {
            output.removeFirst(count)
        }
    }

    private func receive() throws(SystemError) -> [Report] {
        var reports: [Report] = []
        var chunk = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            var free = chunk.mutableSpan
            switch try connection?.receive(into: &free) {
            case .moved(let count):
                buffer.append(chunk[..<count])
                do {
                    while connection != nil, let message = try buffer.next() {
                        reports.append(report(message))
                    }
                } catch {
                    return reports + [lose(.failed("its answer is longer than can be"))]
                }
            case .wouldBlock, nil: return reports
            case .ended: return reports + ended()
            }
        }
    }

    /// The daemon has ended, or has given our place to somebody else: then it answers when asked anew.
    private func ended() -> [Report] {
        let mayBeThere = hasAnswered
        let report = lose(.failed("it closes the connection instead of answering"))
        return mayBeThere ? describe() : [report]
    }

    private func report(_ message: [UInt8]) -> Report {
        hasAnswered = true
        let question = questions.isEmpty ? nil : questions.removeFirst()
        do throws(Refusal) {
            switch question {
            case .describe?: return .described(try Answer<Description>(message).parameters)
            case .reconnect?:
                _ = try Answer<[String: String]>(message)
                return .reconnecting
            default: return lose(.failed("it answers what it was not asked"))
            }
        } catch {
            return question == .reconnect ? .refused(error) : lose(.failed("it answers with \(error.error)"))
        }
    }

    private func lose(_ contact: TopModel.Contact) -> Report {
        connection = nil
        buffer = MessageBuffer(limit: Self.longestAnswer)
        output = []
        questions = []
        hasAnswered = false
        return .lost(contact)
    }

    private func contact(_ error: SystemError) -> TopModel.Contact {
        let failure = ControlConnection.failure(name, path, error.code)
        return failure.status == .notRunning ? .notRunning : .failed(failure.message)
    }
}
