import Glibc

/// A file that is to be read, as stat(2) knows it: one that is the same has the same contents.
struct FileState: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let modified: [Int]

    /// - Parameters:
    ///   - path: A regular file that can be read; anything else could keep us waiting.
    ///   - key: The setting that names it.
    /// - Throws: Why it cannot be read.
    init(_ path: String, key: String) throws(TLSError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.error(path, key, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error(path, key, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TLSError("\(key) \(path): not a regular file", isLasting: true)
        }
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        modified = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    private static func error(_ path: String, _ key: String, _ code: Int32) -> TLSError {
        var reason = [CChar](repeating: 0, count: 128)
        _ = unsafe strerror_r(code, &reason, reason.count)
        let words = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return TLSError("cannot read \(key) \(path): \(words) (errno \(code))", isLasting: true)
    }
}
