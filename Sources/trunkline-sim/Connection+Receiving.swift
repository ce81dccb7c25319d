import Framing
import Linux
import TLS

/// Bytes received and not yet divided into messages.
struct Incoming {
    private let framing: Framing
    private var decoder: Decoder
    private(set) var bytes: [UInt8] = []
    /// Whole messages received.
    private(set) var messages = 0

    init(_ framing: Framing) {
        self.framing = framing
        decoder = Decoder(framing, limit: Framing.longestMessage)
    }

    /// Gives each payload that is whole now to `handle`, in order.
    mutating func append(
        _ received: ArraySlice<UInt8>, _ handle: (ArraySlice<UInt8>) -> Void
    ) throws(FramingError) {
        bytes += received
        var found = Found()
        // Copied, for the span borrows all of this value.
        var decoder = decoder
        defer {
            self.decoder = decoder
            bytes.removeFirst(found.position)
        }
        while true {
            let start = found.position
            found.payloads.removeAll(keepingCapacity: true)
            var failure: FramingError?
            do {
                _ = try decoder.decode(bytes.span.extracting(start...), atMost: 4096, into: &found)
            } catch {
                failure = error
            }
            give(found, to: handle)
            if let failure { throw failure }
            if found.payloads.count < 4096 { return }
        }
    }

    /// The peer has ended its direction: gives what is a message by that to `handle`.
    mutating func finish(_ handle: (ArraySlice<UInt8>) -> Void) {
        var found = Found()
        var decoder = decoder
        _ = decoder.finish(bytes.span, into: &found)
        give(found, to: handle)
        self.decoder = decoder
        bytes.removeFirst(found.position)
    }

    private mutating func give(_ found: Found, to handle: (ArraySlice<UInt8>) -> Void) {
        for payload in found.payloads {
            let spelt = bytes[payload]
            handle(framing.hasEscapes ? framing.payload(speltAs: spelt)[...] : spelt)
        }
        messages += found.payloads.count
    }

    private struct Found: FrameSink {
        var payloads: [Range<Int>] = []
        var position = 0

        mutating func append(_ frame: Frame) {
            payloads.append(position + frame.payload.lowerBound..<position + frame.payload.upperBound)
            position += Int(frame.length)
        }

        mutating func skip(_ count: Int, _ reason: SkipReason) { position += count }
    }
}

/// Where one read puts its bytes.
struct ReceiveBuffer {
    private(set) var bytes = [UInt8](repeating: 0, count: 256 << 10)

    mutating func receive(from descriptor: borrowing FileDescriptor) throws(SystemError) -> Transfer {
        var space = bytes.mutableSpan
        return try descriptor.receive(into: &space)
    }

    mutating func receive(through tls: TLSSession) -> TLSSession.Received {
        var space = bytes.mutableSpan
        return tls.receive(into: &space)
    }
}

extension Connection {
    /// Reads once, so that sending and other connections have their turn.
    func receive() {
        do {
            switch try receiveOnce() {
            case .moved(let count): try received(server.receiveBuffer.bytes[..<count])
            case .wouldBlock: break
            case .ended: peerEnded()
            }
        } catch {
            end("\(error)")
        }
    }

    private func received(_ bytes: ArraySlice<UInt8>) throws {
        // Nobody asks what it was.
        guard options.reply != nil || server.received != nil else { return }
        try incoming.append(bytes, received(payload:))
        server.received?.flush()
        pump()
    }

    private func received(payload: ArraySlice<UInt8>) {
        server.received?.append(payload)
        answer(payload)
    }

    private func answer(_ payload: ArraySlice<UInt8>) {
        guard let reply = options.reply, case .open = phase, queued < options.dropAfter ?? .max else {
            return
        }
        do {
            let answer =
                switch reply {
                case .echo: Array(payload)
                case .java: JavaService.answer(to: payload)
                }
            try queue.append(answer: answer, framing: options.framing)
            queued += 1
            try finishIfAllQueued()
        } catch {
            complain("connection \(number): an answer cannot be sent: \(error)")
        }
    }

    /// What is queued is still sent: the peer may only have closed its own direction.
    private func peerEnded() {
        hasPeerEnded = true
        incoming.finish(received(payload:))
        server.received?.flush()
        switch phase {
        case .open:
            phase = .finishing
            pump()
        case .halfClosed: end("half-closed; the peer closed it")
        case .draining: end("closed")
        case .finishing, .settling, .ended: break
        }
    }
}
