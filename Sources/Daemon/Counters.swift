import Bridge
import Control

/// How often everything has gone wrong that can, and what it has cost, since the start.
struct Counters {
    private struct Count {
        var times = 0
        var amount = Amount()
    }
    private var counts: [Trouble: Count] = [:]

    mutating func count(_ event: BridgeEvent) {
        guard let trouble = Trouble(event) else { return }
        guard case .discarded(let reason, let amount) = event else {
            counts[trouble, default: Count()].times += 1
            return
        }
        // A message may come in many pieces.
        counts[trouble, default: Count()].times += reason.isOfMessages ? amount.messages : 1
        counts[trouble, default: Count()].amount.add(amount)
    }

    func times(_ trouble: Trouble) -> Int { counts[trouble]?.times ?? 0 }

    func amount(_ trouble: Trouble) -> Amount { counts[trouble]?.amount ?? Amount() }

    /// What the log says of them and of what has flowed when all is over.
    func text(_ totals: Totals) -> String {
        var parts = ["received \(totals.received.whole)", "sent \(totals.sent.whole)"]
        for reason in DiscardReason.allCases where amount(Trouble(reason)) != Amount() {
            parts.append("discarded \(amount(Trouble(reason)).text) \(reason.text)")
        }
        let refused = times(.tooManyClients) + times(.tooManyClientsOfUser)
        if refused > 0 { parts.append("refused \(counted(refused, "client"))") }
        return parts.joined(separator: ", ")
    }

    /// One for each reason there is.
    var descriptions: [CounterDescription] {
        Trouble.allCases.map { trouble in
            let amount = amount(trouble)
            return CounterDescription(
                reason: trouble.rawValue, times: times(trouble), messages: amount.messages,
                bytes: amount.bytes)
        }
    }
}

extension DiscardReason {
    /// Whether each message counts, and not how often something was thrown away.
    fileprivate var isOfMessages: Bool {
        switch self {
        case .oversize, .damaged, .clientDamaged, .first: true
        case .cutOff, .malformed, .between, .unfinished, .clientBetween, .upstreamAway, .notAllowed, .behind,
            .unrepresentable, .unacknowledged, .stopped:
            false
        }
    }
}
