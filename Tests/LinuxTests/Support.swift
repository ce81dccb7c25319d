import Glibc
import Linux
import TestSupport
import Testing

@testable import class Linux.EventLoop

/// Two connected stream sockets.
final class Pair {
    let near: FileDescriptor
    private var farEnd: FileDescriptor?

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        near = FileDescriptor(owning: ends[0])
        farEnd = FileDescriptor(owning: ends[1])
    }

    func withFar<R>(_ body: (borrowing FileDescriptor) throws -> R) throws -> R {
        guard let end = farEnd.take() else { throw Missing(what: "the far end is closed") }
        do {
            let result = try body(end)
            farEnd = consume end
            return result
        } catch {
            farEnd = consume end
            throw error
        }
    }

    /// Returns once the near end knows.
    func closeFar(sourceLocation: SourceLocation = #_sourceLocation) {
        farEnd = nil
        let isClosed = waitForHangUp(of: near.raw)
        #expect(isClosed, "the far end is still open", sourceLocation: sourceLocation)
    }

    /// Bytes for the near end to receive.
    func sendFromFar(_ bytes: [UInt8]) throws {
        #expect(try withFar { try $0.send(bytes.span) } == .moved(bytes.count))
    }
}

struct Missing: Error {
    let what: String
}

extension FileDescriptor {
    /// What one receive did, and what came.
    borrowing func receive(upTo count: Int) throws -> (Transfer, [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let transfer = try receive(into: &span)
        guard case .moved(let moved) = transfer else { return (transfer, []) }
        // Swift 6.3, optimising, frees a copy of the slice that no caller uses before it has filled it.
        bytes.removeLast(count - moved)
        return (transfer, bytes)
    }

    borrowing func option(_ level: Int32, _ name: Int32) -> Int32 {
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(raw, level, name, &value, &size) == 0 ? value : -1
    }
}

/// Notes what it is told, and does what the test wants done then.
final class Ear: ReadinessHandler, TimerHandler, TurnTaker {
    private(set) var heard: [Readiness] = []
    private(set) var fired: [TimerID] = []
    private(set) var turns = 0
    var then: () -> Void = {}
    var hasMore: () -> Bool = { false }

    func becameReady(_ readiness: Readiness) {
        heard.append(readiness)
        then()
    }

    func timerFired(_ timer: TimerID) {
        fired.append(timer)
        then()
    }

    func takeTurn() -> Bool {
        turns += 1
        then()
        return hasMore()
    }
}

extension EventLoop {
    /// Turns until `condition` holds; gives up after a while.
    ///
    /// - Returns: how many turns that took.
    @discardableResult
    func turn(
        for patience: Duration = .seconds(20) * slowdown, sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) throws -> Int {
        let deadline = Ear()
        let timer = arm(at: .now + patience, handler: deadline)
        defer { disarm(timer) }
        var turns = 0
        while !condition() {
            try #require(deadline.fired.isEmpty, "waited for \(patience)", sourceLocation: sourceLocation)
            try turn()
            turns += 1
        }
        return turns
    }

    /// Makes so many turns without waiting.
    func turnAtOnce(_ count: Int = 1) throws {
        let taker = Ear()
        for _ in 0..<count {
            requestTurn(taker)
            try turn()
        }
    }
}

/// Runs `body` on a thread of its own, which the tests' own threads cannot starve.
func onThread(_ body: @escaping @Sendable () -> Void) throws {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        }, box.toOpaque())
    if code != 0 { box.release() }
    try #require(code == 0)
    pthread_detach(thread)
}

/// Lets signals reach this thread, which belongs to a pool that blocks most of them.
struct SignalMask {
    private var before = sigset_t()

    init(unblocking signals: [Int32]) throws {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        try #require(pthread_sigmask(SIG_UNBLOCK, &mask, &before) == 0)
    }

    func restore() {
        var mask = before
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }
}
