import Control
import Glibc
import TestSupport
import Testing

/// Everything that can be wrong with an upstream, on the real kernel.
@Suite(
    .waits,
    .timeLimit(.minutes(minutesToHang)),
    .enabled(if: geteuid() == 0, "only root may make a network namespace"))
struct OutageTests {
    @Test(arguments: Outage.allCases, [false, true])
    func `it comes back from the third attempt in vain, tells the truth meanwhile, and has not grown`(
        outage: Outage, isFlooding: Bool
    ) throws {
        try OutageScene.run(outage) { scene in
            let process = scene.daemon.process
            try scene.untilTold(.established)
            let (before, start) = (Usage(process), process.processorTime)
            let begin = ContinuousClock.now
            scene.isFlooding = isFlooding
            if isFlooding { try scene.until("a flood") { scene.hasFlowed } }

            try scene.beginOutage()
            try scene.until("three attempts in vain") { try outage.isTried(3, scene) }
            if !outage.reasons.isEmpty {
                try scene.until("\(outage.reasons)") { scene.isReasonTold() }
                try scene.untilTold(outage.holdsConnections ? .established : .none)
            }
            let spent = process.processorTime - start
            // Attempts go on while the test is not scheduled.
            let most = max(.milliseconds(300), (ContinuousClock.now - begin) / 10)
            #expect(isFlooding || outage == .zeroWindow || spent < most, "\(spent)")

            try scene.endOutage()
            try scene.converse()
            try scene.untilTold(.established)
            try scene.until("no reason any more") { try scene.describe().bridge.uplink.reason == nil }
            try scene.until("nothing more than before") { !Usage(process).hasGrown(since: before) }
            #expect(process.memory - before.memory < 2 << 20)
            #expect(scene.daemon.log.count < 30, "\(scene.daemon.log)")
            try process.awaitRest()
        }
    }

    @Test(arguments: Outage.allCases)
    func `it can be ended meanwhile, at once`(outage: Outage) throws {
        try OutageScene.run(outage) { scene in
            try scene.beginOutage()
            try scene.until("an attempt in vain") { try outage.isTried(1, scene) }
            #expect(try scene.daemon.terminate(within: outage.longestEnd) == 0)
            #expect(scene.daemon.manager.notices.contains("STOPPING=1"))
        }
    }
}
