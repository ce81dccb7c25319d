import Framing
import TestSupport
import Testing

/// Packets with escapes for their own ends.
struct EscapeTests {
    static let limit = 20
    static func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    /// RFC 1055, "PROTOCOL" and `send_packet` of "SLIP DRIVERS": END is octal 300 and stands before a packet as well, ESC is 333;
    /// in a packet they are sent as ESC and 334, ESC and 335.
    @Test func `SLIP is as the RFC has it`() throws {
        let packet: [UInt8] = [0o300, 0x45, 0o333, 0o334, 0o335]
        let frame: [UInt8] = [0o300, 0o333, 0o334, 0x45, 0o333, 0o335, 0o334, 0o335, 0o300]
        verify(.slip, frame + frame, holds: [packet, packet])
        #expect(try encoded([packet, packet], as: .slip) == frame + frame)
        // "To send a packet, a SLIP host simply starts sending the data".
        verify(.slip, Array(frame[1...] + frame[1...]), holds: [packet, packet])
    }

    /// The examples of https://en.wikipedia.org/wiki/KISS_(amateur_radio_protocol); the specification itself, "The KISS TNC"
    /// (Chepponis and Karn, 1987), has none.
    @Test(
        arguments: [
            ([0xC0, 0x00, 0x54, 0x45, 0x53, 0x54, 0xC0], [0x00, 0x54, 0x45, 0x53, 0x54]),
            ([0xC0, 0x50, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0xC0], [0x50, 0x48, 0x65, 0x6C, 0x6C, 0x6F]),
            ([0xC0, 0x00, 0xDB, 0xDC, 0xDB, 0xDD, 0xC0], [0x00, 0xC0, 0xDB]),
        ] as [([UInt8], [UInt8])])
    func `SLIP has the examples of KISS`(frame: [UInt8], packet: [UInt8]) throws {
        verify(.slip, frame + frame, holds: [packet, packet])
        #expect(try encoded([packet, packet], as: .slip) == frame + frame)
    }

    @Test func `packets share an end, have none in front, or several`() {
        verify(.slip, [1, 0xC0, 2, 0xC0, 0xC0, 3, 0xC0], holds: [[1], [2], [3]])
        verify(.slip, [0xC0, 0xC0, 0xC0, 1, 0xC0, 0xC0, 0xC0], holds: [[1]], between: [0xC0, 0xC0, 0xC0])
        verify(.cobs, [2, 1, 0, 0, 2, 2, 0, 0, 0, 0, 2, 3, 0], holds: [[1], [2], [3]], between: [0, 0])
    }

    /// The driver of RFC 1055 calls an escape before anything else a violation of the protocol, and keeps the other byte: a packet
    /// that IP will discard. Two escapes in a row abort a packet of KISS.
    @Test(
        arguments: [
            [0xDB, 0x61], [0x61, 0xDB], [0xDB], [0xDB, 0xDB], [0xDB, 0xDB, 0xDC],
            [0xDB, 0xDC, 0xDB, 0x00, 0xDB, 0xDD],
        ] as [[UInt8]])
    func `a packet with an escape that does not exist is skipped, and counted`(packet: [UInt8]) {
        let frame = [0xC0] + packet + [0xC0]
        verify(.slip, [1, 0xC0] + frame + [2, 0xC0], holds: [[1], [2]], damaged: [frame])
    }

    @Test func `what is in an escape counts as one byte`() {
        let full = [UInt8](repeating: 0xC0, count: Self.limit)
        let frame = [0xC0] + [[UInt8]](repeating: [0xDB, 0xDC], count: Self.limit).flatMap(\.self) + [0xC0]
        verify(.slip, limit: Self.limit, frame + frame, holds: [full, full])
        for more in [[0x61], [0xDB, 0xDD], [0xDB, 0xDB], [0xDB, 0x61]] as [[UInt8]] {
            let long = frame.dropLast() + more + [0xC0]
            verify(.slip, limit: Self.limit, frame + long, holds: [full], then: .tooLong(limit: Self.limit))
            verify(
                .slip, limit: Self.limit, long + frame + long + [7, 0xC0], holds: [full, [7]],
                passesOver: [long, long])
        }
    }

