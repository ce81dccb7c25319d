import Glibc

/// Why a socket could not be put into the file system.
public enum SocketFileError: Error, Equatable, Sendable {
    /// A live process owns it.
    case inUse(path: String, pid: Int32?)
    /// Something else stands there, which is left alone.
    case notASocket(path: String)
    /// Something that is no file stands where its lock file should, and is left alone.
    case notALock(path: String)
    /// Its lock file cannot be had.
    case lock(path: String, SystemError)
    case system(path: String, SystemError)
}

extension SocketFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .inUse(let path, let pid?): "cannot listen on \(path): in use by pid \(pid)"
        case .inUse(let path, nil): "cannot listen on \(path): in use by another process"
        case .notASocket(let path):
            "cannot listen on \(path): something that is not a socket stands there, and is not deleted"
        case .notALock(let path):
            "cannot listen on \(path): \(path).lock is not a regular file, and is not deleted"
        case .lock(let path, let error) where error.code == ENOENT:
            "cannot listen on \(path): there is no such directory"
        case .lock(let path, let error): "cannot listen on \(path): \(path).lock: \(error)"
        case .system(let path, let error): "cannot listen on \(path): \(error)"
        }
    }
}

/// A listening Unix stream socket in the file system, and the lock file beside it that decides who owns it.
///
/// The lock is held as long as the process lives, so a socket that SIGKILL left behind is replaced and a live one never
/// stolen. Whoever looks at the socket never sees more rights than are meant, at no moment; nobody can connect before mode
/// and group are right.
public final class SocketFile {
    public let path: String
    public let descriptor: FileDescriptor
    private let lock: FileDescriptor
    private let identity: FileIdentity

    /// - Parameters:
    ///   - path: Absolute, at most `SocketAddress.longestPath` bytes.
    ///   - mode: Permission bits.
    ///   - group: `nil` leaves it to the process and the directory.
    /// - Throws: `SocketFileError`; nothing was changed then.
    public init(path: String, mode: UInt32, group: UInt32?) throws(SocketFileError) {
        self.path = path
        if let type = Self.fileType(at: Self.lockPath(path)), type != S_IFREG { throw .notALock(path: path) }
        do throws(SystemError) {
            lock = try Self.takeLock(Self.lockPath(path))
        } catch {
            guard error.code == EWOULDBLOCK else { throw .lock(path: path, error) }
            throw .inUse(path: path, pid: Self.owner(Self.lockPath(path)))
        }
        do throws(SocketFileError) {
            try Self.removeStale(path)
        } catch {
            Self.removeFile(Self.lockPath(path))
            throw error
        }
        do throws(SystemError) {
            let socket = try FileDescriptor.streamSocket(family: AF_UNIX)
            identity = try Self.place(socket, at: path, mode: mode, group: group)
            descriptor = socket
        } catch {
            Self.removeFile(Self.lockPath(path))
            throw .system(path: path, error)
        }
    }

    /// Whether the socket still stands under its path.
    public var isInPlace: Bool { (try? FileIdentity(of: path)) == identity }

    /// Whether a path leads to the socket, by whatever symbolic links.
    public func isReached(by path: String) -> Bool { (try? FileIdentity(at: path)) == identity }

    /// Removes the socket and the lock file, unless others stand in their places by now.
    public func remove() {
        if isInPlace { Self.removeFile(path) }
        if let own = try? FileIdentity(of: lock.raw), (try? FileIdentity(of: Self.lockPath(path))) == own {
            Self.removeFile(Self.lockPath(path))
        }
    }

    private static func removeFile(_ path: String) { _ = unsafe unlink(path) }

    static func lockPath(_ path: String) -> String { path + ".lock" }

