import Configuration
import Control
import Framing

/// A server that is away, and what comes of that for whoever sends to it or listens.
struct Absence {
    private let reason: String
    private let fate: Fate

    /// What becomes of a message that is sent now.
    private enum Fate {
        case waits
        /// Until the server has been away for so long.
        case waitsFor(Duration)
        /// At once, for this reason.
        case isThrownAway(String)
    }

    /// `nil` when the server is connected, or is about to be after a connection that was complete; `now` is in microseconds
    /// since 1970.
    init?(_ uplink: UplinkDescription, _ configuration: Configuration, now: Int) {
        switch uplink.state {
        case .ready, .resting: return nil
        case .resolving, .connecting, .securing, .greeting: if uplink.outageSince == nil { return nil }
        case .ended: if case .close = configuration.upstream.framing.boundary { return nil }
        case .starting, .waiting, .stopping: break
        }
        reason = printable(uplink.reason ?? "\(uplink.upstream) (\(uplink.state.rawValue))")
        switch (configuration.whenDown, configuration.holdTime) {
        case (.discard, _): fate = .isThrownAway("when-down: discard")
        case (.hold, nil): fate = .waits
        case (.hold, let time?):
            let (length, overflows) = now.subtractingReportingOverflow(uplink.outageSince ?? now)
            fate =
                overflows || .microseconds(length) < time
                ? .waitsFor(time)
                : .isThrownAway("it has been away for longer than hold-time, \(TimeSpan.print(time))")
        }
    }

    /// Whether what is sent now is thrown away at once.
    var throwsAway: Bool { if case .isThrownAway = fate { true } else { false } }

    func words(sends: Bool) -> String {
        "the server is away: \(reason); " + (sends ? wordsOfFate : "messages come when it is back")
    }

    private var wordsOfFate: String {
        switch fate {
        case .waits: "what is sent waits until it is back"
        case .waitsFor(let time):
            "what is sent waits until it has been away for hold-time (\(TimeSpan.print(time))), then it is thrown away"
        case .isThrownAway(let why): "what is sent is thrown away at once (\(why))"
        }
    }
}