    @Test(arguments: [Framing.slip, .cobs], [0xDB, 0x01, 0x61, 0xFF] as [UInt8])
    func `nothing that is not ended is kept for ever`(framing: Framing, byte: UInt8) throws {
        for skips in [false, true] {
            var stream = Stream(framing, limit: Self.limit, skipsOversize: skips)
            for _ in 0..<1000 where stream.found.fault == nil {
                stream.receive(CollectionOfOne(byte))
                try #require(stream.unconsumed.count <= Self.limit + framing.overhead(of: Self.limit))
            }
            #expect(skips ? stream.unconsumed.isEmpty : stream.found.fault == .tooLong(limit: Self.limit))
        }
    }

    /// Cheshire and Baker, "Consistent Overhead Byte Stuffing" (IEEE/ACM Transactions on Networking 7(2), 1999), figures 2 and 3,
    /// and the table of https://en.wikipedia.org/wiki/Consistent_Overhead_Byte_Stuffing.
    @Test(
        arguments: [
            (
                [0x45, 0, 0, 0x2C, 0x4C, 0x79, 0, 0, 0x40, 0x06, 0x4F, 0x37],
                [2, 0x45, 1, 4, 0x2C, 0x4C, 0x79, 1, 5, 0x40, 0x06, 0x4F, 0x37]
            ),
            (
                ones(679) + [0],
                [0xFF] + ones(254) + [0xFF] + ones(254) + [0xAC] + ones(171) + [1]
            ),
            ([], [1]), ([0], [1, 1]), ([0, 0], [1, 1, 1]), ([0, 0x11, 0], [1, 2, 0x11, 1]),
            ([0x11, 0x22, 0, 0x33], [3, 0x11, 0x22, 2, 0x33]),
            ([0x11, 0x22, 0x33, 0x44], [5, 0x11, 0x22, 0x33, 0x44]), ([0x11, 0, 0, 0], [2, 0x11, 1, 1, 1]),
            (Array(0x01...0xFE), [0xFF] + Array(0x01...0xFE)),
            ([0] + Array(0x01...0xFE), [1, 0xFF] + Array(0x01...0xFE)),
            (Array(0x01...0xFF), [0xFF] + Array(0x01...0xFE) + [2, 0xFF]),
            (Array(0x02...0xFF) + [0], [0xFF] + Array(0x02...0xFF) + [1, 1]),
            (Array(0x03...0xFF) + [0, 1], [0xFE] + Array(0x03...0xFF) + [2, 1]),
        ] as [([UInt8], [UInt8])])
    func `COBS is as its authors have it`(packet: [UInt8], code: [UInt8]) throws {
        verify(.cobs, code + [0] + code + [0], holds: [packet, packet])
        #expect(try encoded([packet, packet], as: .cobs) == code + [0] + code + [0])
    }

    @Test(arguments: [[2], [3, 1], [1, 2], [0xFF, 1, 2], [5, 1, 2, 3]] as [[UInt8]])
    func `a code that leads beyond the end is damaged`(code: [UInt8]) {
        verify(.cobs, [2, 9, 0] + code + [0, 2, 8, 0], holds: [[9], [8]], damaged: [code + [0]])
    }

    @Test func `a group of 254 bytes may be followed by an empty one`() {
        verify(.cobs, [0xFF] + Array(0x01...0xFE) + [1, 0], holds: [Array(0x01...0xFE)])
    }

    @Test(arguments: [254, 255, 508, 509])
    func `a payload up to the limit passes, however it is coded`(limit: Int) throws {
        for byte in [0, 1] as [UInt8] {
            let full = [UInt8](repeating: byte, count: limit)
            for (payload, isTooLong) in [(full, false), (full + [byte], true), (full + [1 - byte], true)] {
                var stream = Stream(.cobs, limit: limit)
                stream.receive([0])
                for byte in try encoded([payload], as: .cobs) {
                    stream.receive(CollectionOfOne(byte))
                    guard stream.found.fault == nil else { break }
                    #expect(stream.unconsumed.count < limit + Framing.cobs.overhead(of: limit))
                }
                #expect(stream.found.payloads == (isTooLong ? [] : [payload]))
                #expect(stream.found.fault == (isTooLong ? .tooLong(limit: limit) : nil))
            }
        }
    }

    @Test(arguments: [Framing.slip, .cobs], seeds)
    func `whatever comes, it is the same however it is cut`(framing: Framing, seed: UInt64) {
        var random = Seeded(seed)
        let alphabet: [UInt8] = framing == .slip ? [0xC0, 0xDB, 0xDC, 0xDD, 1] : [0, 1, 2, 3, 0xFF]
        for skips in [false, true] {
            let stream = (0..<60).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            verifySame(framing, limit: 4, stream, skipsOversize: skips, seed: seed)
        }
    }
}
