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
        isInHandshake = true
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
            isInHandshake = false
            // What followed the handshake may have been read with it.
            isReadable = true
            bridge.upstreamSecured(step: step)
        case .closed:
            handshakeFailed(
                .tls("the server closed the connection during the TLS handshake", isLasting: false))
        case .broken(let code): handshakeFailed(.system(call: "recv", errno: code))
        case .failed(let error): handshakeFailed(.tls(error.message, isLasting: error.isLasting))
        }
    }

    private func handshakeFailed(_ reason: Uplink.Reason) {
        isInHandshake = false
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
        case .failed(let error): brokenOff = .tls(error.message, isLasting: error.isLasting)
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
                guard tls.seal(bytes.extracting(count...)) else {
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

extension Uplink.Reason {
    fileprivate static func system(_ error: SystemError) -> Uplink.Reason {
        .system(call: error.call.description, errno: error.code)
    }
}
