import Linux

extension Connection {
    /// How long a close waits for the peer.
    private static let closingTime = Duration.seconds(1)

    /// Everything is sent: closes as the options want it.
    func close() {
        disarmTimer()
        if options.afterCount == .halfClose && !hasPeerEnded {
            halfClose()
        } else if options.resets && !hasPeerEnded {
            phase = .settling(since: server.loop.now)
            settle()
        } else {
            shutDown()
        }
    }

    private func halfClose() {
        phase = .halfClosed
        endTLS()
        do { try descriptor.shutDown(.writing) } catch { return end("\(error)") }
        updateInterest()
    }

    /// Waits until the peer's kernel holds everything, for a reset discards the rest; there is no event for that.
    func settle() {
        guard case .settling(let start) = phase else { return }
        if descriptor.unsent() > 0, server.loop.now < start + Self.closingTime {
            armTimer(at: server.loop.now + .milliseconds(1))
            return updateInterest()
        }
        do { try descriptor.resetOnClose() } catch { complain("connection \(number): \(error)") }
        end("reset")
    }

    /// Closes our direction, and the other when the peer has: what it sent and we had not read would make our close
    /// a reset.
    func shutDown() {
        switch phase {
        case .draining, .ended: return
        case .open, .finishing, .halfClosed, .settling: break
        }
        endTLS()
        guard !hasPeerEnded else { return end("the peer closed it") }
        guard options.reads else { return end("closed") }
        phase = .draining
        isBlocked = false
        do { try descriptor.shutDown(.writing) } catch { return end("\(error)") }
        armTimer(at: server.loop.now + Self.closingTime)
        updateInterest()
    }

    /// The connection is over; the descriptor is closed with this object.
    func end(_ reason: String) {
        if case .ended = phase { return }
        phase = .ended
        disarmTimer()
        if let registration { server.loop.remove(registration) }
        registration = nil
        if options.isVerbose {
            complain("connection \(number): \(sent) messages sent, \(incoming.messages) received; \(reason)")
        }
        server.ended(self)
    }
}
