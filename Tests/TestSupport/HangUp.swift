import Glibc

/// Waits until the other end of a pair of sockets, or of a pipe that is read, is closed for good: a process that another test
/// is just starting has a copy of it, too, until it is a program of its own.
///
/// - Returns: Whether it has come to that.
@discardableResult
public func waitForHangUp(of raw: Int32) -> Bool {
    let deadline = ContinuousClock.now + .seconds(20) * slowdown
    repeat {
        // What is told unasked.
        var wanted = pollfd(fd: raw, events: 0, revents: 0)
        if poll(&wanted, 1, 100) > 0 && Int32(wanted.revents) & Int32(POLLHUP) != 0 { return true }
    } while ContinuousClock.now < deadline
    return false
}
