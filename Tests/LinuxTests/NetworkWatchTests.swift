import Glibc
import TestSupport
import Testing

@testable import Linux

/// What the kernel tells of addresses and routes, and what it would never tell.
struct NetworkWatchTests {
    static let (newAddress, goneAddress, newRoute, goneRoute, newLink) =
        (20, 21, 24, 25, 16) as (UInt16, UInt16, UInt16, UInt16, UInt16)

    /// A message of that type; the length is what its header says.
    static func message(_ type: UInt16, _ body: [UInt8], length: Int? = nil) -> [UInt8] {
        bytes(UInt32(length ?? 16 + body.count)) + bytes(type) + [UInt8](repeating: 0, count: 10) + body
    }

    /// A message about an address, with these attributes.
    static func address(_ type: UInt16, _ attributes: [UInt8]) -> [UInt8] {
        message(type, [UInt8](repeating: 7, count: 8) + attributes)
    }

    /// Padded to a multiple of four.
    static func attribute(_ type: UInt16, _ value: [UInt8], length: Int? = nil) -> [UInt8] {
        bytes(UInt16(length ?? 4 + value.count)) + bytes(type) + value
            + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number, Array.init)
    }

    static func changes(_ bytes: [UInt8]) -> NetworkChanges {
        var changes = NetworkChanges()
        changes.add(bytes.span)
        return changes
    }

    static func changes(
        hasAppeared: Bool = false, gone: [[UInt8]] = [], isIncomplete: Bool = false
    ) -> NetworkChanges {
        var changes = NetworkChanges()
        changes.hasAppeared = hasAppeared
        changes.gone = gone
        changes.isIncomplete = isIncomplete
        return changes
    }

    @Test(arguments: [newAddress, newRoute])
    func `what has appeared is told`(type: UInt16) {
        #expect(Self.changes(Self.message(type, [1, 2, 3, 4])) == Self.changes(hasAppeared: true))
    }

    @Test(arguments: [goneRoute, newLink, 2, 3])
    func `what neither helps nor harms is not`(type: UInt16) {
        #expect(Self.changes(Self.message(type, [1, 2, 3, 4])) == Self.changes())
    }

    @Test func `an address that has gone is told, by whatever attribute, and nothing else of the message`() {
        let attributes =
            Self.attribute(3, Array("eth0:1".utf8)) + Self.attribute(1, [192, 0, 2, 9])
            + Self.attribute(2, [192, 0, 2, 7]) + Self.attribute(8, [0, 0, 0, 0])
        let bytes = Self.address(Self.goneAddress, attributes)
        #expect(Self.changes(bytes) == Self.changes(gone: [[192, 0, 2, 9], [192, 0, 2, 7]]))
        let long = [UInt8](1...16)
        let other = Self.address(Self.goneAddress, Self.attribute(1, long))
        #expect(Self.changes(other) == Self.changes(gone: [long]))
    }

    @Test func `several messages of one datagram are told, each padded to a multiple of four`() {
        let odd = Self.message(Self.newLink, [1, 2, 3]) + [0]
        let bytes =
            odd + Self.address(Self.goneAddress, Self.attribute(2, [10, 0, 0, 1]))
            + Self.message(Self.newRoute, [])
        #expect(Self.changes(bytes) == Self.changes(hasAppeared: true, gone: [[10, 0, 0, 1]]))
        #expect(Self.changes(Array(odd.dropLast())) == Self.changes())
    }

    @Test(arguments: [0, 1, 15, 21, 4096, Int(UInt32.max)])
    func `a length that cannot be means that something was missed`(length: Int) {
        let bytes = Self.message(Self.newRoute, [1, 2, 3, 4], length: length)
        #expect(Self.changes(bytes) == Self.changes(isIncomplete: true))
    }

    @Test(arguments: [0, 3, 9, 65535])
    func `so does an attribute's`(length: Int) {
        let bytes = Self.address(Self.goneAddress, Self.attribute(2, [1, 2, 3, 4], length: length))
        #expect(Self.changes(bytes) == Self.changes(isIncomplete: true))
    }

    @Test func `so does a message that is cut off, wherever`() {
        let first = Self.message(Self.newRoute, [1, 2, 3, 4])
        let bytes = first + Self.address(Self.goneAddress, Self.attribute(2, [1, 2, 3, 4]))
        for count in first.count + 1..<bytes.count {
            let cut = Self.changes(Array(bytes[..<count]))
            #expect(cut == Self.changes(hasAppeared: true, isIncomplete: true), "\(count)")
        }
        // One that says it is shorter than an address can be.
        #expect(Self.changes(Self.message(Self.goneAddress, [1, 2, 3])) == Self.changes(isIncomplete: true))
    }

    @Test(arguments: seeds)
    func `garbage harms nothing`(seed: UInt64) {
        var random = Seeded(seed)
        let good = (0..<8).flatMap { _ in
            Self.address(Self.goneAddress, Self.attribute(2, [1, 2, 3, 4]) + Self.attribute(3, [5]))
        }
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let changes = Self.changes(Array(bytes[..<Int.random(in: 0...bytes.count, using: &random)]))
            #expect(changes.gone.count <= bytes.count / 4, "seed \(seed)")
        }
    }

    @Test func `an address is compared as netlink has it`() throws {
        func host(_ digits: String) throws -> [UInt8]? {
            try #require(SocketAddress.numeric(host: digits, port: 80)).host
        }
        #expect(try host("192.0.2.7") == [192, 0, 2, 7])
        #expect(try host("::ffff:192.0.2.7") == [192, 0, 2, 7])
        #expect(try host("2001:db8::7") == [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])
        #expect(try SocketAddress.unix(path: "/run/feed").host == nil)
    }
}
