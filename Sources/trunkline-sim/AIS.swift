import Glibc

/// A simulated feed of AIS position reports (ITU-R M.1371, message 1) of a few ferries in the Bay of Kiel.
///
/// Which sentence has which number depends on the seed only, so that a feed can be resumed anywhere.
struct AISFeed: Sendable {
    private let ferries: [Ferry]

    init(seed: UInt64, ferries count: Int = 5) {
        var random = SplitMix64(state: seed)
        // No country has 200: none of these is the number of a real ship.
        ferries = (1...count).map { Ferry(mmsi: 200_000_000 + UInt32($0), random: &random) }
    }

    /// The sentence with this number, without a line's end.
    func sentence(_ number: UInt64) -> [UInt8] {
        let count = UInt64(ferries.count)
        let report = ferries[Int(number % count)].report(number / count)
        let body = Array("AIVDM,1,1,,A,".utf8) + report.armoured() + Array(",0".utf8)
        let checksum = body.reduce(0, ^)
        return [UInt8(ascii: "!")] + body + [
            UInt8(ascii: "*"), hexDigit(checksum >> 4), hexDigit(checksum & 15),
        ]
    }

    private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

/// Goes to and fro between two places, straight on, and reports every ten seconds.
private struct Ferry: Sendable {
    static let reportSeconds: Int64 = 10
    /// Ten-thousandths of a minute, as in a report.
    static let degree: Int64 = 600_000

    let mmsi: UInt32
    /// One shore.
    let longitude: Int64
    let latitude: Int64
    /// The way to the other, and the reports on it.
    let east: Int64
    let north: Int64
    let reports: Int64

    init(mmsi: UInt32, random: inout SplitMix64) {
        self.mmsi = mmsi
        longitude = 10 * Self.degree + Int64.random(in: 150_000...450_000, using: &random)
        latitude = 54 * Self.degree + Int64.random(in: 250_000...400_000, using: &random)
        east = Int64.random(in: 20_000...60_000, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        north = Int64.random(in: 10_000...40_000, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        reports = Int64.random(in: 120...240, using: &random)
    }

    func report(_ step: UInt64) -> PositionReport {
        let leg = Int64(truncatingIfNeeded: step % UInt64(2 * reports))
        let isReturning = leg >= reports
        let progress = isReturning ? 2 * reports - leg : leg
        // A minute of longitude is shorter than one of latitude.
        let eastMiles = Double(east) / 10_000 * cos(Double(latitude) / Double(Self.degree) * .pi / 180)
        let northMiles = Double(north) / 10_000
        let bearing = atan2(eastMiles, northMiles) * 180 / .pi + (isReturning ? 180 : 0)
        let course = Int64((bearing * 10).rounded() + 3600) % 3600
        let hours = Double(reports * Self.reportSeconds) / 3600
        let speed = (eastMiles * eastMiles + northMiles * northMiles).squareRoot() / hours
        return PositionReport(
            mmsi: mmsi, speed: Int64((speed * 10).rounded()),
            longitude: longitude + east * progress / reports,
            latitude: latitude + north * progress / reports, course: course, heading: course / 10,
            second: Int64(truncatingIfNeeded: step % 6) * Self.reportSeconds)
    }
}

/// The fields of message 1 that vary here, in the units of the message.
private struct PositionReport {
    var mmsi: UInt32
    /// Tenths of a knot.
    var speed: Int64
    /// Ten-thousandths of a minute, east and north.
    var longitude: Int64
    var latitude: Int64
    /// Tenths of a degree.
    var course: Int64
    var heading: Int64
    /// Of the minute, when the position was taken.
    var second: Int64

    /// 168 bits, six in a character.
    func armoured() -> [UInt8] {
        var bits = SixBitText()
        bits.append(1, width: 6)  // a position report, scheduled
        bits.append(0, width: 2)  // never repeated
        bits.append(Int64(mmsi), width: 30)
        bits.append(0, width: 4)  // under way using engine
        bits.append(0, width: 8)  // not turning
        bits.append(speed, width: 10)
        bits.append(1, width: 1)  // better than 10 m
        bits.append(longitude, width: 28)
        bits.append(latitude, width: 27)
        bits.append(course, width: 12)
        bits.append(heading, width: 9)
        bits.append(second, width: 6)
        bits.append(0, width: 2)  // no special manoeuvre
        bits.append(0, width: 3)
        bits.append(0, width: 1)  // RAIM not in use
        bits.append(0, width: 19)  // the radio's state
        return bits.characters
    }
}

/// Bits as AIS sentences carry them (IEC 61162-1): the first of a field is its highest.
private struct SixBitText {
    private(set) var characters: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingBits = 0

    /// Two's complement, cut to `width` bits.
    mutating func append(_ value: Int64, width: Int) {
        pending = pending << UInt64(width) | UInt64(bitPattern: value) & (1 << UInt64(width) - 1)
        pendingBits += width
        while pendingBits >= 6 {
            pendingBits -= 6
            let bits = UInt8(truncatingIfNeeded: pending >> UInt64(pendingBits)) & 63
            characters.append(bits < 40 ? bits + 48 : bits + 56)
        }
    }
}

/// A small generator whose sequence depends on the seed only (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
