import Glibc

extension SocketFile {
    /// The process that owns a socket, whether the socket's own file is still there or not.
    ///
    /// The kernel's list of locks tells (proc_locks(5)): to try the lock would turn away an owner that is about to take it.
    ///
    /// - Parameter path: The socket's.
    /// - Returns: `nil` when nobody owns it that can be seen, or its lock file has gone as well.
    public static func owner(of path: String) -> Int32? {
        guard let identity = try? FileIdentity(of: lockPath(path)),
            let list = try? FileDescriptor.reading("/proc/locks").readToEnd()
        else { return nil }
        let lines = String(decoding: list, as: UTF8.self).split(separator: "\n")
        return lines.lazy.compactMap { owner(in: $0, of: identity.inProcLocks) }.first
    }

    /// In a line such as `1: FLOCK  ADVISORY  WRITE 137 00:1a:1234 0 EOF`, if it is about the file `00:1a:1234`; who waits
    /// for a lock has `->` in the second place.
    private static func owner(in line: Substring, of file: String) -> Int32? {
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[1] == "FLOCK", fields[5] == file else { return nil }
        return Int32(fields[4])
    }
}

extension FileIdentity {
    /// Major and minor number of the device, at least two digits each, and the inode.
    fileprivate var inProcLocks: String {
        func hexadecimal(_ number: UInt64) -> String {
            (number < 16 ? "0" : "") + String(number, radix: 16)
        }
        // As makedev(3) puts them together.
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
        return "\(hexadecimal(major)):\(hexadecimal(minor)):\(inode)"
    }
}
