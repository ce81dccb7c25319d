import CLinux
import Glibc

/// Tells when files may have been removed or renamed, or others have come to stand under their names (inotify(7)).
///
/// One for all, which lasts as long as the loop: the kernel takes some 20 ms to close one that has watched anything, and
/// seconds now and then.
public final class FileWatcher: ReadinessHandler {
    let descriptor: FileDescriptor
    /// By the watch's number. Each file is watched once.
    private var changed: [Int32: () -> Void] = [:]

    init() throws(SystemError) {
        descriptor = FileDescriptor(owning: Int32(try retrying("inotify") { Int(tl_inotify()) }))
    }

    /// Watches a file that the process may read.
    ///
    /// - Parameters:
    ///   - path: The file: one that is not watched yet.
    ///   - changed: Is called by the loop.
    /// - Returns: A number for `end`.
    /// - Throws: `EACCES`; `ENOSPC` when the user has no watches left.
    func watch(_ path: String, changed: @escaping () -> Void) throws(SystemError) -> Int32 {
        let raw = descriptor.raw
        let number = Int32(try retrying("inotify_add_watch") { unsafe Int(tl_watch_links(raw, path)) })
        self.changed[number] = changed
        return number
    }

    func end(_ number: Int32) {
        guard changed.removeValue(forKey: number) != nil else { return }
        // It fails when the file is no more.
        _ = inotify_rm_watch(descriptor.raw, number)
    }

    public func becameReady(_ readiness: Readiness) {
        for number in takeChanged() { changed[number]?() }
    }

    /// Those of which something has happened by now.
    private func takeChanged() -> [Int32] {
        // Each event has the size of its header, for the files themselves are watched and no name comes with it.
        let size = MemoryLayout<inotify_event>.size
        var numbers: Set<Int32> = []
        var buffer = [UInt8](repeating: 0, count: 64 * size)
        while true {
            let count = unsafe Glibc.read(descriptor.raw, &buffer, buffer.count)
            guard count > 0 else { return numbers.sorted() }
            for start in stride(from: 0, to: count, by: size) {
                let event = unsafe buffer.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                }
                // The kernel had no room for more.
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return changed.keys.sorted() }
                numbers.insert(event.wd)
            }
        }
    }
}
