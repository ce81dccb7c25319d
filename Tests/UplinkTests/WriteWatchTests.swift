import Testing
import Uplink

struct WriteWatchTests {
    let start = ContinuousClock.now

    /// Looks whenever a look is due: when the connection was found stuck, with the progress at each look.
    private func stuck(limit: Duration, within: Duration, _ progress: (Duration) -> UInt64) -> Duration? {
        var watch = WriteWatch(limit: limit, progress: progress(.zero), now: start)
        while watch.due < start + within {
            let due = watch.due
            if watch.isStuck(progress: progress(due - start), now: due) { return due - start }
        }
        return nil
    }

    @Test(arguments: [.milliseconds(1), .milliseconds(5), .seconds(1), .seconds(120)] as [Duration])
    func `without progress the limit is kept, to the moment`(limit: Duration) {
        #expect(stuck(limit: limit, within: limit * 3) { _ in 7 } == limit)
    }

    @Test func `any progress begins the limit anew`() {
        // The last byte was taken after 95 s.
        let found = stuck(limit: .seconds(60), within: .seconds(1000)) {
            $0 > .seconds(95) ? 2 : $0 > .seconds(50) ? 1 : 0
        }
        #expect(found.map { .seconds(155)...(.seconds(162)) ~= $0 } == true)
    }

    @Test func `a connection that takes a little each time stays`() {
        #expect(stuck(limit: .seconds(1), within: .seconds(100)) { UInt64($0 / .milliseconds(900)) } == nil)
    }

    @Test func `time in which we stood still hardly counts`() {
        var watch = WriteWatch(limit: .seconds(10), progress: 0, now: start)
        let afterPause = watch.isStuck(progress: 0, now: start + .seconds(3600))
        #expect(!afterPause)
        for second in 1...7 {
            let isStuck = watch.isStuck(progress: 0, now: start + .seconds(3600 + second))
            #expect(!isStuck)
        }
        let isStuck = watch.isStuck(progress: 0, now: start + .seconds(3608))
        #expect(isStuck)
    }
}
