import Glibc

/// The time of day, and how it is told. Times are microseconds since 1970.
struct WallClock: Sendable {
    let now: Int
    /// Local time; UTC otherwise.
    let isLocal: Bool

    static var local: WallClock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallClock(now: time.tv_sec * 1_000_000 + time.tv_nsec / 1000, isLocal: true)
    }

    /// `Mon 2026-11-30 08:43:40 UTC`.
    func date(_ time: Int) -> String { format(time, "%a %Y-%m-%d %H:%M:%S \(isLocal ? "%Z" : "UTC")") }

    /// `Nov 30 08:43:40.123`.
    func stamp(_ time: Int) -> String {
        let milliseconds = String(time / 1000 % 1000 + 1000).dropFirst()
        return "\(format(time, "%b %d %H:%M:%S")).\(milliseconds)"
    }

    /// `12:00:05`.
    func timeOfDay(_ time: Int) -> String { format(time, "%H:%M:%S") }

    /// `2026-11-30T08:43:40.123456+01:00` (RFC 3339).
    func exact(_ time: Int) -> String {
        let microseconds = String(time % 1_000_000 + 1_000_000).dropFirst()
        let zone = format(time, isLocal ? "%z" : "+0000")
        return "\(format(time, "%Y-%m-%dT%H:%M:%S")).\(microseconds)\(zone.prefix(3)):\(zone.suffix(2))"
    }

    /// `2min 3s ago`.
    func ago(_ time: Int) -> String { "\(age(time)) ago" }

    /// `in 4s`: not before that.
    func ahead(_ time: Int) -> String { "in \(Self.span(since: now, min(time, .max - 999_999) + 999_999))" }

    /// `2min 3s`: how long ago it was.
    func age(_ time: Int) -> String { Self.span(since: time, now) }

    /// Of times that may be anything.
    private static func span(since start: Int, _ end: Int) -> String {
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return span(overflow ? (end > start ? .max : 0) : difference)
    }

    /// So many microseconds in the largest two units, as systemd tells them: `2min 3s`.
    static func span(_ microseconds: Int) -> String {
        let seconds = max(0, microseconds) / 1_000_000
        let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
        guard let first = units.firstIndex(where: { seconds >= $0.0 }) else { return "0s" }
        let parts = units[first...].prefix(2).enumerated().map { index, unit in
            (index == 0 ? seconds : seconds % units[first].0) / unit.0
        }
        return zip(parts, units[first...]).filter { $0.0 > 0 }.map { "\($0.0)\($0.1.1)" }
            .joined(separator: " ")
    }

    private func format(_ time: Int, _ format: String) -> String {
        var seconds = time_t(time / 1_000_000)
        var parts = unsafe tm()
        if isLocal { unsafe localtime_r(&seconds, &parts) } else { unsafe gmtime_r(&seconds, &parts) }
        var text = [CChar](repeating: 0, count: 64)
        let count = unsafe strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
