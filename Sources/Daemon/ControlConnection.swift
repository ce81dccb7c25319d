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
    /// Why a connection is over.
    private enum End: Error {
        case closed
        /// A system call on its socket failed.
        case failed
        /// It sent what is no call, or asked while it followed what happens.
        case malformed
    }
    /// A call is at most so long.
    private static let longestCall = 16 << 10
    /// No more is written while so much waits to be read.
    private static let outputLimit = 32 << 10
    /// The most bytes of one connection: a call, what comes behind it, and answers, of which the last goes past the limit.
    static let longestMemory = 2 * longestCall + outputLimit + (16 << 10)

    private let descriptor: FileDescriptor
    let peer: PeerCredentials
    private let bridge: BridgeControl
    private unowned let service: ControlService
    private var registration: Registration?

    private var buffer = MessageBuffer(limit: longestCall)
    /// A whole call may be in there.
    private var mayHoldCall = false
    private var answering = Answering.nothing
    private var output: [UInt8] = []
    /// How much of it was sent.
    private var sent = 0
    private var isSendBlocked = false
    private var isReadable = false
    /// When it last asked something or took something.
    private(set) var lastActive: ContinuousClock.Instant

    init(
        _ descriptor: consuming FileDescriptor, from peer: PeerCredentials, bridge: BridgeControl,
        service: ControlService
    ) throws(SystemError) {
        self.descriptor = descriptor
        self.peer = peer
        self.bridge = bridge
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
        if registration != nil { service.enqueue(self) }
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

    /// Whether an event is to be told here; one for which there is no room is counted as missed.
    func admitsEvent() -> Bool {
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
        do throws(End) {
            if output.count >= Self.outputLimit || isIdle { try flush() }
            guard output.count < Self.outputLimit else { return wait() }
            switch answering {
            case .description(let writer, let clients): describe(writer, clients)
            case .events(let missed) where missed > 0: tellMissed(missed)
            case .events: if isReadable { try receive() }
            case .nothing:
                if mayHoldCall { try answerNext() } else if canReceive { try receive() }
            }
            let canFlush = !output.isEmpty && !isSendBlocked
            return isIdle && !canFlush && !canReceive ? wait() : true
        } catch {
            service.end(self)
            return false
        }
    }

    /// There is nothing to be answered now.
    private var isIdle: Bool {
        switch answering {
        case .nothing: !mayHoldCall
        case .description: false
        case .events(let missed): missed == 0
        }
    }

    /// Who does not take what was answered is not read any further, and what it is owed is sent before its end is seen.
    private var canReceive: Bool { isReadable && output.isEmpty }

    private func wait() -> Bool {
        watch(output.isEmpty ? .readable : [.writable])
        return false
    }

    private func receive() throws(End) {
        isReadable = false
        var bytes = [UInt8](repeating: 0, count: Self.longestCall)
        var span = bytes.mutableSpan
        let transfer: Transfer
        do throws(SystemError) { transfer = try descriptor.receive(into: &span) } catch { throw .failed }
        switch transfer {
        case .wouldBlock: break
        case .ended: throw .closed
        case .moved(let count):
            lastActive = service.loop.now
            // While events are told nothing may be asked.
            if case .events = answering { throw .malformed }
            buffer.append(bytes[..<count])
            mayHoldCall = true
        }
    }

    private func flush() throws(End) {
        guard sent < output.count, !isSendBlocked else { return }
        let output = output
        let unsent = output.span.extracting(sent...)
        let transfer: Transfer
        do throws(SystemError) { transfer = try descriptor.send(unsent) } catch { throw .failed }
        if case .moved(let count) = transfer {
            sent += count
            lastActive = service.loop.now
        }
        isSendBlocked = sent < output.count
        guard sent == output.count else { return }
        self.output = []
        sent = 0
    }

    // MARK: Answers

    private func answerNext() throws(End) {
        let call: Call
        do throws(ControlError) {
            guard let bytes = try buffer.next() else {
                mayHoldCall = false
                return
            }
            call = try Call(bytes)
        } catch {
            throw .malformed
        }
        do throws(ControlError) {
            let reply = try reply(to: call)
            if !call.isOneWay { output += reply }
        } catch {
            if !call.isOneWay { output += Reply.failure(error) }
        }
    }

    /// - Returns: The reply, or the beginning of one that `answering` continues.
    private func reply(to call: Call) throws(ControlError) -> [UInt8] {
        switch try call.request.get() {
        case .getInfo: return Reply.info(version: Program.version)
        case .getInterfaceDescription(let interface):
            guard let text = Interface.definition(of: interface) else { throw .interfaceNotFound(interface) }
            return Reply.success(["description": text])
        case .describe:
            guard !call.isOneWay else { return [] }
            let writer = DescriptionWriter()
            answering = .description(writer, clients: bridge.clientNumbers[...])
            return writer.head(bridge.bridgeDescription)
        case .monitor:
            guard call.takesMore, !call.isOneWay else { throw .expectedMore }
            answering = .events(missed: 0)
            return Reply.success(bridge.currentEvent, continues: true)
        case .reconnect:
            try requireSteering()
            bridge.reconnect(for: peer)
        case .disconnect(let client):
            try requireSteering()
            guard bridge.disconnect(client: client, for: peer) else { throw .noSuchClient(client) }
        case .setLogLevel(let level):
            try requireSteering()
            guard bridge.setLogLevel(level, for: peer) else { throw .invalidParameter("level") }
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
        if let client = bridge.clientDescription(number) { output += writer.client(client) }
        answering = .description(writer, clients: clients)
    }

    private func tellMissed(_ count: Int) {
        answering = .events(missed: 0)
        let event = EventDescription(
            event: "missed", level: "warning",
            text: "left out: \(counted(count, "event")) not taken in time",
            time: wallMicroseconds(), fields: [:])
        output += Reply.success(event, continues: true)
    }
}
