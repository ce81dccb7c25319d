import Configuration
import Exchange

/// Messages in the framings that sockets have of their own, and what cannot be translated.
extension Bridge {
    /// A turn translates so much for each framing, at the most and one message more.
    private static let share = 256 << 10

    /// Goes on with every framing that somebody reads, as far as there is room.
    func translate() {
        for translated in translations.logs {
            guard translated.readerCount > 0 else {
                translated.skipSource()
                continue
            }
            translated.translate(atMost: Self.share)
            let losses = translated.takeLosses()
            if !losses.isEmpty { notTranslated(losses, for: translated) }
        }
    }

    private func notTranslated(_ losses: UnrepresentableMessages, for log: TranslatedLog) {
        for socket in configuration.sockets where translations.log(of: socket.name) === log {
            guard admission.count(on: socket.name) > 0 else { continue }
            report(losses, socket.name, .toClients, disconnects: log.stopsAtLoss)
        }
        guard log.stopsAtLoss, let reason = losses.amounts.keys.first else { return }
        for client in clients.reversed() where client.log === log {
            // What came before is for them.
            if client.isWritable && !client.isHungUp { flush(client) }
            if client.slot >= 0 { leave(client, .unrepresentable(reason, .toClients)) }
        }
    }

    func report(
        _ losses: UnrepresentableMessages, _ socket: String, _ direction: Unrepresentable.Direction,
        disconnects: Bool
    ) {
        for (reason, skipped) in losses.amounts {
            record(.unrepresentable, skipped.amount(since: Skipped()))
            let what = Unrepresentable(
                socket: socket, direction: direction, reason: reason, disconnects: disconnects)
            report(.unrepresentable(what))
        }
    }
}
