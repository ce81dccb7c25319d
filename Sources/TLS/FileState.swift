import Glibc
import Linux

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
        let state: FileState?
        do throws(SystemError) {
            state = try FileState(path)
        } catch let failure {
            throw Self.error(path, key, failure)
        }
        guard let state else {
            throw TLSError("cannot read \(key) \(path): not a regular file", isLasting: true)
        }
        self = state
    }

    /// - Returns: `nil` for what is not a regular file.
    init?(_ path: String) throws(SystemError) {
        guard let status = try FileDescriptor.regularFile(path)?.status() else { return nil }
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        modified = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    static func error(_ path: String, _ key: String, _ failure: SystemError) -> TLSError {
        // A shortage passes.
        let isLasting = ![EMFILE, ENFILE, ENOMEM].contains(failure.code)
        return TLSError(
            "cannot read \(key) \(path): \(describe(errno: failure.code))", isLasting: isLasting)
    }
}
