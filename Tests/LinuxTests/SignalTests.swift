import Glibc
import Testing

@testable import Linux

/// Each in a process of its own: blocked signals and ignored ones are nobody else's.
struct SignalTests {
    @Test func `signals are read one after the other, and do nothing else`() async {
        await #expect(processExitsWith: .success) {
            _ = try SignalMask(unblocking: [SIGUSR2, SIGTERM])
            let signals = try Signals([SIGUSR2, SIGTERM])
            #expect(signals.next() == nil)
            pthread_kill(pthread_self(), SIGUSR2)
            pthread_kill(pthread_self(), SIGUSR2)
            pthread_kill(pthread_self(), SIGTERM)
            // One that is pending already is not counted twice; the lower number comes first.
            #expect([signals.next(), signals.next()] == [SIGUSR2, SIGTERM])
            #expect(signals.next() == nil)
        }
    }

    @Test func `a signal wakes the loop`() async {
        await #expect(processExitsWith: .success) {
            _ = try SignalMask(unblocking: [SIGUSR2])
            let signals = try Signals([SIGUSR2])
            let loop = try EventLoop()
            let ear = Ear()
            var heard: [Int32] = []
            ear.then = { while let signal = signals.next() { heard.append(signal) } }
            _ = try loop.add(signals.descriptor, for: .readable, handler: ear)
            try loop.turnAtOnce()
            #expect(heard.isEmpty)
            pthread_kill(pthread_self(), SIGUSR2)
            try loop.turn { !heard.isEmpty }
            #expect(heard == [SIGUSR2])
        }
    }

    @Test func `a broken pipe is an error, not a signal`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            _ = try Signals([])
            let pair = try Pair()
            pair.closeFar()
            #expect(throws: SystemError(call: "write", code: EPIPE)) { try pair.near.write([1].span) }
        }
    }

    @Test func `a signal not asked for keeps its effect`() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            _ = try SignalMask(unblocking: [SIGUSR1])
            _ = try Signals([SIGUSR2])
            pthread_kill(pthread_self(), SIGUSR1)
        }
    }
}
