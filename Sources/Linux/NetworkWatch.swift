import CLinux
import Glibc

/// What has changed in the machine's network.
public struct NetworkChanges: Equatable, Sendable {
    /// An address or a route has appeared.
    public var hasAppeared = false
    /// The addresses that have gone, from an interface at least, as `SocketAddress.host` has them.
    public var gone: [[UInt8]] = []
    /// Something was missed: anything may have changed.
    public var isIncomplete = false

    public init() {}
}

/// Becomes readable when an address or a route of this machine has appeared or gone (rtnetlink(7)).
///
/// Only the kernel, or root, can send anything to such a socket.
public final class NetworkWatch {
    public let descriptor: FileDescriptor
    /// The kernel puts no more than 16 KiB of messages into one datagram (netlink(7)).
    private static let longestDatagram = 32 << 10
    /// What has come meanwhile is left for the next time.
    private static let most = 64

    /// - Throws: `EAFNOSUPPORT` where netlink is not allowed; `EMFILE`.
    public init() throws(SystemError) {
        descriptor = FileDescriptor(owning: Int32(try retrying("netlink") { Int(tl_network_changes()) }))
    }

    /// Whether routes are told, too, and not only addresses: on a router they change all the time. At first they are.
    public func hearRoutes(_ hears: Bool) { tl_hear_routes(descriptor.raw, hears ? 1 : 0) }

    /// What has changed since the last time.
    public func takeChanges() -> NetworkChanges {
        var changes = NetworkChanges()
        var buffer = [UInt8](repeating: 0, count: Self.longestDatagram)
        var bytes = buffer.mutableSpan
        for _ in 0..<Self.most {
            do throws(SystemError) {
                guard case .moved(let count) = try descriptor.receive(into: &bytes) else { break }
                changes.add(bytes.span.extracting(..<count))
            } catch {
                // More had happened than the kernel keeps for us (ENOBUFS); what happens from now on is told again.
                changes.isIncomplete = true
            }
        }
        return changes
    }
}

extension NetworkChanges {
    /// What netlink messages say. What cannot be understood counts as missed.
    ///
    /// A message is a header of 16 bytes, of which the first four are the length of the whole and the next two the type,
    /// in the machine's byte order; then what belongs to the type, in the case of an address an `ifaddrmsg` and
    /// attributes. Messages and attributes begin at multiples of four.
    mutating func add(_ bytes: Span<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 16 else { return isIncomplete = true }
            let length = Int(rest.uint32(at: 0))
            guard 16...rest.count ~= length else { return isIncomplete = true }
            let body = rest.extracting(16..<length)
            switch Int(rest.uint16(at: 4)) {
            case RTM_NEWADDR, RTM_NEWROUTE: hasAppeared = true
            case RTM_DELADDR: addGone(body)
            default: break
            }
            rest = rest.extracting(min(aligned(length), rest.count)...)
        }
    }

    private mutating func addGone(_ body: Span<UInt8>) {
        let header = MemoryLayout<ifaddrmsg>.size
        guard body.count >= header else { return isIncomplete = true }
        var rest = body.extracting(header...)
        while rest.count >= 4 {
            let length = Int(rest.uint16(at: 0))
            guard 4...rest.count ~= length else { return isIncomplete = true }
            let type = Int(rest.uint16(at: 2))
            // IPv6 has IFA_ADDRESS; IPv4 both, of which IFA_ADDRESS is the peer's on a point-to-point link.
            if type == IFA_LOCAL || type == IFA_ADDRESS {
                var address: [UInt8] = []
                for index in 4..<length { address.append(rest[index]) }
                gone.append(address)
            }
            rest = rest.extracting(min(aligned(length), rest.count)...)
        }
    }

    private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension Span<UInt8> {
    fileprivate func uint16(at index: Int) -> UInt16 {
        unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt16.self) }
    }

    fileprivate func uint32(at index: Int) -> UInt32 {
        unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: index, as: UInt32.self) }
    }
}
