import Configuration
import Framing
import Glibc
import Linux

/// A client's connection with a bridge, in both directions at once, so that neither holds up the other.
final class Conversation {
    private let socket: BridgeSocket
    private let connection: FileDescriptor
    /// What is printed of what is received; `nil` throws it away.
    private var printer: MessagePrinter?
    /// What is sent.
    private let input: MessageInput?
    /// Frames that are not sent yet.
    private var frames: [UInt8]
    private var sent = 0
    /// Why nothing more is read, told when all before has been sent.
    private var fault: Failure?
    /// Lines that are not printed yet.
    private var lines: [UInt8] = []
    private var printed = 0
    private let output = FileDescriptor(owning: dup(STDOUT_FILENO))
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)
    private let ending: Ending
    /// When it is over, though more may come.
    private var end: ContinuousClock.Instant?
    private var hasFinishedSending = false
    /// The bridge has ended it without having taken all.
    private var isReset = false
    private var hasReceived = false
    /// Whoever read what is printed has had enough.
    private var isUnread = false

    /// When it is over, beside the end of what is to be printed.
    enum Ending: Equatable {
        /// When all is sent.
        case sent
        /// When the bridge ends it, and that is a failure.
        case never
        /// So long after all is sent; until the bridge ends it for `nil`.
        case after(Duration?)
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - socket: Where to.
    ///   - printer: What is printed of what is received; `nil` throws it away.
    ///   - input: What is sent.
    ///   - frames: What is sent before.
    ///   - ending: When it is over.
    /// - Throws: Why there is no connection.
    init(
        with socket: BridgeSocket, printer: MessagePrinter? = nil, input: MessageInput? = nil,
        frames: [UInt8] = [],
        ending: Ending
    ) throws(Failure) {
        self.socket = socket
        self.printer = printer
        self.input = input
        self.frames = frames
        self.ending = ending
        connection = try socket.connect()
    }

    /// Goes on until it is over.
    ///
    /// - Throws: That the bridge has ended it, or what is wrong with the input.
    func run() throws(Failure) {
        while true {
            let isSent = sent == frames.count && (input?.hasEnded ?? true)
            if isSent { try finishSending() }
            let isPrinted = printed == lines.count
            if isUnread { return endUnread() }
            if isPrinted, let printer, printer.remaining == 0 { return }
            if isPrinted, isSent, ending == .sent { return try awaitTaking() }
            if isPrinted, isSent, end.map({ $0 <= .now }) ?? false { return }
            guard try step() else {
                if case .after = ending, isSent, !isReset, refusal == nil { return try printRest() }
                try printRest()
                throw closed
            }
        }
    }

    /// Ends the process as writing would, unless SIGPIPE is ignored: that is as good an end as any.
    private func endUnread() { raise(SIGPIPE) }

    /// Waits until the bridge has taken what was sent, if it may have refused this client: that it closes the connection is
    /// all that is told of that, and it may have thrown away what it had received.
    private func awaitTaking() throws(Failure) {
        guard socket.mayRefuse else { return }
        let deadline = ContinuousClock.now + Self.takingTime
        while connection.unsent() > 0, .now < deadline {
            // That the bridge has taken something wakes nobody.
            try carry("wait for") { () throws(SystemError) in
                _ = try connection.wait(for: .readable, atMost: .milliseconds(1))
            }
            guard try receive() else { throw closed }
        }
        socket.awaitTurn()
        guard try receive() else { throw closed }
    }

    /// A bridge takes what is sent at once, unless its outbox is full.
    private static let takingTime = Duration.milliseconds(500)

    private func finishSending() throws(Failure) {
        if let fault { throw fault }
        guard case .after(let time) = ending, !hasFinishedSending else { return }
        hasFinishedSending = true
        end = time.map { .now + $0 }
        try carry("send to") { () throws(SystemError) in try connection.shutDown(.writing) }
    }

    /// Waits for something, and does it.
    ///
    /// - Returns: Whether the bridge may have more to say.
    private func step() throws(Failure) -> Bool {
        let mayRead = sent == frames.count && !(input?.hasEnded ?? true)
        if mayRead, input?.request == nil {
            read()
            return true
        }
        let isSending = sent < frames.count
        let isPrinting = printed < lines.count
        // What cannot be printed is not received, so that the bridge learns of it.
        let incoming: Interest = isPrinting ? [] : .readable
        let wanted = isSending ? incoming.union(.writable) : incoming
        let requests = [
            // The end of a connection is reported even if nothing is wanted.
            Poll.Request(wanted.isEmpty ? -1 : connection.raw, wanted),
            // That nobody reads it any more is reported though nothing is to be printed.
            Poll.Request(printer == nil ? -1 : output.raw, isPrinting ? .writable : []),
            mayRead ? input?.request ?? Poll.Request(-1, []) : Poll.Request(-1, []),
        ]
        let limit = end.map { max(.zero, $0 - .now) }
        var ready: [Readiness] = []
        try carry("wait for") { () throws(SystemError) in ready = try Poll.wait(for: requests, atMost: limit)
        }
        if isPrinting, !ready[1].isEmpty { try print(atMost: input == nil ? .max : Self.pipeBuffer) }
        if !isPrinting, !ready[1].isEmpty { isUnread = true }
        if !ready[2].isEmpty { read() }
        if isSending, !ready[0].isEmpty { try send() }
        if !isPrinting, !ready[0].isEmpty { return try receive() }
        return true
    }

    /// A pipe or terminal that is writable takes so much without blocking (PIPE_BUF, pipe(7)).
    private static let pipeBuffer = 4096

    private func read() {
        guard let read = input?.read() else { return }
        (frames, sent) = (read.frames, 0)
        fault = read.fault
    }

    private func send() throws(Failure) {
        let frames = frames
        try carry("send to") { () throws(SystemError) in
            while sent < frames.count {
                let rest = frames.span.extracting(sent...)
                guard case .moved(let count) = try connection.send(rest) else { return }
                sent += count
            }
        }
    }

    private func receive() throws(Failure) -> Bool {
        var transfer = Transfer.wouldBlock
        do throws(SystemError) {
            var free = chunk.mutableSpan
            transfer = try connection.receive(into: &free)
        } catch {
            if error.isOfPeer {
                isReset = true
                return false
            }
            throw failure("receive from", error)
        }
        switch transfer {
        case .wouldBlock: return true
        case .ended: return false
        case .moved(let count):
            hasReceived = true
            guard printer != nil else { return true }
            do throws(FramingError) {
                (lines, printed) = (try printer?.lines(chunk[..<count], time: WallClock.local.now) ?? [], 0)
            } catch {
                throw Failure("\(error)")
            }
            return true
        }
    }

    private func print(atMost count: Int) throws(Failure) {
        do throws(SystemError) {
            let lines = lines
            let end = min(lines.count, printed + min(count, lines.count))
            if case .moved(let count) = try output.write(lines.span.extracting(printed..<end)) {
                printed += count
            }
        } catch {
            guard error.code == EPIPE else {
                throw Failure(Program.cannotWrite(error))
            }
            isUnread = true
        }
    }

    private func printRest() throws(Failure) {
        while printed < lines.count, !isUnread {
            try carry("wait for") { () throws(SystemError) in try output.wait(for: .writable) }
            try print(atMost: .max)
        }
    }

    private func carry(_ words: String, _ body: () throws(SystemError) -> Void) throws(Failure) {
        do throws(SystemError) { try body() } catch { throw error.isOfPeer ? closed : failure(words, error) }
    }

    /// Why the bridge has probably refused this client, when it has ended the connection.
    private var refusal: String? { hasReceived ? nil : socket.refusal }

    private var closed: Failure {
        let why = refusal.map { ": \($0)" } ?? (isReset ? " before it had taken all" : "")
        return Failure("the bridge \(socket.configuration.name) closed the connection\(why)")
    }

    private func failure(_ words: String, _ error: SystemError) -> Failure {
        Failure("cannot \(words) \(socket.settings.path): \(describe(errno: error.code))")
    }
}
