import CLinux
import Glibc

/// Becomes readable when a file may have been removed or renamed, or others than the file have come to stand under its
/// name (inotify(7)).
public final class FileWatch {
    public let descriptor: FileDescriptor

    /// - Parameter path: A file that the process may read.
    /// - Throws: `EACCES`; `EMFILE` and `ENOSPC` when the user has no watches left.
    public init(path: String) throws(SystemError) {
        descriptor = FileDescriptor(
            owning: Int32(try retrying("inotify") { unsafe Int(tl_watch_links(path)) }))
    }

    /// Forgets what has happened by now.
    public func reset() {
        // Each event has the size of its header, for the file itself is watched and no name comes with it.
        var buffer = [UInt8](repeating: 0, count: 1024)
        while unsafe Glibc.read(descriptor.raw, &buffer, buffer.count) > 0 {}
    }
}
