import Glibc
import Linux

/// An upstream and two local programs that talk through a daemon, and come back when their connections end.
final class Conversation {
    /// One end of a connection, and the numbers of the messages that have arrived there from each sender.
    private final class Party {
        let name: String
        var stream: Stream?
        var heard: [String: [Int]] = [:]
        var unfinished: [UInt8] = []

        init(_ name: String) { self.name = name }

        func say(_ number: Int) throws { try stream?.send(Wire.line.frame("\(name) \(number)")) }

        /// Takes what has arrived.
        ///
        /// - Returns: Whether the connection has ended.
        func listen() -> Bool {
            switch stream?.receiveNow() {
            case .bytes(let bytes):
                let (frames, rest) = Wire.line.split(unfinished + bytes)
                unfinished = rest
                for frame in frames {
                    let words = String(decoding: frame.dropLast(), as: UTF8.self).split(separator: " ")
                    heard[words.first.map(String.init) ?? "", default: []].append(
                        words.count == 2 ? Int(words[1]) ?? 0 : 0)
                }
            case .end, .failed:
                leave()
                return true
            case .nothing, nil: break
            }
            return false
        }

        func leave() {
            stream = nil
            // Only directly before the end there may be part of a message.
            unfinished = []
        }
    }

    private let daemon: DaemonProcess
    private let upstream: FakeUpstream
    private let server = Party("server")
    private let programs = [Party("first"), Party("second")]
    private var number = 0
    /// How many connections the daemon has ended.
    private(set) var cuts = 0

    init(_ daemon: DaemonProcess, _ upstream: FakeUpstream) {
        self.daemon = daemon
        self.upstream = upstream
    }

    /// Everybody hears the upstream, and the upstream everybody; then the upstream breaks off, then a program.
    func take() throws {
        for _ in 0..<3 { try exchange() }
        server.leave()
        for _ in 0..<2 { try exchange() }
        programs[1].leave()
        try eventually("the daemon to let go of a program") { daemon.clientCount() == 1 }
        for _ in 0..<2 { try exchange() }
    }

    /// One message to all and one from each; with new ones, if a connection ends meanwhile.
    private func exchange() throws {
        while true {
            try eventually("all to be connected") {
                try attend()
                return ([server] + programs).allSatisfy { $0.stream != nil } && daemon.clientCount() == 2
            }
            let before = cuts
            number += 1
            for party in [server] + programs {
                // Whether that failed, the next receive tells.
                try? party.say(number)
            }
            try eventually("message \(number); until now \(heard)") {
                try attend()
                return cuts > before || isHeard(number)
            }
            if cuts == before { return }
        }
    }

    private func isHeard(_ number: Int) -> Bool {
        programs.allSatisfy { $0.heard["server"]?.last == number && server.heard[$0.name]?.last == number }
    }

    /// What has arrived where.
    private var heard: String {
        ([server] + programs).map { party in
            "\(party.name)\(party.stream == nil ? " (gone)" : "") heard \(party.heard)"
        }.joined(separator: ", ")
    }

    private func attend() throws {
        for party in [server] + programs where party.listen() { cuts += 1 }
        if server.stream == nil { server.stream = try upstream.acceptNow() }
        // One that the daemon has not let go of yet would be counted in place of a new one, which would miss messages.
        guard daemon.clientCount() == programs.count(where: { $0.stream != nil }) else { return }
        for program in programs where program.stream == nil {
            program.stream = try Stream.connecting(to: .unix(path: daemon.path()))
        }
    }

    /// What arrived in pieces, twice, or out of order.
    var mistakes: [String] {
        ([server] + programs).flatMap { party in
            party.heard.filter { sender, numbers in
                !["server", "first", "second"].contains(sender) || numbers.first == 0
                    || !zip(numbers, numbers.dropFirst()).allSatisfy(<)
            }.map { "\(party.name) heard \($0.value) of '\($0.key)'" }
        }
    }
}
