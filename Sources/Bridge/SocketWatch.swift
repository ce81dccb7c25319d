import Linux

/// Reports when a socket has vanished from the file system, so that nobody finds it any more.
final class SocketWatch: ReadinessHandler {
    private let name: String
    private let file: SocketFile
    private let watch: FileWatch
    private unowned let bridge: Bridge
    private var registration: Registration?
    /// The socket has vanished.
    private(set) var isGone = false

    /// - Parameters:
    ///   - name: The socket's, in the configuration.
    ///   - file: The socket in the file system.
    ///   - bridge: Is told, and outlives the watch.
    /// - Throws: What keeps the file from being watched.
    init(_ name: String, _ file: SocketFile, bridge: Bridge) throws(SystemError) {
        self.name = name
        self.file = file
        self.bridge = bridge
        watch = try FileWatch(path: file.path)
        registration = try bridge.loop.add(watch.descriptor, for: .readable, handler: self)
    }

    func becameReady(_ readiness: Readiness) {
        watch.reset()
        guard !file.isInPlace else { return }
        isGone = true
        end()
        bridge.report(.socketGone(socket: name, path: file.path))
    }

    func end() {
        if let registration { bridge.loop.remove(registration) }
        registration = nil
    }
}
