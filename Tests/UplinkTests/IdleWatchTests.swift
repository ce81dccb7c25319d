import Testing
import Uplink

struct IdleWatchTests {
    let ready = ContinuousClock.now
    let limit = Duration.seconds(60)

    @Test func `the limit counts from ready`() {
        #expect(IdleWatch(limit: limit, ready: ready).deadline == ready + limit)
    }

    @Test func `received bytes move the deadline`() {
        var watch = IdleWatch(limit: limit, ready: ready)
        watch.received(at: ready + .seconds(10))
        #expect(watch.deadline == ready + .seconds(70))
        watch.received(at: ready + .seconds(69))
        #expect(watch.deadline == ready + .seconds(129))
    }

    @Test func `while reading is paused there is no deadline, and then the whole limit starts anew`() {
        var watch = IdleWatch(limit: limit, ready: ready)
        watch.paused()
        #expect(watch.deadline == nil)
        watch.paused()
        #expect(watch.deadline == nil)
        watch.resumed(at: ready + .seconds(600))
        #expect(watch.deadline == ready + .seconds(660))
    }

    @Test func `to resume without a pause moves nothing`() {
        var watch = IdleWatch(limit: limit, ready: ready)
        watch.resumed(at: ready + .seconds(50))
        #expect(watch.deadline == ready + limit)
    }

    @Test func `what was received before the pause does not shorten the limit after it`() {
        var watch = IdleWatch(limit: limit, ready: ready)
        watch.received(at: ready + .seconds(1))
        watch.paused()
        watch.received(at: ready + .seconds(2))
        #expect(watch.deadline == nil)
        watch.resumed(at: ready + .seconds(3))
        #expect(watch.deadline == ready + .seconds(63))
    }
}
