import Framing
import Systemd
import Testing
import Uplink

@testable import Bridge
@testable import Daemon
@testable import Linux

extension [JournalField] {
    /// `NAME=value`, each.
    var assignments: [String] { map { "\($0.name)=\($0.value)" } }
}

extension LogLine {
    var assignments: [String] { fields.assignments }
}

/// The log's words, exactly.
struct LogLineTests {
    static let client = ClientIdentity(number: 7, socket: "default", pid: 1234, uid: 1000)

    @Test(
        arguments: [
            (.closed, .clientLeft, .info, "closed its connection", ["REASON=closed"]),
            (
                .behind(bytes: 4096), .clientDisconnected, .warning,
                "disconnected: it was 4096 bytes behind and held the others up for longer than its patience",
                ["REASON=patience"]
            ),
            (
                .framing(.tooLong(limit: 100)), .clientDisconnected, .warning,
                "disconnected for what it sent: a message is longer than max-message (100 bytes)",
                ["REASON=framing"]
            ),
            (
                .failed(SystemError(call: "send", code: 12)), .clientDisconnected, .warning,
                "disconnected: send: Cannot allocate memory (errno 12)", ["REASON=send", "ERRNO=12"]
            ),
            (.stopped, .clientLeft, .info, "disconnected: the daemon stops", ["REASON=stopped"]),
        ] as [(LeaveReason, LogKind, LogLevel, String, [String])])
    func `a client that is gone`(
        reason: LeaveReason, kind: LogKind, level: LogLevel, text: String, fields: [String]
    ) {
        let line = LogLine(left: Self.client, reason)
        #expect(line.kind == kind && line.level == level)
        #expect(line.text == "client 7 of default (pid 1234, uid 1000) \(text)")
        #expect(
            line.assignments == ["SOCKET=default", "CLIENT_PID=1234", "CLIENT_UID=1000"] + fields)
    }

    @Test func `a client that has come`() {
        let line = LogLine(admitted: Self.client)
        #expect(line.kind == .clientConnected && line.level == .info)
        #expect(line.text == "client 7 of default (pid 1234, uid 1000) connected")
        #expect(line.assignments == ["SOCKET=default", "CLIENT_PID=1234", "CLIENT_UID=1000"])
    }

    @Test func `a socket on which clients wait, and wait no more`() {
        let paused = LogLine(acceptingPausedOn: "watch", .failed(SystemError(call: "accept4", code: 23)))
        #expect(paused.level == .warning)
        #expect(
            paused.text
                == "socket watch: new clients have to wait: accept4: Too many open files in system (errno 23)"
        )
        #expect(paused.assignments == ["SOCKET=watch", "REASON=accept4", "ERRNO=23"])
        let full = LogLine(acceptingPausedOn: "watch", .full(clients: 9))
        #expect(full.assignments == ["SOCKET=watch", "REASON=open-files"])
        let resumed = LogLine(acceptingResumedOn: "watch")
        #expect(resumed.level == .notice)
        #expect(resumed.text == "socket watch: new clients are accepted again")
        #expect(resumed.assignments == ["SOCKET=watch"])
    }

    @Test func `a line is an entry of the journal`() {
        let line = LogLine(.stopped, .info, "stopped", [.reason("r")])
        #expect(line.entry == JournalEntry(.info, id: LogKind.stopped.rawValue, "stopped", [.reason("r")]))
        #expect(
            JournalField.common(bridge: "ais")
                == [JournalField("SYSLOG_IDENTIFIER", "trunklined"), JournalField("BRIDGE", "ais")])
    }

    @Test func `a client that misses messages`() {
        let behind = LogLine(fellBehind: Self.client, bytes: 4096)
        #expect(behind.level == .warning)
        #expect(
            behind.text
                == "client 7 of default (pid 1234, uid 1000) is 4096 bytes behind and held the others up for longer than"
                + " its patience: it misses messages until it has caught up")
        let client = ["SOCKET=default", "CLIENT_PID=1234", "CLIENT_UID=1000"]
        #expect(behind.assignments == client + ["REASON=patience"])
        let missed = [true, false].map { hasCaughtUp in
            LogLine(missed: Amount(messages: 1, bytes: 10), by: Self.client, hasCaughtUp: hasCaughtUp)
        }
        #expect(missed.allSatisfy { $0.level == .notice && $0.assignments == client })
        #expect(
            missed.map(\.text) == [
                "client 7 of default (pid 1234, uid 1000) has caught up: it missed 1 message (10 bytes)",
                "client 7 of default (pid 1234, uid 1000) never caught up: it missed 1 message (10 bytes)",
            ])
    }

    @Test(
        arguments: [
            (.full(clients: 960), "960 clients are as many as the limit of open files allows"),
            (.full(clients: 1), "1 client is as many as the limit of open files allows"),
            (
                .failed(SystemError(call: "accept4", code: 23)),
                "accept4: Too many open files in system (errno 23)"
            ),
        ] as [(PauseReason, String)])
    func `why clients have to wait`(reason: PauseReason, text: String) {
        #expect(reason.text == text)
    }

    @Test(
        arguments: [
            (Amount(), "0 bytes"), (Amount(bytes: 1), "1 byte"), (Amount(bytes: 20), "20 bytes"),
            (Amount(messages: 1, bytes: 1), "1 message (1 byte)"),
            (Amount(messages: 3, bytes: 120), "3 messages (120 bytes)"),
        ] as [(Amount, String)])
    func `an amount`(amount: Amount, text: String) {
        #expect(amount.text == text)
    }

    @Test func `a message and a byte of each reason are told with what became of them`() {
        let told = DiscardReason.allCases.map { reason in
            var log = DiscardLog()
            return log.line(for: reason, Amount(messages: 2, bytes: 10))
        }
        #expect(told.allSatisfy { $0?.kind == .discarded })
        #expect(
            told.map { $0?.level } == [
                .info, .info, .warning, .warning, .info, .debug, .info, .warning, .warning, .warning,
                .warning, .info, .debug, .warning, .warning,
            ])
        #expect(
            told.map { $0?.text } == [
                "discarded 2 messages (10 bytes) of a message that the end of the connection cut off",
                "discarded 2 messages (10 bytes) that could not be divided into messages",
                "discarded 2 messages (10 bytes) from the upstream, longer than max-message",
                "discarded 2 messages (10 bytes) from the upstream that were damaged",
                "discarded 2 messages (10 bytes) from the upstream that stood between messages and belong to none",
                "discarded 2 messages (10 bytes) that came first on a connection (first-message: discard)",
                "discarded 2 messages (10 bytes) of a message that a client began and never finished",
                "discarded 2 messages (10 bytes) from clients that were damaged",
                "discarded 2 messages (10 bytes) from clients that stood between messages and belong to none: do they use the framing of their socket?",
                "discarded 2 messages (10 bytes) from clients, for the upstream is away",
                "discarded 2 messages (10 bytes) from clients of a socket with send: no",
                "discarded 2 messages (10 bytes) for clients that read too slowly (when-behind: drop)",
                "discarded 2 messages (10 bytes) that the framing of those who were to get them cannot carry",
                "discarded 2 messages (10 bytes) sent to the upstream, which had not acknowledged them when the connection was lost",
                "discarded 2 messages (10 bytes) from clients that the upstream had not taken when the daemon stopped",
            ])
        #expect(
            told.map { $0?.assignments } == [
                ["REASON=cut-off"], ["REASON=malformed"], ["REASON=oversize"], ["REASON=damaged"],
                ["REASON=between"], ["REASON=first"], ["REASON=unfinished"], ["REASON=client-damaged"],
                ["REASON=client-between"], ["REASON=upstream-away"], ["REASON=not-allowed"],
                ["REASON=behind"], ["REASON=unrepresentable"], ["REASON=unacknowledged"],
                ["REASON=stopped"],
            ])
    }

    @Test(
        arguments: [
            (.tooMany(limit: 3), "max-clients (3) are connected"),
            (.tooManyOfUser(limit: 2), "max-clients-per-user (2) of this user are connected"),
        ] as [(RefusalReason, String)])
    func `a program that is not taken`(reason: RefusalReason, text: String) {
        let program = PeerCredentials(pid: 1234, uid: 1000, gid: 100)
        let line = LogLine(refused: program, socket: "default", reason)
        #expect(line.kind == .clientRefused && line.level == .warning)
        #expect(line.text == "socket default: refused and disconnected pid 1234, uid 1000: \(text)")
        let word = String(text.prefix { $0 != " " })
        #expect(
            line.assignments == ["SOCKET=default", "CLIENT_PID=1234", "CLIENT_UID=1000", "REASON=\(word)"])
    }

    @Test(
        arguments: [
            (
                .unresolved("no such name", isLasting: false), "cannot resolve x:1: no such name",
                ["REASON=unresolved"]
            ),
            (
                .resolutionTimedOut, "cannot resolve x:1: no answer within connect-timeout",
                ["REASON=resolve-timeout"]
            ),
            (
                .connectTimedOut, "cannot connect to x:1: no answer within connect-timeout",
                ["REASON=connect-timeout"]
            ),
            (
                .system(call: "connect", errno: 111),
                "cannot connect to x:1: Connection refused (errno 111)", ["REASON=connect", "ERRNO=111"]
            ),
            (
                .notBound("192.0.2.7", errno: 99),
                "cannot connect to x:1: bind-address 192.0.2.7: Cannot assign requested address (errno 99); an"
                    + " interface of this machine must have it", ["REASON=bind-address", "ERRNO=99"]
            ),
            (
                .otherFamily("::1"),
                "cannot connect to x:1: it has no address of the family of bind-address ::1",
                ["REASON=bind-address"]
            ),
            (
                .ownSocket, "cannot connect to x:1: it is a socket of this bridge itself",
                ["REASON=own-socket"]
            ),
        ] as [(Uplink.Reason, String, [String])])
    func `why there is no connection`(reason: Uplink.Reason, text: String, fields: [String]) {
        #expect(reason.text(address: "x:1", wasReady: false) == text)
        #expect(reason.fields.assignments == fields)
    }

    @Test(
        arguments: [
            (
                .unexpected("OK"), "No.",
                "the upstream said \"No.\" where \"OK\" was expected; check on-connect"
                    + " and its credentials", "unexpected"
            ),
            (
                .unexpected("OK"), "",
                "the upstream said nothing where \"OK\" was expected; check on-connect"
                    + " and its credentials", "unexpected"
            ),
            (.ended, "Bye", "the upstream said \"Bye\", and closed the connection", "closed"),
            (.timedOut, "", "not done within its timeout; the upstream said nothing", "timeout"),
            (
                .credential("pass", reason: "it is empty"), "", "cannot use credential pass: it is empty",
                "credential"
            ),
        ] as [(Uplink.GreetingFault, String, String, String)])
    func `why the dialogue before everything else has failed`(
        fault: Uplink.GreetingFault, said: String, text: String, name: String
    ) {
        let reason = Uplink.Reason.greeting(step: 1, fault, said: said)
        #expect(
            reason.text(address: "x:1", wasReady: false)
                == "cannot connect to x:1: step 2 of on-connect: \(text)")
        #expect(reason.fields.assignments == ["REASON=on-connect", "STEP=2", "FAULT=\(name)"])
    }

    @Test func `why a connection is given up`() {
        #expect(
            Uplink.Reason.stuck.text(address: "x:1", wasReady: true)
                == "connection to x:1 lost: the upstream took nothing for write-timeout")
        #expect(Uplink.Reason.stuck.fields.assignments == ["REASON=write-timeout"])
        #expect(
            Uplink.Reason.addressGone.text(address: "x:1", wasReady: true)
                == "connection to x:1 lost: the address that it came from has gone")
        #expect(Uplink.Reason.addressGone.fields.assignments == ["REASON=address-gone"])
        #expect(
            Uplink.Reason.keepaliveUnanswered.text(address: "x:1", wasReady: true)
                == "connection to x:1 lost: no answer to keepalive")
        #expect(Uplink.Reason.keepaliveUnanswered.fields.assignments == ["REASON=keepalive"])
        #expect(
            Uplink.Reason.heartbeatUnanswered.text(address: "x:1", wasReady: true)
                == "connection to x:1 lost: the heartbeat was not answered before the next was due")
        #expect(Uplink.Reason.heartbeatUnanswered.fields.assignments == ["REASON=heartbeat"])
    }

    @Test(
        arguments: [
            (.appeared, "an address or a route has appeared"),
            (.missed, "there were more changes than could be told"), (.resumed, "the machine was in suspend"),
            (.resolverConfigured, "names may be resolved in another way"),
        ] as [(NetworkChange, String)])
    func `a change of the network`(change: NetworkChange, text: String) {
        let line = LogLine(networkChanged: change)
        #expect(line.kind == .networkChanged && line.level == .debug)
        #expect(line.text == "the network has changed, trying at once: \(text)")
    }

    @Test func `an address of our own that has gone`() {
        let line = LogLine(probing: "x:1")
        #expect(line.kind == .probing && line.level == .debug)
        #expect(
            line.text == "this machine's address of the connection to x:1 has gone: the upstream is asked"
                + " whether it answers")
        #expect(line.assignments == ["UPSTREAM=x:1"])
    }

    @Test(
        arguments: [
            (.milliseconds(999), "999 ms"), (.microseconds(999_900), "999 ms"), (.seconds(1), "1.0 s"),
            (.milliseconds(9999), "9.9 s"), (.seconds(10), "10 s"), (.milliseconds(59_999), "59 s"),
            (.seconds(60), "1 min 0 s"), (.seconds(3599), "59 min 59 s"), (.seconds(3600), "1 h 0 min"),
            (.seconds(90 * 3600), "90 h 0 min"), (.nanoseconds(1), "0 ms"),
        ] as [(Duration, String)])
    func `a duration never claims more than has passed`(duration: Duration, text: String) {
        #expect(duration.text == text)
    }

    @Test func `every millisecond counts`() {
        for count in 0..<1000 { #expect(Duration.milliseconds(count).text == "\(count) ms") }
        for tenths in 10..<100 {
            #expect(Duration.milliseconds(tenths * 100).text == "\(tenths / 10).\(tenths % 10) s")
        }
    }
}
