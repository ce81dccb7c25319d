import Configuration
import Control
import Testing

@testable import trunklinectl

/// What a program is told of a server that is away.
struct AbsenceTextTests {
    private func words(_ uplink: UplinkDescription, _ settings: String, sends: Bool) throws -> String? {
        let text = "upstream: {address: 'localhost:1'}\n\(settings)"
        let configuration = try Configuration(
            parsing: Array(text.utf8), path: "ais.yaml", runtimeDirectory: "/run/trunkline")
        return AbsenceText.words(uplink, configuration, sends: sends)
    }

    @Test(arguments: [
        (
            "hold-time: 90s", true,
            "what is sent waits until it has been away for hold-time (90s), then it is thrown away"
        ),
        ("hold-time: infinity", true, "what is sent waits until it is back"),
        ("when-down: discard", true, "what is sent is thrown away (when-down: discard)"),
        ("", false, "messages come when it is back"),
    ])
    func `why it is away is told, and what comes of it`(settings: String, sends: Bool, end: String) throws {
        let words = try words(Sample.waiting, settings, sends: sends)
        #expect(words == "the server is away: cannot connect: Connection refused (errno 111); \(end)")
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
        #expect((try words(uplink, "", sends: true) == nil) == isFine.contains(state))
        uplink.outageSince = 1
        let words = try words(uplink, "", sends: true)
        #expect((words == nil) == (state == .ready || state == .resting))
        #expect(words?.hasPrefix("the server is away: 192.0.2.7:10110 (\(state)); ") ?? true)
    }
}
