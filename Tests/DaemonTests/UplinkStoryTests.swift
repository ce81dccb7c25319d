import Bridge
import Control
import Glibc
import Linux
import Testing
import Uplink

@testable import Daemon

/// What `systemctl status` shows.
struct UplinkStoryTests {
    static let now = ContinuousClock.now

    func text(_ state: UplinkState?) -> String {
        var story = UplinkStory()
        if let state { story.changed(to: state) }
        return story.text(now: Self.now)
    }

    @Test func `before anything has happened it is starting`() {
        #expect(text(nil) == "starting")
    }

    @Test(
        arguments: [
            (
                .resolving(.host("feed.example.org", port: 10110)),
                "resolving feed.example.org:10110"
            ),
            (.connecting("[2001:db8::1]:10110"), "connecting to [2001:db8::1]:10110"),
            (.ended("x:1"), "ended by x:1, slow clients have yet to read"),
            (.cancelled, "stopping"),
        ] as [(UplinkState, String)])
    func `each state has its words`(state: UplinkState, expected: String) {
        #expect(text(state) == expected)
    }

    /// By the clock that the text has its times from: time(2) is behind it by some milliseconds.
    static func wallSeconds() -> time_t { wallMicroseconds() / 1_000_000 }

    /// Local times of day that a text made between two calls of the clock may show.
    func times(from start: time_t, after seconds: Int) -> [String] {
        (start...Self.wallSeconds()).map { second in
            var (second, parts) = (second + seconds, tm())
            localtime_r(&second, &parts)
            return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
                .joined(separator: ":")
        }
    }

    @Test func `between two connections of which the first was complete there is no outage`() {
        let before = Self.wallSeconds()
        var story = UplinkStory()
        for _ in 0..<2 {
            story.changed(to: .ready("192.0.2.1:79", attempts: 1))
            story.changed(to: .resting("192.0.2.1:79", until: Self.now + .seconds(100)))
        }
        let told = story.text(now: Self.now)
        #expect(
            times(from: before, after: 100).map { "resting until \($0): what 192.0.2.1:79 sends is complete" }
                .contains(told))
        let description = story.description(now: Self.now)
        #expect(description.state == .resting && description.nextAttempt != nil)
        #expect(description.outageSince == nil && description.reason == nil && description.attempts == 0)
        #expect(description.connections == 2)
        story.changed(to: .waiting(.idle, address: "192.0.2.1:79", until: Self.now, lifetime: nil))
        #expect(story.description(now: Self.now).outageSince != nil)
    }

    @Test func `a connection is shown with the time since when it stands`() {
        let before = Self.wallSeconds()
        var story = UplinkStory()
        story.changed(to: .ready("192.0.2.1:10110", attempts: 2))
        let since = times(from: before, after: 0)
        let told = [0, 100, 200].map {
            story.text(now: Self.now + .seconds($0))
        }
        #expect(since.map { "ready 192.0.2.1:10110 since \($0)" }.contains(told[0]))
        #expect(Set(told).count == 1, "the time is that of the connection")
    }

    @Test(arguments: [
        (Duration.seconds(100), 100), (.milliseconds(99_001), 100), (.zero, 0), (.seconds(86_400), 86_400),
    ])
    func `a wait is shown with its end and its reason`(delay: Duration, seconds: Int) {
        let before = Self.wallSeconds()
        let told = text(
            .waiting(
                .system(call: "connect", errno: 111), address: "192.0.2.1:80", until: Self.now + delay,
                lifetime: nil))
        let expected = times(from: before, after: seconds).map {
            "waiting until \($0): cannot connect to 192.0.2.1:80: Connection refused (errno 111)"
        }
        #expect(expected.contains(told), "\(told)")
    }

    @Test func `a connection that was lost is told as lost`() {
        let told = text(.waiting(.ended, address: "x:1", until: Self.now, lifetime: .seconds(4)))
        #expect(told.hasSuffix(": connection to x:1 lost: the upstream closed it"))
    }

    @Test func `an outage has one beginning, however many attempts it has`() throws {
        var story = UplinkStory()
        #expect(story.description(now: Self.now).outageSince == story.description(now: Self.now).since)
        story.changed(to: .ready("x:1", attempts: 1))
        #expect(story.description(now: Self.now).outageSince == nil)
        story.changed(to: .waiting(.ended, address: "x:1", until: Self.now, lifetime: .seconds(4)))
        let start = try #require(story.description(now: Self.now).outageSince)
        #expect(start == story.description(now: Self.now).since)
        for _ in 0..<3 {
            story.changed(to: .connecting("x:1"))
            story.changed(to: .waiting(.idle, address: "x:1", until: Self.now, lifetime: nil))
        }
        let description = story.description(now: Self.now)
        #expect(description.outageSince == start && description.since > start && description.attempts == 3)
        story.changed(to: .ready("x:1", attempts: 4))
        #expect(story.description(now: Self.now).outageSince == nil)
    }
}
