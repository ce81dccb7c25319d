import Testing

@testable import Configuration

@Suite struct ValueTests {
    @Test(arguments: [
        ("0", 0), ("1", 1), ("65536", 65536), ("64K", 65536), ("4M", 4 << 20), ("1G", 1 << 30), ("007", 7),
    ])
    func `a size is bytes, or a number with K, M or G`(text: String, size: Int) {
        #expect(Size.parse(text) == size)
    }

    @Test(arguments: [
        "", "K", "-1", "+1", "1.5K", "64k", "64KB", "64KiB", "64 K", " 64K", "1T", "0x10", "١", "64\u{212A}",
        "9223372036854775808", "9223372036854775807K", "99999999999999999999G",
    ])
    func `what is no size is refused`(text: String) {
        #expect(Size.parse(text) == nil)
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (1000, "1000"), (1024, "1K"), (1025, "1025"), (3 << 19, "1536K"), (4 << 20, "4M"),
        (1 << 30, "1G"), (.max, "9223372036854775807"),
    ])
    func `a size is printed in the largest unit that is exact`(size: Int, text: String) {
        #expect(Size.print(size) == text)
        #expect(Size.parse(text) == size)
    }

    @Test(arguments: [
        (1, 1), (2, 2), (3, 4), (65536, 65536), (65537, 131_072), (4_000_000, 4 << 20), (1 << 30, 1 << 30),
    ])
    func `sizes of rings are rounded up to a power of two`(size: Int, rounded: Int) {
        #expect(Size.roundedUpToPowerOfTwo(size) == rounded)
    }

    @Test(
        arguments: [
            ("0", .zero), ("5", .seconds(5)), ("250ms", .milliseconds(250)), ("10s", .seconds(10)),
            ("5min", .seconds(300)), ("5m", .seconds(300)), ("1h", .seconds(3600)), ("2hr", .seconds(7200)),
            ("1d", .seconds(86400)), ("1 day", .seconds(86400)), ("2weeks", .seconds(1_209_600)),
            ("1M", .seconds(2_629_800)), ("1y", .seconds(31_557_600)), ("1min 30s", .seconds(90)),
            ("1min30s", .seconds(90)), ("1min 30", .seconds(90)),
            ("1h 1min 1s 1ms 1us", .microseconds(3_661_001_001)),
            ("100us", .microseconds(100)), ("100usec", .microseconds(100)), ("7\u{B5}s", .microseconds(7)),
            ("7\u{3BC}s", .microseconds(7)), ("3msec", .milliseconds(3)), ("3 sec", .seconds(3)),
            ("2 seconds", .seconds(2)), ("1.5h", .seconds(5400)), ("0.25", .milliseconds(250)),
            (" 10s ", .seconds(10)), ("0.000001s", .microseconds(1)), ("100y", .seconds(3_155_760_000)),
        ] as [(String, Duration)])
    func `a time is read as systemd reads it`(text: String, duration: Duration) {
        #expect(TimeSpan.parse(text) == duration)
    }

    @Test(arguments: [
        "", " ", "s", "-1s", "+1s", "1x", "1S", "1 2s", "10 5s", ".5s", "1.s", "1.2.3s", "1e3", "0.0000001s",
        "0.5us",
        "1,5s", "1s,", "1\ts", "1s\n", "101y", "9223372036854775807s", "99999999999999999999us", "infinity",
        "0.1234567890123s",
    ])
    func `what is no time is refused`(text: String) {
        #expect(TimeSpan.parse(text) == nil)
    }

    @Test(
        arguments: [
            (.zero, "0"), (.seconds(90), "90s"), (.seconds(60), "1min"), (.seconds(3600), "1h"),
            (.seconds(86400), "1d"),
            (.milliseconds(250), "250ms"), (.milliseconds(60_000), "1min"), (.microseconds(1500), "1500us"),
            (.seconds(604_800), "7d"), (.seconds(3_155_760_000), "36525d"),
        ] as [(Duration, String)])
    func `a time is printed in the largest unit that is exact`(duration: Duration, text: String) {
        #expect(TimeSpan.print(duration) == text)
        #expect(TimeSpan.parse(text) == duration)
    }

    @Test(arguments: [
        ("adress", "address"), ("Address", "address"), ("addresss", "address"), ("sned", "send"),
        ("max_message", nil),
        ("zzz", nil), ("", nil), (String(repeating: "a", count: 100_000), nil),
    ])
    func `a misspelt name suggests the nearest, if it is near`(name: String, nearest expected: String?) {
        #expect(nearest(to: name, among: ["address", "send", "sockets"]) == expected)
    }
}
