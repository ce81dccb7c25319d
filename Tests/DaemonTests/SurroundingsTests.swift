import Configuration
import TestSupport
import Testing

@testable import Bridge
@testable import Linux

/// What the machine tells a bridge that waits for an hour.
struct SurroundingsTests {
    final class Notes: BridgeObserver {
        private(set) var events: [BridgeEvent] = []

        func report(_ event: BridgeEvent) { events.append(event) }

        var resumes: Int { events.count { $0 == .networkChanged(.resumed) } }
        var failures: Int {
            events.count { if case .uplink(.waiting) = $0 { true } else { false } }
        }
    }

    @Test func `a resume begins an attempt at once, and a step of the wall clock changes nothing`() throws {
        let directory = try TemporaryDirectory()
        let text = "upstream: {address: 'unix:\(directory("none"))', reconnect: {min: 1h, max: 1h}}"
        let configuration = try Configuration(
            parsing: Array(text.utf8), path: "feed.yaml", runtimeDirectory: directory.path)
        let loop = try EventLoop()
        let notes = Notes()
        let bridge = try Bridge(configuration, loop: loop, maximumClients: 1, observer: notes)
        try bridge.start()
        #expect(notes.failures == 1)

        var gap = Duration.seconds(86_400)
        let surroundings = Surroundings(of: bridge, suspend: try SuspendWatch { gap })
        // The kernel reports both in the same way.
        surroundings.becameReady(.readable)
        #expect(notes.resumes == 0)
        gap += .seconds(43_200)
        surroundings.becameReady(.readable)
        #expect(notes.resumes == 1 && notes.failures > 1)
        surroundings.becameReady(.readable)
        #expect(notes.resumes == 1)
        bridge.stop(draining: .zero)
        bridge.stop(draining: .zero)
        #expect(notes.events.last == .stopped)
    }
}
