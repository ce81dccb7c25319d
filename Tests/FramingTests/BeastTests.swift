import Framing
import TestSupport
import Testing

/// What ADS-B receivers send, as https://wiki.jetvision.de/wiki/Mode-S_Beast:Data_Output_Formats has it.
struct BeastTests {
    static let sizes: [UInt8: Int] = [0x31: 10, 0x32: 15, 0x33: 22, 0x34: 22]

    /// Mostly a message, with many escapes.
    static func payload(using random: inout Seeded) -> [UInt8] {
        let type = [UInt8]("1234x").randomElement(using: &random) ?? 0
        let count = (sizes[type] ?? 10) - (Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0)
        let alphabet: [UInt8] = [0x1A, 0x31, 0x00, 0xFF]
        return [type] + (1..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
    }

    static func isNone(_ payload: [UInt8]) -> Bool { payload.first.flatMap { sizes[$0] } != payload.count }

    /// An extended squitter (Sun, "The 1090 Megahertz Riddle", section 3.1), with a time in which an escape is doubled.
    @Test func `a message is found, and its escapes are undone`() throws {
        let squitter: [UInt8] = [
            0x8D, 0x48, 0x40, 0xD6, 0x20, 0x2C, 0xC3, 0x71, 0xC3, 0x2C, 0xE0, 0x57, 0x60, 0x98,
        ]
        let payload = [0x33, 0, 0, 0x1A, 1, 2, 0x1A, 0x7F] + squitter
        let frame = [0x1A, 0x33, 0, 0, 0x1A, 0x1A, 1, 2, 0x1A, 0x1A, 0x7F] + squitter
        verify(.beast, frame + frame, holds: [payload, payload])
        #expect(try encoded([payload, payload], as: .beast) == frame + frame)
    }

    /// The example of https://github.com/firestuff/adsb-tools, protocols/beast.md: what a receiver has sent.
    @Test func `a short message is found, whose signal and data hold an escape`() throws {
        let frame: [UInt8] = [
            0x1A, 0x32, 0x08, 0x3E, 0x27, 0xB6, 0xCB, 0x6A, 0x1A, 0x1A, 0x00, 0xA1, 0x84, 0x1A, 0x1A, 0xC3,
            0xB3,
            0x1D,
        ]
        let payload: [UInt8] = [
            0x32, 0x08, 0x3E, 0x27, 0xB6, 0xCB, 0x6A, 0x1A, 0x00, 0xA1, 0x84, 0x1A, 0xC3, 0xB3, 0x1D,
        ]
        verify(.beast, frame + frame, holds: [payload, payload])
        #expect(try encoded([payload], as: .beast) == frame)
    }

    @Test(arguments: sizes.keys.sorted())
    func `each type has its size`(type: UInt8) throws {
        let size = try #require(Self.sizes[type])
        let escapes = [type] + [UInt8](repeating: 0x1A, count: size - 1)
        let plain = [type] + [UInt8](repeating: 0x00, count: size - 1)
        let stream = try encoded([escapes, plain], as: .beast)
        #expect(stream.count == 2 * size + 1 + size)
        verify(.beast, stream, holds: [escapes, plain])
        verify(.beast, limit: size - 1, stream, holds: [], then: .tooLong(limit: size - 1))
        verify(
            .beast, limit: size - 1, stream, holds: [],
            passesOver: [Array(stream.prefix(2 * size)), Array(stream.dropFirst(2 * size))])
    }

    @Test func `what is no message is skipped`() throws {
        let message = [0x31] + [UInt8](repeating: 7, count: 9)
        let frame = [0x1A] + message
        let other: [UInt8] = [0x1A, 0xE3, 1, 2, 0x1A, 0x1A, 3]
        verify(
            .beast, [9, 0x1A, 0x1A, 0x31] + frame + other + frame + [0x1A], holds: [message, message],
            between: [9, 0x1A, 0x1A, 0x31] + other)
    }

    @Test func `a message within which another one begins is skipped, and counted`() {
        let message = [0x31] + [UInt8](repeating: 7, count: 9)
        let frame = [0x1A] + message
        verify(
            .beast, frame.prefix(8) + frame + frame.prefix(2) + frame, holds: [message, message],
            damaged: [Array(frame.prefix(8)), Array(frame.prefix(2))])
    }

    @Test(arguments: seeds)
    func `whatever comes, it is the same however it is cut`(seed: UInt64) {
        var random = Seeded(seed)
        let alphabet: [UInt8] = [0x1A, 0x31, 0x32, 7]
        let stream = (0..<120).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        for limit in [12, 22] {
            for skips in [false, true] {
                verifySame(.beast, limit: limit, stream, skipsOversize: skips, seed: seed)
            }
        }
    }
}
