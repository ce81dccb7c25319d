import Control
import Framing
import Linux
import Testing
import Uplink

@testable import Bridge
@testable import Daemon

/// What has gone wrong, in numbers.
struct CountersTests {
    static let client = ClientIdentity(number: 1, socket: "default", pid: 2, uid: 3)
    static let program = PeerCredentials(pid: 1, uid: 2, gid: 3)

    static func waiting(_ reason: Uplink.Reason, after lifetime: Duration? = nil) -> BridgeEvent {
        .uplink(.waiting(reason, address: "x:1", until: .now, lifetime: lifetime))
    }

    @Test(
        arguments: [
            (waiting(.unresolved("no", isLasting: false)), .unresolved),
            (waiting(.resolutionTimedOut), .unresolved),
            (waiting(.connectTimedOut), .unconnected), (waiting(.ownSocket), .unconnected),
            (waiting(.notBound("::1", errno: 99)), .unconnected),
            (waiting(.otherFamily("::1")), .unconnected),
            (waiting(.system(call: "connect", errno: 111)), .unconnected),
            (waiting(.system(call: "recv", errno: 104), after: .seconds(1)), .failed),
            (waiting(.ended, after: .seconds(1)), .closed),
            (waiting(.idle, after: .seconds(1)), .idleTimeout),
            (waiting(.addressGone, after: .seconds(1)), .failed), (.networkChanged(.resumed), nil),
            (.probing("x:1"), nil), (waiting(.stuck, after: .seconds(1)), .writeTimeout),
            (waiting(.framing(.tooLong(limit: 1)), after: .seconds(1)), .framing),
            (waiting(.requested, after: .seconds(1)), nil), (.uplink(.connecting("x:1")), nil),
            (.uplink(.resting("x:1", until: .now)), nil),
            (.uplink(.ready("x:1", attempts: 1)), nil), (.admitted(client), nil),
            (.refused(socket: "a", program, .tooMany(limit: 1)), .tooManyClients),
            (.refused(socket: "a", program, .tooManyOfUser(limit: 1)), .tooManyClientsOfUser),
            (.left(client, .closed), nil), (.left(client, .stopped), nil),
            (.left(client, .behind(bytes: 1)), .clientPatience),
            (.left(client, .framing(.tooLong(limit: 1))), .clientFraming),
            (.left(client, .failed(SystemError(call: "send", code: 5))), .clientFailed),
            (.left(client, .requested), .clientDisconnected),
            (.acceptingPaused(socket: "a", .full(clients: 1)), .acceptingPaused),
            (.acceptingResumed(socket: "a"), nil), (.socketGone(socket: "a", path: "/a"), .socketGone),
            (.shortage, .shortage), (.flowing, nil), (.stopped, nil),
        ] as [(BridgeEvent, Trouble?)])
    func `an event that is a trouble is counted as just that one`(event: BridgeEvent, trouble: Trouble?) {
        var counters = Counters()
        counters.count(event)
        counters.count(event)
        #expect(Trouble.allCases.map(counters.times) == Trouble.allCases.map { $0 == trouble ? 2 : 0 })
    }

    @Test func `what is thrown away is summed up, each reason by itself`() {
        for reason in DiscardReason.allCases {
            var counters = Counters()
            counters.count(.discarded(reason, Amount(messages: 1, bytes: 20)))
            counters.count(.discarded(reason, Amount(messages: 3, bytes: 30)))
            // More of a message that has been counted already.
            counters.count(.discarded(reason, Amount(messages: 0, bytes: 10)))
            let counted = counters.descriptions.filter { $0.times > 0 }
            let times = [.oversize, .damaged, .clientDamaged, .first].contains(reason) ? 4 : 3
            #expect(
                counted == [
                    CounterDescription(reason: Trouble(reason).rawValue, times: times, messages: 4, bytes: 60)
                ])
        }
    }

    @Test func `at the end only what was thrown away is told of`() {
        var counters = Counters()
        #expect(counters.text(Totals()) == "received 0 messages (0 bytes), sent 0 messages (0 bytes)")
        var totals = Totals()
        totals.received = Amount(messages: 1, bytes: 20)
        totals.sent = Amount(messages: 2, bytes: 9)
        counters.count(.discarded(.unfinished, Amount(bytes: 3)))
        counters.count(.discarded(.unfinished, Amount(bytes: 4)))
        counters.count(.discarded(.stopped, Amount(messages: 1, bytes: 5)))
        counters.count(.refused(socket: "a", Self.program, .tooMany(limit: 1)))
        counters.count(.refused(socket: "a", Self.program, .tooManyOfUser(limit: 1)))
        #expect(
            counters.text(totals)
                == "received 1 message (20 bytes), sent 2 messages (9 bytes), discarded 7 bytes of a message that a"
                + " client began and never finished, discarded 1 message (5 bytes) from clients that the upstream"
                + " had not taken when the daemon stopped, refused 2 clients")
    }
}
