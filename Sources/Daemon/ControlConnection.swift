import Control
import Glibc
import Linux

/// One program that looks or steers: its calls are answered in turn.
final class ControlConnection: ReadinessHandler {
    /// What is being answered.
    private enum Answering {
        case nothing
        /// The clients that are still to be described.
        case description(DescriptionWriter, clients: ArraySlice<UInt32>)
        /// Events, as they happen; so many were left out.
        case events(missed: Int)
    }
    /// A call is at most so long.
    private static let longestCall = 16 << 10
    /// No more is written while so much waits to be read.
    private static let outputLimit = 32 << 10
    /// The most bytes of one connection: a call, what comes behind it, and answers, of which the last goes past the limit.
    static let longestMemory = 2 * longestCall + outputLimit + (16 << 10)

    private let descriptor: FileDescriptor
    private let peer: PeerCredentials
    private let controlled: any Controlled
    private unowned let service: ControlService
    private var registration: Registration?

    private var buffer = MessageBuffer(limit: longestCall)
    private var calls: ArraySlice<[UInt8]> = []
    private var answering = Answering.nothing
    private var output: [UInt8] = []
    /// How much of it was sent.
    private var sent = 0
    private var isSendBlocked = false
    private var isReadable = false
    /// When it last asked something or took something.
    private(set) var lastActive: ContinuousClock.Instant

    init(
        _ descriptor: consuming FileDescriptor, from peer: PeerCredentials, controlled: any Controlled,
        service: ControlService
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.peer = peer
        self.controlled = controlled
        self.service = service
        lastActive = service.loop.now
        registration = try service.loop.add(self.descriptor, for: .readable, handler: self)
    }

    func unwatch() {
        if let registration { service.loop.remove(registration) }
        registration = nil
    }

    func becameReady(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.writable, .hangup]) { isSendBlocked = false }
        if !readiness.isDisjoint(with: [.readable, .hangup]) { isReadable = true }
        // It is asked for again when its work is done: until then it would only be reported again and again.
        watch([])
        service.enqueue(self)
    }

    private func watch(_ interest: Interest) {
        guard let registration else { return }
        do throws(SystemError) {
            try service.loop.modify(registration, for: interest)
        } catch {
            service.end(self)
        }
    }

    /// Sends what it is still to be told, as far as the kernel takes it.
    func finish() { try? flush() }

    // MARK: Events

    /// It follows what happens.
    var isFollowing: Bool { if case .events = answering { true } else { false } }

    /// Counts an event as missed when there is no room.
    func hasRoomForEvent() -> Bool {
        guard case .events(let missed) = answering else { return false }
        if output.count < Self.outputLimit && missed == 0 { return true }
        answering = .events(missed: missed + 1)
        return false
    }

    func follow(_ bytes: [UInt8]) {
        output += bytes
        service.enqueue(self)
    }

    // MARK: Work

    /// Does a little of what there is to do.
    ///
    /// - Returns: Whether there is more that can be done now.
    func work() -> Bool {
        do {
            if output.count >= Self.outputLimit || isIdle { try flush() }
            guard output.count < Self.outputLimit else { return wait() }
            switch answering {
            case .description(let writer, let clients): describe(writer, clients)
            case .events(let missed) where missed > 0: tellMissed(missed)
            case .events: if isReadable { try receive() }
            case .nothing:
                if let call = calls.popFirst() { try answer(call) } else if isReadable { try receive() }
            }
            return isIdle && !isReadable && (output.isEmpty || isSendBlocked) ? wait() : true
        } catch {
            service.end(self)
            return false
        }
    }

    /// There is nothing to be answered now.
    private var isIdle: Bool {
        switch answering {
        case .nothing: calls.isEmpty
        case .description: false
        case .events(let missed): missed == 0
        }
    }

    private func wait() -> Bool {
        // Who does not take what was answered is not read any further.
        watch(output.isEmpty ? .readable : [.writable])
        return false
    }

    private func receive() throws {
        isReadable = false
        var bytes = [UInt8](repeating: 0, count: Self.longestCall)
        var span = bytes.mutableSpan
        switch try descriptor.receive(into: &span) {
        case .wouldBlock: break
        case .ended: throw SystemError(call: "recv", code: ECONNRESET)
        case .moved(let count):
            lastActive = service.loop.now
            // While events are told nothing may be asked.
            guard !isFollowing else { throw ControlError.malformed }
            calls += try buffer.append(bytes[..<count])
        }
    }

    private func flush() throws {
        guard sent < output.count, !isSendBlocked else { return }
        var count = 0
        let output = output
        let unsent = output.span.extracting(sent...)
        if case .moved(let moved) = try descriptor.send(unsent) { count = moved }
        sent += count
        isSendBlocked = sent < output.count
        if count > 0 { lastActive = service.loop.now }
        guard sent == output.count else { return }
        self.output = []
        sent = 0
    }

    // MARK: Answers

    /// - Throws: `malformed` when the connection has to be closed.
    private func answer(_ bytes: [UInt8]) throws(ControlError) {
        do throws(ControlError) {
            let call = try Call(bytes)
            let reply = try reply(to: call)
            if !call.isOneWay { output += reply }
        } catch .malformed {
            throw .malformed
        } catch {
            output += Reply.failure(error)
        }
    }

    /// - Returns: The reply, or the beginning of one that `answering` continues.
    private func reply(to call: Call) throws(ControlError) -> [UInt8] {
        switch call.request {
        case .getInfo: return Reply.info(version: Program.version)
        case .getInterfaceDescription(let interface):
            guard let text = Interface.definition(of: interface) else { throw .interfaceNotFound(interface) }
            return Reply.success(["description": text])
        case .describe:
            guard !call.isOneWay else { return [] }
            let writer = DescriptionWriter()
            answering = .description(writer, clients: controlled.clientNumbers[...])
            return writer.head(controlled.bridgeDescription)
        case .monitor:
            guard call.takesMore, !call.isOneWay else { throw .expectedMore }
            answering = .events(missed: 0)
            return Reply.success(controlled.currentEvent, continues: true)
        case .reconnect:
            try requireSteering()
            controlled.reconnect(for: peer)
        case .disconnect(let client):
            try requireSteering()
            guard controlled.disconnect(client: client, for: peer) else { throw .noSuchClient(client) }
        case .setLogLevel(let level):
            try requireSteering()
            guard controlled.setLogLevel(level, for: peer) else { throw .invalidParameter("level") }
        }
        return Reply.success
    }

    /// Who may connect may look; who steers is root, or the user that the daemon runs as.
    private func requireSteering() throws(ControlError) {
        guard peer.uid == 0 || peer.uid == geteuid() else { throw .permissionDenied }
    }

    private func describe(_ writer: DescriptionWriter, _ clients: ArraySlice<UInt32>) {
        var (writer, clients) = (writer, clients)
        guard let number = clients.popFirst() else {
            output += writer.tail
            answering = .nothing
            return
        }
        if let client = controlled.clientDescription(number) { output += writer.client(client) }
        answering = .description(writer, clients: clients)
    }

    private func tellMissed(_ count: Int) {
        answering = .events(missed: 0)
        let event = EventDescription(
            event: "missed", level: "warning",
            text: "\(count) events were not taken in time, and are left out",
            time: wallMicroseconds(of: service.loop.now, now: service.loop.now), fields: [:])
        output += Reply.success(event, continues: true)
    }
}
