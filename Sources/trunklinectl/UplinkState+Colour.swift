import Control

extension UplinkDescription.State {
    /// Of the dot, as in `systemctl status`.
    var colour: Palette.Colour {
        switch self {
        case .ready, .resting: .green
        case .starting, .resolving, .connecting, .securing, .greeting, .ended, .stopping: .yellow
        case .waiting: .red
        }
    }
}
