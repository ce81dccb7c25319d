import Glibc
import Linux

/// The service manager's end of `$NOTIFY_SOCKET` (sd_notify(3)).
final class FakeManager {
    private let socket: FileDescriptor
    private var received: [String] = []

    init(at path: String) throws {
        let raw = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw SystemError(call: "socket", code: errno) }
        socket = FileDescriptor(owning: raw)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemError(call: "bind", code: errno) }
    }

    /// Every assignment that has arrived by now, in order.
    var notices: [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket.raw, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return received }
            received += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(
                String.init)
        }
    }

    /// The texts after `STATUS=`.
    var statuses: [String] { notices.filter { $0.hasPrefix("STATUS=") }.map { String($0.dropFirst(7)) } }
}
