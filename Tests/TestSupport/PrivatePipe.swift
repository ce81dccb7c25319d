import Glibc

/// A pipe that no process inherits, so that it ends when this one closes its writing end.
///
/// pipe(2) and then fcntl(2) would leave a moment in which a program that another test starts gets both ends: a FIFO can
/// be opened close-on-exec from the first.
public func privatePipe() throws -> (reading: Int32, writing: Int32) {
    let directory = try TemporaryDirectory()
    guard mkfifo(directory("pipe"), 0o600) == 0 else { throw CannotOpen(errno: errno) }
    // Non-blocking, for nobody has opened the other end yet.
    let reading = open(directory("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    let writing = open(directory("pipe"), O_WRONLY | O_CLOEXEC)
    guard reading >= 0, writing >= 0, fcntl(reading, F_SETFL, 0) == 0 else { throw CannotOpen(errno: errno) }
    return (reading, writing)
}

private struct CannotOpen: Error {
    let errno: Int32
}
