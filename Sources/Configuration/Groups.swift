import Glibc

extension SocketSettings.Group {
    /// Looks a group of this machine up; `nil` if there is none of that name.
    init?(named name: String) {
        // What follows a NUL would not be looked at.
        guard !name.utf8.contains(0) else { return nil }
        var capacity = 1024
        while capacity <= 1 << 20 {
            var record = unsafe group()
            var result: UnsafeMutablePointer<group>?
            var buffer = [CChar](repeating: 0, count: capacity)
            switch unsafe getgrnam_r(name, &record, &buffer, capacity, &result) {
            case ERANGE: capacity *= 2
            case EINTR: continue
            default:
                guard let found = unsafe result else { return nil }
                self.init(name: name, id: unsafe found.pointee.gr_gid)
                return
            }
        }
        return nil
    }
}
