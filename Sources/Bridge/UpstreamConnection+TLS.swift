import Glibc
import Linux
import TLS
import Uplink

/// TLS on the connection: decrypted bytes go where received ones go, and what is encrypted is sent from here.
extension UpstreamConnection {
    /// One turn sends so much at the most.
    private static let sendLimit = 1 << 20

    /// Begins the handshake; the bridge is told how it ends.
    func secure(_ session: TLSSession) {
        tls = session
        stage = .securing
        continueHandshake()
    }

    func continueHandshake() {
        guard let tls else { preconditionFailure("a handshake without TLS") }
        isSendBlocked = sendError != nil
        let progress = tls.handshake()
        do throws(SystemError) {
            // Also what tells the other side why it has failed.
            _ = try flush(tls)
        } catch {
            guard case .failed = progress else { return handshakeFailed(.system(error)) }
        }
        switch progress {
        case .underWay: bridge.requestTurn()
        case .done:
            stage = .open
            // What followed the handshake may have been read with it.
            isReadable = true
            bridge.upstreamSecured(step: step)
        case .closed:
            handshakeFailed(
                .tls("the server closed the connection during the TLS handshake", isLasting: false))
        case .broken(let code): handshakeFailed(.system(SystemError(call: "recv", code: code)))
        case .failed(let error): handshakeFailed(.tls(error))
        }
    }

    /// The dialogue is over, in which secrets may be repeated.
    func secretsAreOver() { tls?.secretsAreOver() }

    private func handshakeFailed(_ reason: Uplink.Reason) {
        stage = .open
        bridge.upstreamFailed(step: step, reason)
    }

    func receive(into bytes: inout MutableSpan<UInt8>, through tls: TLSSession) throws(SystemError)
        -> Transfer
    {
        let received = tls.receive(into: &bytes)
        isReadable = isReadable || tls.hasMore
        // New keys are answered.
        if !tls.isOutputEmpty && !isSendBlocked { flushAnswers() }
        switch received {
        case .moved(let count): return .moved(count)
        case .wouldBlock: return .wouldBlock
        case .ended: return .ended
        case .truncated: brokenOff = .truncated
        case .failed(let error): brokenOff = .tls(error)
        case .broken(let code): throw SystemError(call: "recv", code: code)
        }
        return .ended
    }

    func send(_ bytes: Span<UInt8>, through tls: TLSSession) throws(SystemError) -> Int {
        var count = 0
        do throws(SystemError) {
            while true {
                count += try flush(tls)
                guard !isSendBlocked, count < bytes.count else { return count }
                guard count < Self.sendLimit else {
                    bridge.requestTurn()
                    return count
                }
                guard tls.seal(bytes.extracting(count...)) != nil else {
                    throw SystemError(call: "send", code: EPIPE)
                }
            }
        } catch {
            guard count > 0 else { throw error }
            // It fails again in the next turn; until then what is gone must not be forgotten.
            bridge.requestTurn()
            return count
        }
    }

    /// Whether bytes are encrypted already of what `send` was given, and have not gone out.
    var hasSealed: Bool { tls?.hasSealed ?? false }

    /// Sends those, as far as the kernel takes them, and no others.
    ///
    /// - Returns: How many are gone, of what `send` was given.
    func sendSealed() throws(SystemError) -> Int { try tls.map(flush) ?? 0 }

    /// Sends what is not among that which `send` is given, and comes between: nothing may be sealed.
    ///
    /// - Returns: How many bytes need not be given again.
    func sendBetween(_ bytes: Span<UInt8>) throws(SystemError) -> Int {
        guard let tls else { return try send(bytes) }
        precondition(!tls.hasSealed, "something would come into the middle of what is sealed")
        _ = try flush(tls)
        guard tls.isOutputEmpty else { return 0 }
        guard let count = tls.seal(bytes, counts: false) else {
            throw SystemError(call: "send", code: EPIPE)
        }
        _ = try flush(tls)
        return count
    }

    /// Sends what is encrypted, as far as the kernel takes it.
    ///
    /// - Returns: How many bytes of messages are thereby gone.
    private func flush(_ tls: TLSSession) throws(SystemError) -> Int {
        var count = 0
        while !tls.isOutputEmpty {
            let transfer = try tls.withOutput { bytes throws(SystemError) in try descriptor.send(bytes) }
            guard case .moved(let moved) = transfer else {
                isSendBlocked = true
                return count
            }
            sentBytes += UInt64(moved)
            count += tls.moved(moved)
        }
        return count
    }

    /// Sends what TLS itself has to say; messages that wait are sent in the turn.
    func flushAnswers() {
        guard let tls, !tls.hasSealed, !tls.isOutputEmpty, sendError == nil else { return }
        do throws(SystemError) {
            _ = try flush(tls)
        } catch {
            guard error.isShortage else { return sendingFailed(error) }
            rest()
            bridge.shortage()
        }
    }

    /// Tells the upstream that this is the end, as far as the kernel takes it at once.
    func endTLS() {
        guard let tls else { return }
        tls.shutDown()
        if sendError == nil { _ = try? flush(tls) }
    }
}
