import CLinux
import Glibc

/// Who connected to a Unix socket, as the kernel recorded it at connect(2) (SO_PEERCRED, unix(7)).
public struct PeerCredentials: Equatable, Sendable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32

    public init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}

extension FileDescriptor {
    public borrowing func peerCredentials() throws(SystemError) -> PeerCredentials {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        guard unsafe tl_peer_credentials(raw, &pid, &uid, &gid) == 0 else {
            throw SystemError(call: "getsockopt", code: errno)
        }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }
}
