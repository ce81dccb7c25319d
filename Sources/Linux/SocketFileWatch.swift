/// Tells when a socket has vanished from the file system, so that nobody finds it any more.
public final class SocketFileWatch: ReadinessHandler {
    private let file: SocketFile
    private let loop: EventLoop
    private let vanished: () -> Void
    private let watch: FileWatch
    private var registration: Registration?
    public private(set) var isGone = false

    /// - Parameters:
    ///   - file: The socket.
    ///   - loop: Where the watch runs.
    ///   - vanished: Is called once, by the loop.
    /// - Throws: What keeps the file from being watched.
    public init(
        _ file: SocketFile, loop: EventLoop, vanished: @escaping () -> Void
    ) throws(SystemError) {
        self.file = file
        self.loop = loop
        self.vanished = vanished
        watch = try FileWatch(path: file.path)
        registration = try loop.add(watch.descriptor, for: .readable, handler: self)
    }

    public func becameReady(_ readiness: Readiness) {
        watch.reset()
        guard !file.isInPlace else { return }
        isGone = true
        end()
        vanished()
    }

    public func end() {
        if let registration { loop.remove(registration) }
        registration = nil
    }
}
