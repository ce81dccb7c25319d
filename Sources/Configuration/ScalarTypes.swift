import Framing
import Glibc
import Uplink

extension ValueType where Value == Int {
    /// A number of bytes.
    static func size(_ range: ClosedRange<Int>, rounded: @escaping @Sendable (Int) -> Int = { $0 })
        -> ValueType
    {
        let highest = range.upperBound == .max ? ", at least" : " from"
        let limits = "\(highest) \(Size.print(range.lowerBound))"
        let to = range.upperBound == .max ? "" : " to \(Size.print(range.upperBound))"
        return .scalar("SIZE", Allowed("a size such as 64K, 4M or 1G\(limits)\(to)")) { text in
            guard let size = Size.parse(text), range.contains(size) else { return nil }
            return rounded(size)
        } print: { size in
            Size.print(size)
        }
    }

    /// A whole number.
    static func number(_ range: ClosedRange<Int>) -> ValueType {
        let allowed = Allowed("a number from \(range.lowerBound) to \(range.upperBound)")
        return .scalar("NUMBER", allowed) { text in
            let isNegative = text.utf8.first == UInt8(ascii: "-")
            guard let number = decimal(text.utf8.dropFirst(isNegative ? 1 : 0)) else { return nil }
            return range.contains(isNegative ? -number : number) ? (isNegative ? -number : number) : nil
        } print: { number in
            String(number)
        }
    }
}

extension ValueType where Value == Duration {
    static func time(atLeast shortest: Duration = .zero, atMost longest: Duration? = nil) -> ValueType {
        .scalar("TIME", Allowed(allowedTimes(shortest, longest))) { text in
            TimeSpan.parse(text).flatMap { isTime($0, from: shortest, to: longest) ? $0 : nil }
        } print: { duration in
            TimeSpan.print(duration)
        }
    }
}

extension ValueType where Value == Duration? {
    /// A time, or `infinity`, which is `nil`.
    static func timeOrInfinity(
        atLeast shortest: Duration = .zero, atMost longest: Duration? = nil
    ) -> ValueType {
        let allowed = Allowed("\(allowedTimes(shortest, longest)), or infinity")
        return .scalar("TIME", allowed) { text -> Duration?? in
            if text == "infinity" { return .some(nil) }
            return TimeSpan.parse(text).flatMap { isTime($0, from: shortest, to: longest) ? .some($0) : nil }
        } print: { duration in
            duration.map(TimeSpan.print) ?? "infinity"
        }
    }
}

extension ValueType where Value == Int? {
    /// A number, at least 1, or `infinity`, which is `nil`.
    static var countOrInfinity: ValueType {
        .scalar("NUMBER", Allowed("a number, at least 1, or infinity")) { text -> Int?? in
            if text == "infinity" { return .some(nil) }
            return decimal(text.utf8).flatMap { $0 > 0 ? .some($0) : nil }
        } print: { count in
            count.map(String.init) ?? "infinity"
        }
    }
}

private func isTime(_ time: Duration, from shortest: Duration, to longest: Duration?) -> Bool {
    time >= shortest && longest.map { time <= $0 } ?? true
}

private func allowedTimes(_ shortest: Duration, _ longest: Duration?) -> String {
    let least = shortest > .zero ? ", at least \(TimeSpan.print(shortest))" : ""
    let most = longest.map { ", at most \(TimeSpan.print($0))" } ?? ""
    return "a time such as 250ms, 10s or 1min 30s\(least)\(most)"
}

extension ValueType where Value == Bool {
    /// `yes` or `no`, and how else YAML 1.1 spells them.
    static var yesOrNo: ValueType {
        .scalar("yes | no", Allowed(["yes", "no"])) { text in
            parse(text)
        } print: { value in
            value ? "yes" : "no"
        }
    }

    static func parse(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "y": true
        case "no", "false", "off", "n": false
        default: nil
        }
    }
}

extension ValueType where Value == UInt32 {
    /// Permission bits.
    static var mode: ValueType {
        .scalar("MODE", Allowed("an octal mode from 0000 to 0777")) { text in
            let digits = UInt8(ascii: "0")...UInt8(ascii: "7")
            guard 3...4 ~= text.utf8.count, text.utf8.allSatisfy({ digits ~= $0 }) else { return nil }
            return UInt32(text, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
        } print: { mode in
            let digits = String(mode, radix: 8)
            return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        }
    }
}

extension ValueType where Value == String {
    /// An absolute path of a file.
    static var path: ValueType {
        .scalar("PATH", Allowed("an absolute path")) { text in
            isPath(text) ? text : nil
        } print: { path in
            path
        }
    }
}

extension ValueType where Value == SocketSettings.Group {
    /// A group of this machine.
    static var group: ValueType {
        .scalar("GROUP", Allowed("the name of a group of this machine")) { name in
            SocketSettings.Group(named: name)
        } print: { group in
            group.name
        }
    }
}

extension ValueType where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue: Sendable {
    /// One of the cases, by raw value.
    static var choice: ValueType {
        let choices = Value.allCases.map { "\($0.rawValue)" }
        return .scalar(choices.joined(separator: " | "), Allowed(choices)) { text in
            Value.allCases.first { "\($0.rawValue)" == text }
        } print: { value in
            "\(value.rawValue)"
        }
    }
}

extension ValueType where Value == String {
    /// An IPv4 or IPv6 address in digits.
    static var ipAddress: ValueType {
        .scalar("IP ADDRESS", Allowed(["an IPv4 address", "an IPv6 address without brackets"])) { text in
            guard text.unicodeScalars.allSatisfy(isPrintable) else { return nil }
            return isIPv4(text) || isIPv6(text) ? text : nil
        } print: { address in
            address
        }
    }
}

/// The most bytes of a Unix socket's path, without the NUL that ends it (unix(7)).
let longestSocketPath = 107

/// Whether text is the absolute path of something that is not a directory.
func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && !text.hasSuffix("/") && !text.utf8.contains(0)
}

func isIPv4(_ text: String) -> Bool {
    var address = in_addr()
    return unsafe inet_pton(AF_INET, text, &address) == 1
}

/// Whether text is an IPv6 address, with or without a `%` and the interface that it is on.
func isIPv6(_ text: String) -> Bool {
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, parts[1].isEmpty { return false }
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, String(parts[0]), &address) == 1
}
