import Glibc
import Linux
import TestSupport

/// A name server that the test itself plays: whatever is asked for, its answer is the same.
final class FakeNameServer {
    enum Answer {
        /// Every name has these addresses, IPv4 and IPv6, in digits.
        case addresses([String])
        case noSuchName
        /// It has failed, and says so.
        case failure
        /// It hears everything and says nothing.
        case silence
    }

    /// The port of name servers is always the same: a loopback address of its own, or a network namespace.
    let host: String
    var answer: Answer
    private let socket: FileDescriptor

    init(at host: String = "127.\(1 + getpid() % 250).53.53", _ answer: Answer) throws {
        self.host = host
        self.answer = answer
        let raw = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw SystemError(call: "socket", code: errno) }
        socket = FileDescriptor(owning: raw)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, host, &place.sin_addr)
        let result = withUnsafeBytes(of: &place) { bytes in
            bytes.baseAddress.map {
                bind(raw, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        guard result == 0 else { throw SystemError(call: "bind", code: errno) }
    }

    /// Executes the command after it where names are resolved by this server alone, within a second: for root only.
    func launcher(_ directory: TemporaryDirectory) throws -> [String] {
        try directory.write("nameserver \(host)\noptions timeout:1 attempts:1\n", to: "resolv.conf")
        try directory.write("hosts: dns\n", to: "nsswitch.conf")
        return Launcher.mounting(
            ["resolv.conf", "nsswitch.conf"].map { "mount --bind '\(directory($0))' /etc/\($0)" }
                .joined(separator: "; "))
    }

    var hasBeenAsked: Bool {
        var byte: UInt8 = 0
        return recv(socket.raw, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// Answers the questions that have arrived by now.
    func serve() {
        if case .silence = answer { return }
        var question = [UInt8](repeating: 0, count: 512)
        var asker = sockaddr_storage()
        while true {
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutableBytes(of: &asker) {
                recvfrom(
                    socket.raw, &question, question.count, Int32(MSG_DONTWAIT),
                    $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard count > 0 else { return }
            guard let reply = reply(to: question[..<count]) else { continue }
            withUnsafeBytes(of: &asker) {
                _ = sendto(
                    socket.raw, reply, reply.count, 0,
                    $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
            }
        }
    }

    /// RFC 1035, section 4: a header of 12 bytes, one question (a name, its type, its class), the answers.
    private func reply(to message: ArraySlice<UInt8>) -> [UInt8]? {
        let header = 12
        guard message.count > header, let end = message[header...].firstIndex(of: 0), end + 5 <= message.count
        else { return nil }
        let type = message[(end + 1)...(end + 2)]
        let (code, records): (UInt8, [[UInt8]]) =
            switch answer {
            case .addresses(let hosts): (0, hosts.compactMap { record($0, Array(type)) })
            case .noSuchName: (3, [])
            case .failure, .silence: (2, [])
            }
        let flags: [UInt8] = [0x81, 0x80 | code]
        let counts: [UInt8] = [0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        return message[..<2] + flags + counts + message[header..<(end + 5)] + records.flatMap { $0 }
    }

    /// An address of the name that the question begins with, if it is of the type that is asked for; not to be kept.
    private func record(_ host: String, _ type: [UInt8]) -> [UInt8]? {
        let isVersion6 = host.contains(":")
        guard type == [0, isVersion6 ? 28 : 1] else { return nil }
        var address = [UInt8](repeating: 0, count: isVersion6 ? 16 : 4)
        guard inet_pton(isVersion6 ? AF_INET6 : AF_INET, host, &address) == 1 else { return nil }
        return [0xC0, 12] + type + [0, 1, 0, 0, 0, 0, 0, UInt8(address.count)] + address
    }
}
