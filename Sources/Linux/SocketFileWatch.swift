/// Tells when a socket has vanished from the file system, so that nobody finds it any more.
public final class SocketFileWatch {
    private let file: SocketFile
    private let vanished: () -> Void
    private let watcher: FileWatcher
    private var number: Int32?
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
        self.vanished = vanished
        watcher = try loop.fileWatcher()
        number = try watcher.watch(file.path) { [unowned self] in look() }
    }

    private func look() {
        guard !file.isInPlace else { return }
        isGone = true
        end()
        vanished()
    }

    public func end() {
        if let number { watcher.end(number) }
        number = nil
    }
}
