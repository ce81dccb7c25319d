/// Sizes in bytes, plain or with `K`, `M`, `G`: powers of 1024.
enum Size {
    private static let units: [(letter: UInt8, bytes: Int)] = [
        (UInt8(ascii: "G"), 1 << 30), (UInt8(ascii: "M"), 1 << 20), (UInt8(ascii: "K"), 1 << 10),
    ]

    static func parse(_ text: String) -> Int? {
        var digits = text.utf8[...]
        var unit = 1
        for (letter, bytes) in units where text.utf8.last == letter {
            digits = text.utf8.dropLast()
            unit = bytes
        }
        guard let number = decimal(digits) else { return nil }
        let (size, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : size
    }

    static func print(_ size: Int) -> String {
        for (letter, bytes) in units where size > 0 && size % bytes == 0 {
            return "\(size / bytes)\(Unicode.Scalar(letter))"
        }
        return "\(size)"
    }

    static func roundedUpToPowerOfTwo(_ size: Int) -> Int {
        size <= 1 ? 1 : 1 << (Int.bitWidth - (size - 1).leadingZeroBitCount)
    }
}

/// A number of decimal digits only, which `Int.init` is more generous about.
func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
        guard case UInt8(ascii: "0")...UInt8(ascii: "9") = digit else { return nil }
        let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, carry) = tenfold.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
        if overflow || carry { return nil }
        number = sum
    }
    return number
}
