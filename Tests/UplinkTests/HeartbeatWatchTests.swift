import Testing
import Uplink

@Suite struct HeartbeatWatchTests {
    private let ready = ContinuousClock.now

    private func watch(isAnswered: Bool = true) -> HeartbeatWatch {
        HeartbeatWatch(every: .seconds(10), isAnswered: isAnswered, ready: ready)
    }

    private func at(_ seconds: Double) -> ContinuousClock.Instant {
        ready + .milliseconds(Int(seconds * 1000))
    }

    @Test func `one is sent in each interval, from ready`() {
        var watch = watch(isAnswered: false)
        for seconds in [10.0, 20, 30] {
            #expect(watch.due == at(seconds))
            #expect(watch.fired(now: at(seconds), isReadable: false) == .send)
            watch.sent(at: at(seconds))
        }
    }

    @Test func `none is sent behind one that is not through`() {
        var watch = watch()
        #expect(watch.fired(now: at(10), isReadable: false) == .send)
        #expect(watch.fired(now: at(20), isReadable: false) == .wait)
        #expect(watch.fired(now: at(30), isReadable: false) == .wait)
        watch.sent(at: at(31))
        // Its answer has a whole interval.
        #expect(watch.fired(now: at(40), isReadable: false) == .wait)
        #expect(watch.due == at(41))
        #expect(watch.fired(now: at(41), isReadable: false) == .unanswered)
    }

    @Test func `what is not answered within an interval is noticed`() {
        var watch = watch()
        #expect(watch.fired(now: at(10), isReadable: false) == .send)
        watch.sent(at: at(10))
        watch.answered()
        #expect(watch.fired(now: at(20), isReadable: false) == .send)
        watch.sent(at: at(20))
        #expect(watch.fired(now: at(30), isReadable: false) == .unanswered)
    }

    @Test func `what may have arrived is looked at first, but not for ever`() {
        var watch = watch()
        _ = watch.fired(now: at(10), isReadable: true)
        watch.sent(at: at(10))
        #expect(watch.fired(now: at(20), isReadable: true) == .wait)
        #expect(watch.due == at(21))
        #expect(watch.fired(now: at(21), isReadable: true) == .unanswered)
    }

    @Test func `an answer that was looked at late is an answer`() {
        var watch = watch()
        _ = watch.fired(now: at(10), isReadable: true)
        watch.sent(at: at(10))
        #expect(watch.fired(now: at(20), isReadable: true) == .wait)
        watch.answered()
        #expect(watch.fired(now: at(21), isReadable: true) == .send)
    }

    @Test func `while nothing is read no answer is missing, and then it has a whole interval`() {
        var watch = watch()
        _ = watch.fired(now: at(10), isReadable: true)
        watch.sent(at: at(10))
        watch.paused()
        for seconds in [20.0, 30] {
            #expect(watch.fired(now: at(seconds), isReadable: true) == .send)
            watch.sent(at: at(seconds))
        }
        watch.resumed(at: at(35))
        watch.resumed(at: at(36))
        #expect(watch.fired(now: at(40), isReadable: false) == .wait)
        #expect(watch.due == at(45))
        #expect(watch.fired(now: at(45), isReadable: false) == .unanswered)
    }

    @Test func `time in which the process stood still is not the upstream's`() {
        var watch = watch()
        _ = watch.fired(now: at(10), isReadable: false)
        watch.sent(at: at(10))
        #expect(watch.fired(now: at(500), isReadable: false) == .wait)
        #expect(watch.fired(now: at(510), isReadable: false) == .unanswered)
    }
}