    /// - Throws: EWOULDBLOCK when another process holds the lock.
    private static func takeLock(_ name: String) throws(SystemError) -> FileDescriptor {
        while true {
            let lock = FileDescriptor(
                owning: Int32(
                    try retrying("open") {
                        unsafe Int(open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
                    }))
            let raw = lock.raw
            _ = try retrying("flock") { Int(flock(raw, LOCK_EX | LOCK_NB)) }
            do throws(SystemError) {
                // An owner that ends removes its file: what was locked must be what stands there.
                guard try FileIdentity(of: raw) == FileIdentity.standing(at: name) else { continue }
                try writeOwner(raw)
            } catch {
                removeFile(name)
                throw error
            }
            return lock
        }
    }

    private static func writeOwner(_ raw: Int32) throws(SystemError) {
        let text = "\(getpid())\n"
        _ = try retrying("ftruncate") { Int(ftruncate(raw, 0)) }
        _ = try retrying("pwrite") { unsafe pwrite(raw, text, text.utf8.count, 0) }
    }

    /// The process that holds a lock. It writes its number a moment after it has taken the lock; until then its file is
    /// empty, or names a dead one.
    private static func owner(_ name: String) -> Int32? {
        for _ in 0..<50 {
            if let pid = processNamed(in: name), kill(pid, 0) == 0 || errno == EPERM { return pid }
            _ = poll(nil, 0, 2)
        }
        return nil
    }

    private static func processNamed(in name: String) -> Int32? {
        let raw = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { return nil }
        let file = FileDescriptor(owning: raw)
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(file.raw, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// Whoever holds the lock may remove a socket; one that answers although the lock is free lost its lock file, and
    /// is alive all the same.
    private static func removeStale(_ path: String) throws(SocketFileError) {
        guard let type = fileType(at: path) else { return }
        guard type == S_IFSOCK else { throw .notASocket(path: path) }
        if isAnswering(path) { throw .inUse(path: path, pid: nil) }
        removeFile(path)
    }

    /// `S_IFREG` and the like, of a symbolic link itself; `nil` when nothing is there.
    private static func fileType(at path: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The directory that a socket stands in, without what makes no difference at its end.
    public static func directory(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let directory = path[..<end]
        return "/" + directory.split(separator: "/").joined(separator: "/")
    }

    /// Whether a path leads to a directory, by symbolic links or without.
    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether something stands there that no socket will replace.
    public static func isTaken(_ path: String) -> Bool { fileType(at: path).map { $0 != S_IFSOCK } ?? false }

    private static func isAnswering(_ path: String) -> Bool {
        do throws(SystemError) {
            _ = try FileDescriptor.connecting(to: .unix(path: path))
            return true
        } catch {
            // Nobody holds it; anything else (a full backlog, a socket of another type) has an owner.
            return error.code != ECONNREFUSED
        }
    }

    /// Nobody can connect before it listens, and by then mode and group are right.
    ///
    /// It is bound under its own path, not moved there: the kernel shows that name to `ss` for ever.
    private static func place(
        _ socket: borrowing FileDescriptor, at path: String, mode: UInt32, group: UInt32?
    ) throws(SystemError) -> FileIdentity {
        let raw = socket.raw
        // bind(2) gives the file the socket's own mode, less the umask, and the process's group: that group gets nothing
        // when another is meant, and only who is privileged could have bound with another (setfsgid(2)).
        let first = group == nil ? mode : mode & S_IRWXU
        _ = try retrying("fchmod") { Int(fchmod(raw, first)) }
        let mask = umask(0)
        defer { umask(mask) }
        try socket.bind(to: .unix(path: path))
        do throws(SystemError) {
            if let group { _ = try retrying("chown") { unsafe Int(chown(path, uid_t.max, group)) } }
            _ = try retrying("chmod") { unsafe Int(chmod(path, mode)) }
            try socket.listen()
            return try FileIdentity(of: path)
        } catch {
            removeFile(path)
            throw error
        }
    }
}

/// What a path or a descriptor refers to.
struct FileIdentity: Equatable {
    let device: UInt64
    let inode: UInt64

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// What is there; `nil` when nothing is.
    static func standing(at path: String) throws(SystemError) -> FileIdentity? {
        do throws(SystemError) {
            return try FileIdentity(of: path)
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// Does not follow a symbolic link.
    init(of path: String) throws(SystemError) {
        var status = stat()
        _ = try retrying("lstat") { unsafe Int(lstat(path, &status)) }
        self.init(status)
    }

    /// Follows symbolic links.
    init(at path: String) throws(SystemError) {
        var status = stat()
        _ = try retrying("stat") { unsafe Int(stat(path, &status)) }
        self.init(status)
    }

    init(of descriptor: Int32) throws(SystemError) {
        var status = stat()
        _ = try retrying("fstat") { unsafe Int(fstat(descriptor, &status)) }
        self.init(status)
    }
}
