import Linux
import TLS

/// With `--tls-certificate`, what is received and sent is encrypted.
extension Connection {
    func continueHandshake() {
        guard let tls else { return }
        let progress = tls.handshake()
        do { _ = try flush(tls) } catch { return end("\(error)") }
        switch progress {
        case .underWay: updateInterest()
        case .done:
            isInHandshake = false
            pump()
            receive()
        case .closed: end("closed by the peer during the TLS handshake")
        case .broken(let code): end(describe(errno: code))
        case .failed(let error): end(error.message)
        }
    }

    func receiveOnce() throws(SystemError) -> Transfer {
        guard let tls else { return try server.receiveBuffer.receive(from: descriptor) }
        let received = server.receiveBuffer.receive(through: tls)
        if tls.hasMore { requestTurn() }
        switch received {
        case .moved(let count): return .moved(count)
        case .wouldBlock: return .wouldBlock
        case .ended, .truncated: return .ended
        case .broken(let code): throw SystemError(call: "recv", code: code)
        case .failed(let error):
            complain("connection \(number): \(error.message)")
            return .ended
        }
    }

    /// - Returns: How much is gone; less than there is when the kernel takes no more for now.
    func sendOnce(_ bytes: Span<UInt8>) throws(SystemError) -> Transfer {
        guard let tls else { return try descriptor.send(bytes) }
        var count = try flush(tls)
        while tls.isOutputEmpty && count < bytes.count && tls.seal(bytes.extracting(count...)) {
            count += try flush(tls)
        }
        return count > 0 || bytes.isEmpty ? .moved(count) : .wouldBlock
    }

    /// - Returns: How many bytes of messages are thereby gone.
    private func flush(_ tls: TLSSession) throws(SystemError) -> Int {
        var count = 0
        while !tls.isOutputEmpty {
            let transfer = try tls.withOutput { bytes throws(SystemError) in try descriptor.send(bytes) }
            guard case .moved(let moved) = transfer else {
                isBlocked = true
                return count
            }
            count += tls.moved(moved)
        }
        return count
    }

    /// Tells the peer that nothing more comes.
    func endTLS() {
        guard let tls else { return }
        tls.shutDown()
        _ = try? flush(tls)
    }
}
