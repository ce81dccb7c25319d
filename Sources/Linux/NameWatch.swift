import CLinux
import Glibc

/// Becomes readable when a file may have been written, or another may have come to stand under its name: also where
/// symbolic links lead to it, and when it was not there before.
///
/// Directories are watched (inotify(7)), for such files are replaced by renaming.
public final class NameWatch {
    public let descriptor: FileDescriptor
    private let paths: [String]
    /// What is looked for in each directory, by the watch's number.
    private var names: [Int32: Set<String>] = [:]
    /// As many links as the kernel follows.
    private static let mostLinks = 40

    /// - Parameter paths: Absolute. One whose directory is not there is not watched.
    /// - Throws: `EMFILE` when the user has no watches left.
    public init(_ paths: [String]) throws(SystemError) {
        descriptor = FileDescriptor(owning: Int32(try retrying("inotify") { Int(tl_inotify()) }))
        self.paths = paths
        for path in paths { watch(path) }
    }

    private func watch(_ path: String) {
        var path = path
        for _ in 0..<Self.mostLinks {
            let (directory, name) = split(path)
            let number = unsafe tl_watch_directory(descriptor.raw, directory)
            guard number >= 0 else { return }
            names[number, default: []].insert(name)
            guard let target = target(of: path) else { return }
            path = target.hasPrefix("/") ? target : directory + target
        }
    }

    /// Forgets what has happened by now.
    ///
    /// - Returns: Whether one of the files is concerned.
    public func reset() -> Bool {
        var isConcerned = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = unsafe Glibc.read(descriptor.raw, &buffer, buffer.count)
            guard count > 0 else { break }
            if concerns(buffer.span.extracting(..<count)) { isConcerned = true }
        }
        // A link may lead elsewhere now.
        if isConcerned { for path in paths { watch(path) } }
        return isConcerned
    }

    /// Each event is a header, of which the last four bytes are the length of the name that follows, with NULs.
    private func concerns(_ events: Span<UInt8>) -> Bool {
        var rest = events
        let header = MemoryLayout<inotify_event>.size
        while rest.count >= header {
            let event = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
            // The kernel had no room for more.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let end = min(header + Int(event.len), rest.count)
            var name: [UInt8] = []
            for index in header..<end where rest[index] != 0 { name.append(rest[index]) }
            if names[event.wd]?.contains(String(decoding: name, as: UTF8.self)) ?? false { return true }
            rest = rest.extracting(end...)
        }
        return false
    }
}

/// `/run/feed` is `feed` in `/run/`.
private func split(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
}

/// Where a symbolic link leads; `nil` for what is none.
private func target(of path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
