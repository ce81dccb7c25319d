import Glibc

/// Who may connect to a socket, for whoever may not.
enum Permission {
    /// What stands in the way: a directory that may not be searched, or the socket itself.
    static func needed(for path: String) -> String {
        for directory in directories(above: path) where unsafe access(directory, X_OK) != 0 {
            return "the directory \(printable(directory)) may be searched only by \(who(directory, S_IXGRP))"
        }
        return "only \(who(path, S_IWGRP)) may connect"
    }

    /// From the root on.
    private static func directories(above path: String) -> [String] {
        let parts = path.split(separator: "/").dropLast()
        let top = path.hasPrefix("/") ? "/" : ""
        return parts.indices.map { top + parts[...$0].joined(separator: "/") }
    }

    private static func who(_ path: String, _ bit: mode_t) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return "others" }
        let owner = status.st_uid == 0 ? "root" : "root, the user \(printable(Users.name(status.st_uid)))"
        guard status.st_mode & bit != 0 else { return owner }
        return "\(owner) and members of the group \(printable(group(status.st_gid)))"
    }

    /// A group's name, or its number where it has none.
    private static func group(_ id: UInt32) -> String {
        guard let entry = unsafe getgrgid(id) else { return "\(id)" }
        return unsafe String(cString: entry.pointee.gr_name)
    }
}
