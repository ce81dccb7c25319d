import Configuration
import Linux
import Uplink

/// The dialogue with the upstream before everything else. Nothing of what clients send gets in between.
extension Bridge {
    /// So long the end of a line is waited for when the upstream has said something wrong.
    private static let listening = Duration.milliseconds(250)

    func greet(step: UInt64) -> [Uplink.Effect] {
        do throws(GreetingError) {
            greeting = try Greeting(configuration.upstream.onConnect)
        } catch {
            return uplink.failed(step: step, error.reason, now: loop.now, jitter: jitter())
        }
        requestTurn()
        return []
    }

    func endGreeting() {
        greeting = nil
        disarm(.words)
    }

    /// Takes the dialogue as far as it gets: what can be sent is sent, and what has come is received once.
    func converse() {
        var mayReceive = true
        while let greeting, let connection {
            let step = greeting.step
            if greeting.demand == .sending {
                send(greeting, on: connection)
            } else {
                greeting.advance()
            }
            if greeting.step != step {
                stepDone(greeting, of: connection)
            } else if greeting.demand == .nothing {
                refused()
            } else if mayReceive && canConverse {
                mayReceive = false
                receive(greeting, from: connection)
            } else {
                return listen(greeting)
            }
        }
    }

    private func listen(_ greeting: Greeting) {
        guard greeting.demand == .words, !isArmed(.words) else { return }
        arm(.words, at: loop.now + Self.listening)
    }

    /// Whether there is something to be received, and room for it.
    var canConverse: Bool {
        guard let greeting, let connection else { return false }
        return connection.isReadable && greeting.hasRoom
    }

    private func stepDone(_ greeting: Greeting, of connection: UpstreamConnection) {
        if greeting.demand == .done {
            prologue = greeting.takeRest()[...]
            endGreeting()
        }
        perform(uplink.greeted(step: connection.step, count: greeting.step, now: loop.now))
    }

    private func send(_ greeting: Greeting, on connection: UpstreamConnection) {
        guard !connection.isSendBlocked else { return }
        do throws(SystemError) {
            try greeting.send { bytes throws(SystemError) in try connection.send(bytes) }
        } catch {
            guard error.isShortage else { return connection.sendingFailed(error) }
            connection.rest()
            shortage()
        }
    }

    private func receive(_ greeting: Greeting, from connection: UpstreamConnection) {
        do throws(SystemError) {
            let transfer = try greeting.withFreeSpace { bytes throws(SystemError) in
                try connection.receive(into: &bytes)
            }
            switch transfer {
            case .moved: break
            case .wouldBlock:
                if let error = connection.sendError { failed(connection, error) }
            case .ended: greetingFailed(.ended)
            }
        } catch {
            guard error.isShortage else { return failed(connection, error) }
            connection.rest()
            shortage()
        }
    }

    private func failed(_ connection: UpstreamConnection, _ error: SystemError) {
        if error.isOfPeer { greetingFailed(.ended) } else { lost(connection, error) }
    }

    /// The upstream has said something else than was expected, and its words are as complete as they get.
    func refused() {
        guard let greeting else { return }
        greetingFailed(.unexpected(greeting.expected))
    }

    private func greetingFailed(_ fault: Uplink.GreetingFault) {
        guard let greeting, let connection else { return }
        let fault = greeting.demand == .words ? .unexpected(greeting.expected) : fault
        upstreamFailed(
            step: connection.step, .greeting(step: greeting.step, fault, said: greeting.said))
    }
}
