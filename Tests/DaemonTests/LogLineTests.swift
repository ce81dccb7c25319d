import Framing
import Systemd
import Testing
import Uplink

@testable import Bridge
@testable import Daemon
@testable import Linux

/// The log's words, exactly.
struct LogLineTests {
    static let client = ClientIdentity(number: 7, socket: "default", pid: 1234, uid: 1000)

    @Test(
        arguments: [
            (.closed, .info, "client 7 of default (pid 1234, uid 1000) closed its connection"),
            (
                .behind(bytes: 4096), .warning,
                "client 7 of default (pid 1234, uid 1000) disconnected: it was 4096 bytes behind and held the"
                    + " others up for longer than its patience"
            ),
            (
                .framing(.tooLong(limit: 100)), .warning,
                "client 7 of default (pid 1234, uid 1000) disconnected: it sent garbage: a message is longer than"
                    + " max-message (100 bytes)"
            ),
            (
                .failed(SystemError(call: "send", code: 12)), .warning,
                "client 7 of default (pid 1234, uid 1000) disconnected: send: Cannot allocate memory (errno 12)"
            ),
            (.stopped, .info, "client 7 of default (pid 1234, uid 1000) disconnected: the daemon stops"),
        ] as [(LeaveReason, LogLevel, String)])
    func `a client that is gone`(reason: LeaveReason, level: LogLevel, text: String) {
        #expect(LogLine(left: Self.client, reason) == LogLine(level, text))
    }

    @Test func `a client that misses messages`() {
        #expect(
            LogLine(fellBehind: Self.client, bytes: 4096)
                == LogLine(
                    .warning,
                    "client 7 of default (pid 1234, uid 1000) is 4096 bytes behind and held the others up for longer"
                        + " than its patience: it misses messages until it has caught up"))
        let missed = [true, false].map { hasCaughtUp in
            LogLine(missed: Amount(messages: 1, bytes: 10), by: Self.client, hasCaughtUp: hasCaughtUp)
        }
        #expect(
            missed == [
                LogLine(
                    .notice,
                    "client 7 of default (pid 1234, uid 1000) has caught up: it missed 1 message (10 bytes)"),
                LogLine(
                    .notice,
                    "client 7 of default (pid 1234, uid 1000) never caught up: it missed 1 message (10 bytes)"
                ),
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
        #expect(
            told == [
                LogLine(
                    .info,
                    "discarded 2 messages (10 bytes) of a message that the end of the connection cut off"),
                LogLine(
                    .info,
                    "discarded 2 messages (10 bytes) of a message that a client began and never finished"),
                LogLine(.warning, "discarded 2 messages (10 bytes) from clients, for the upstream is away"),
                LogLine(.warning, "discarded 2 messages (10 bytes) from clients of a socket with send: no"),
                LogLine(
                    .info,
                    "discarded 2 messages (10 bytes) for clients that read too slowly (when-behind: drop)"),
                LogLine(
                    .warning,
                    "discarded 2 messages (10 bytes) from clients that the upstream had not taken when the daemon"
                        + " stopped"),
            ])
    }

    @Test func `the totals tell only of what was thrown away`() {
        var totals = Totals()
        #expect(totals.text == "received 0 messages (0 bytes), sent 0 messages (0 bytes)")
        totals.received = Amount(messages: 1, bytes: 20)
        totals.sent = Amount(messages: 2, bytes: 9)
        totals.discard(Amount(bytes: 3), .unfinished)
        totals.discard(Amount(bytes: 4), .unfinished)
        totals.discard(Amount(messages: 1, bytes: 5), .stopped)
        #expect(
            totals.text
                == "received 1 message (20 bytes), sent 2 messages (9 bytes), discarded 7 bytes of a message that a"
                + " client began and never finished, discarded 1 message (5 bytes) from clients that the upstream"
                + " had not taken when the daemon stopped")
    }

    @Test(
        arguments: [
            (.unresolved("no such name"), "cannot resolve x:1: no such name"),
            (.resolutionTimedOut, "cannot resolve x:1: no answer within connect-timeout"),
            (.connectTimedOut, "cannot connect to x:1: no answer within connect-timeout"),
            (.system(call: "connect", errno: 111), "cannot connect to x:1: Connection refused (errno 111)"),
        ] as [(Uplink.Reason, String)])
    func `why there is no connection`(reason: Uplink.Reason, text: String) {
        #expect(reason.text(address: "x:1", wasReady: false) == text)
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
