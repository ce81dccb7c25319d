public import Glibc

extension FileDescriptor {
    /// A file to append to; made, with mode 0666 less the umask, if it does not exist.
    public static func appending(to path: String) throws(SystemError) -> FileDescriptor {
        try opening(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC)
    }

    /// A file to read from.
    public static func reading(_ path: String) throws(SystemError) -> FileDescriptor {
        try opening(path, O_RDONLY | O_CLOEXEC)
    }

    /// A file to read from, if it is a regular one: `nil` for anything else, such as a pipe that nobody writes to.
    public static func regularFile(_ path: String) throws(SystemError) -> FileDescriptor? {
        let file = try opening(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { return nil }
        return file
    }

    /// fstat(2).
    public borrowing func status() throws(SystemError) -> stat {
        var status = stat()
        let raw = raw
        _ = try retrying("fstat") { unsafe Int(fstat(raw, &status)) }
        return status
    }

    private static func opening(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: Int32(try retrying("open") { unsafe Int(open(path, flags, 0o666)) }))
    }

    /// All bytes up to the end of the file.
    public borrowing func readToEnd() throws(SystemError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var free = chunk.mutableSpan
            switch try read(into: &free) {
            case .moved(let count): contents += chunk[..<count]
            case .ended: return contents
            case .wouldBlock: throw SystemError(call: "read", code: EAGAIN)
            }
        }
    }

    /// Writes everything to a file, a terminal or a pipe; blocks as long as nobody takes it, also where the descriptor
    /// does not: whoever shares a terminal or a pipe may have made it so.
    public borrowing func writeAll(_ bytes: Span<UInt8>) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            switch try write(bytes.extracting(written...)) {
            case .moved(let count): written += count
            case .wouldBlock: try wait(for: .writable)
            case .ended: preconditionFailure("a write that ended")
            }
        }
    }
}

/// Makes a file hold these bytes and no others (rename(2)).
///
/// Whoever opens it meanwhile finds the old bytes, or none of them. The new ones are in `PATH.new` at first.
///
/// - Throws: Why the file is as it was.
public func replaceFile(_ path: String, with bytes: Span<UInt8>) throws(SystemError) {
    let draft = "\(path).new"
    try? removeFile(draft)
    do throws(SystemError) {
        try FileDescriptor.appending(to: draft).writeAll(bytes)
        _ = try retrying("rename") { unsafe Int(rename(draft, path)) }
    } catch {
        try? removeFile(draft)
        throw error
    }
}

/// unlink(2).
public func removeFile(_ path: String) throws(SystemError) {
    _ = try retrying("unlink") { unsafe Int(unlink(path)) }
}

/// The names of what is in a directory, in no order, without `.` and `..` (readdir(3)).
public func entries(of directory: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(directory) else { throw SystemError(call: "opendir", code: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    // An entry is only as long as its name, so it must not be copied as a whole.
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    while let entry = unsafe readdir(stream) {
        let start = unsafe UnsafeRawPointer(entry) + offset
        let name = unsafe String(cString: start.assumingMemoryBound(to: CChar.self))
        if name != "." && name != ".." { names.append(name) }
    }
    return names
}
