import Configuration
import Control
import Testing

@testable import trunklinectl

/// What a program is told of a server that is away.
struct AbsenceTests {
    private func absence(_ uplink: UplinkDescription, _ settings: String) throws -> Absence? {
        let text = "upstream: {address: 'localhost:1'\(settings)"
        let configuration = try Configuration(
            parsing: Array(text.utf8), path: "ais.yaml", runtimeDirectory: "/run/trunkline")
        return Absence(uplink, configuration, now: Sample.clock.now)
    }

    /// It has been away for 90 s.
    @Test(arguments: [
        (
            "}\nhold-time: 91s", true,
            "what is sent waits until it has been away for hold-time (91s), then it is thrown away", false
        ),
        (
            "}\nhold-time: 90s", true,
            "what is sent is thrown away at once (it has been away for longer than hold-time, 90s)", true
        ),
        ("}\nhold-time: infinity", true, "what is sent waits until it is back", false),
        (
            "}\nwhen-down: discard", true, "what is sent is thrown away at once (when-down: discard)", true
        ),
        ("}", false, "messages come when it is back", true),
    ])
    func `why it is away is told, and what comes of it`(
        settings: String, sends: Bool, end: String, throwsAway: Bool
    ) throws {
        let absence = try absence(Sample.waiting, settings)
        #expect(
            absence?.words(sends: sends)
                == "the server is away: cannot connect: Connection refused (errno 111); \(end)")
        #expect(absence?.throwsAway == throwsAway)
    }

    @Test(arguments: UplinkDescription.State.allCases)
    func `nothing is told of a server that is there, or soon will be after a connection that was complete`(
        state: UplinkDescription.State
    ) throws {
        var uplink = Sample.ready
        uplink.state = state
        let isFine: [UplinkDescription.State] = [
            .ready, .resting, .resolving, .connecting, .securing, .greeting,
        ]
        #expect((try absence(uplink, "}") == nil) == isFine.contains(state))
        let comesAgain = try absence(
            uplink, ", framing: {kind: until-close, every: 1min}}\nwhen-down: discard")
        #expect((comesAgain == nil) == (isFine.contains(state) || state == .ended))
        for start in [1, .min, .max] {
            uplink.outageSince = start
            let absence = try absence(uplink, "}")
            #expect((absence == nil) == (state == .ready || state == .resting))
            #expect(
                absence?.words(sends: true).hasPrefix("the server is away: 192.0.2.7:10110 (\(state)); ")
                    ?? true)
        }
    }
}
