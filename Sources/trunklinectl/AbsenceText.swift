import Configuration
import Control

/// What comes of a server that is away, for whoever sends to it or listens.
enum AbsenceText {
    /// - Returns: `nil` when the server is connected, or is about to be after a connection that was complete.
    static func words(
        _ uplink: UplinkDescription, _ configuration: Configuration, sends: Bool
    ) -> String? {
        switch uplink.state {
        case .ready, .resting: return nil
        case .resolving, .connecting, .securing, .greeting: if uplink.outageSince == nil { return nil }
        case .starting, .ended, .waiting, .stopping: break
        }
        let why = uplink.reason ?? "\(uplink.upstream) (\(uplink.state.rawValue))"
        return "the server is away: \(printable(why)); "
            + (sends ? fate(configuration) : "messages come when it is back")
    }

    private static func fate(_ configuration: Configuration) -> String {
        switch (configuration.whenDown, configuration.holdTime) {
        case (.discard, _): "what is sent is thrown away (when-down: discard)"
        case (.hold, nil): "what is sent waits until it is back"
        case (.hold, let time?):
            "what is sent waits until it has been away for hold-time (\(TimeSpan.print(time))), then it is thrown away"
        }
    }
}
