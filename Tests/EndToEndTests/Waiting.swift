import Glibc
import TestSupport

/// What a test waited for did not happen.
struct DeadlinePassed: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain for \(what)" }
}

/// Looks again and again whether something that can be observed has happened.
///
/// - Throws: `DeadlinePassed`, and what the condition throws.
func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(15), _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + limit * slowdown
    while true {
        // Whoever was not scheduled until after the deadline looks once more.
        let isLast = ContinuousClock.now >= deadline
        if try condition() { return }
        guard !isLast else { throw DeadlinePassed(what: what()) }
        // Leaves the processor to those who are waited for.
        _ = poll(nil, 0, 2)
    }
}

extension Duration {
    var milliseconds: Int32 { Int32(clamping: Int((self / .milliseconds(1)).rounded(.up))) }

    /// What an end in good order takes at the most: two seconds of sending what is left, and half a second.
    static let orderlyEnd = Duration.milliseconds(2500)
    /// Of SIGTERM, while there is no connection.
    static let promptEnd = Duration.seconds(1)
}
