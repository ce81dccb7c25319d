import Testing

@testable import trunkline_sim

/// An AIVDM sentence taken apart, by other means than those that put it together.
private struct Sentence {
    let bits: [Bool]
    let isChecksumRight: Bool

    init(_ text: String) throws {
        let halves = text.split(separator: "*")
        try #require(halves.count == 2 && halves[0].first == "!")
        var sum: UInt8 = 0
        for byte in halves[0].dropFirst().utf8 { sum ^= byte }
        let digits = String(sum, radix: 16, uppercase: true)
        isChecksumRight = String(repeating: "0", count: 2 - digits.count) + digits == halves[1]
        let fields = halves[0].split(separator: ",", omittingEmptySubsequences: false)
        try #require(fields.count == 7 && fields[0] == "!AIVDM" && fields[6] == "0")
        bits = try fields[5].utf8.flatMap { character in
            let value = Int(character) - 48 > 40 ? Int(character) - 56 : Int(character) - 48
            try #require(0..<64 ~= value)
            return [32, 16, 8, 4, 2, 1].map { value & $0 != 0 }
        }
    }

    func unsigned(_ start: Int, _ count: Int) -> Int {
        bits[start..<start + count].reduce(0) { $0 * 2 + ($1 ? 1 : 0) }
    }

    func signed(_ start: Int, _ count: Int) -> Int {
        unsigned(start, count) - (bits[start] ? 1 << count : 0)
    }

    var type: Int { unsigned(0, 6) }
    var mmsi: Int { unsigned(8, 30) }
    var speed: Double { Double(unsigned(50, 10)) / 10 }
    var longitude: Double { Double(signed(61, 28)) / 600_000 }
    var latitude: Double { Double(signed(89, 27)) / 600_000 }
    var course: Double { Double(unsigned(116, 12)) / 10 }
    var heading: Int { unsigned(128, 9) }
}

private func sentence(_ feed: AISFeed, _ number: UInt64) throws -> Sentence {
    try Sentence(String(decoding: feed.sentence(number), as: UTF8.self))
}

@Suite struct AISTests {
    @Test func `the decoder of these tests understands a real sentence`() throws {
        // Seen in Seattle; published in gpsd's description of AIVDM.
        let real = try Sentence("!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C")
        #expect(real.isChecksumRight)
        #expect(real.type == 1 && real.mmsi == 477_553_000 && real.speed == 0)
        #expect(abs(real.longitude - -122.345833) < 0.000001 && abs(real.latitude - 47.582833) < 0.000001)
        #expect(real.course == 51 && real.heading == 181)
        #expect(try !Sentence("!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKI,0*5C").isChecksumRight)
    }

    @Test func `every sentence is a position report of a ship in the Bay of Kiel`() throws {
        let feed = AISFeed(seed: 7)
        for number in UInt64(0)..<3000 {
            let report = try sentence(feed, number)
            #expect(report.isChecksumRight, "sentence \(number)")
            #expect(report.bits.count == 168 && report.type == 1)
            #expect(200_000_001...200_000_005 ~= report.mmsi)
            #expect(10...12 ~= report.longitude && 54...55 ~= report.latitude)
            #expect(1...60 ~= report.speed && 0..<360 ~= report.course && 0..<360 ~= report.heading)
        }
    }

    @Test func `a ship moves where its course points`() throws {
        let feed = AISFeed(seed: 3)
        for number in UInt64(0)..<5 {
            let (first, second) = (try sentence(feed, number), try sentence(feed, number + 50))
            #expect(first.mmsi == second.mmsi)
            #expect((second.longitude > first.longitude) == (first.course < 180))
            #expect((second.latitude > first.latitude) == !(90...270 ~= first.course))
        }
    }

    @Test func `the seed alone decides what the sentences are`() {
        let numbers = UInt64(0)..<200
        let (one, same, other) = (AISFeed(seed: 1), AISFeed(seed: 1), AISFeed(seed: 2))
        #expect(numbers.map(one.sentence) == numbers.reversed().map(same.sentence).reversed())
        #expect(numbers.map(one.sentence) != numbers.map(other.sentence))
        _ = one.sentence(.max)
    }
}
