import Testing
import Uplink

struct GapWatchTests {
    let start = ContinuousClock.now
    let gap = Duration.milliseconds(50)

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `a message ends a gap after its last bytes, and there is none before its first`() {
        var watch = GapWatch(gap: gap)
        #expect(watch.deadline == nil)
        watch.received(at: at(0))
        watch.received(at: at(40))
        #expect(watch.deadline == at(90))
        watch.ended()
        #expect(watch.deadline == nil)
        watch.received(at: at(100))
        #expect(watch.deadline == at(150))
    }

    @Test func `while reading is paused no gap is known, and then the whole gap must come anew`() {
        var watch = GapWatch(gap: gap)
        watch.received(at: at(0))
        watch.paused()
        #expect(watch.deadline == nil)
        watch.received(at: at(10))
        #expect(watch.deadline == nil)
        watch.resumed(at: at(1000))
        #expect(watch.deadline == at(1050))
        watch.resumed(at: at(1040))
        #expect(watch.deadline == at(1050))
    }

    @Test func `a pause between two messages begins none`() {
        var watch = GapWatch(gap: gap)
        watch.paused()
        watch.resumed(at: at(10))
        #expect(watch.deadline == nil)
    }
}
