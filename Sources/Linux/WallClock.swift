import Glibc

/// Microseconds since 1970, by the wall clock (CLOCK_REALTIME).
public func wallMicroseconds() -> Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}

/// The local time of day, as `12:00:05`, of a moment in microseconds since 1970.
public func timeOfDay(_ microseconds: Int) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    let fields = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
    return fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}
