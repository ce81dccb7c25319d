import Control
import Linux
import TestSupport
import Testing

@testable import trunklinectl

/// The test plays the bridge.
@Suite struct BridgeFeedTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let feed: BridgeFeed

    init() throws {
        directory = try TemporaryDirectory()
        path = directory("ais.control")
        feed = BridgeFeed(name: "ais", path: path)
    }

    /// What has been reported, in words.
    private func words(_ reports: [BridgeFeed.Report]) -> [String] {
        reports.map { report in
            switch report {
            case .described(let description): "described \(description.bridge.name)"
            case .reconnecting: "reconnecting"
            case .refused(let refusal): "refused \(refusal.error)"
            case .lost(let contact): "lost \(contact)"
            }
        }
    }

    private func accept(_ listener: borrowing FileDescriptor) throws -> FileDescriptor {
        guard let connection = try listener.accept() else { throw NobodyWaits() }
        return connection
    }

    private struct NobodyWaits: Error {}

    /// Closes the bridge's end; returns once the feed can know: a process that another test is just starting has it, too, until
    /// it is a program of its own.
    private func hangUp(_ connection: consuming FileDescriptor) throws {
        _ = consume connection
        let deadline = ContinuousClock.now + .seconds(20) * slowdown
        while try Poll.wait(for: [feed.request], atMost: .milliseconds(100))[0].isDisjoint(with: .hangup) {
            try #require(ContinuousClock.now < deadline, "the bridge's end is still open")
        }
    }

    /// The questions that a connection has brought.
    private func questions(_ connection: borrowing FileDescriptor) throws -> [Request] {
        var chunk = [UInt8](repeating: 0, count: 4096)
        var free = chunk.mutableSpan
        guard case .moved(let count) = try connection.receive(into: &free) else { return [] }
        return try chunk[..<count].split(separator: 0).map { try Call(Array($0)).request.get() }
    }

    private func send(_ reply: [UInt8], _ connection: borrowing FileDescriptor) throws {
        try connection.sendAll(reply.span)
    }

    private let answer = Reply.success(TopFixture.description("ais"))

    @Test func `a bridge without a socket is not running`() {
        #expect(words(feed.describe()) == ["lost notRunning"])
    }

    @Test func `one that hangs is asked once, and not waited for`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        for _ in 0..<5 { #expect(words(feed.describe()) == []) }
        let connection = try accept(listener)
        #expect(try questions(connection) == [.describe])
        try send(answer, connection)
        #expect(words(feed.advance()) == ["described ais"])
        #expect(words(feed.describe()) == [])
        #expect(try questions(connection) == [.describe])
    }

    @Test func `an answer may come in pieces`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.describe()
        let connection = try accept(listener)
        try send(Array(answer.prefix(100)), connection)
        #expect(words(feed.advance()) == [])
        try send(Array(answer.dropFirst(100)), connection)
        #expect(words(feed.advance()) == ["described ais"])
    }

    @Test func `answers belong to questions in their order`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.reconnect() + feed.describe() + feed.reconnect()
        let connection = try accept(listener)
        #expect(try questions(connection) == [.reconnect, .describe, .reconnect])
        try send(Reply.success + answer + Reply.failure(.permissionDenied), connection)
        #expect(
            words(feed.advance())
                == ["reconnecting", "described ais", "refused org.varlink.service.PermissionDenied"])
    }

    @Test func `whose place was given away asks anew`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.describe()
        do {
            let first = try accept(listener)
            try send(answer, first)
            #expect(words(feed.advance()) == ["described ais"])
            try hangUp(first)
        }
        #expect(words(feed.advance()) == [])
        let second = try accept(listener)
        #expect(try questions(second) == [.describe])
        try send(answer, second)
        #expect(words(feed.advance()) == ["described ais"])
    }

    @Test func `a bridge that has ended is not running`() throws {
        do {
            let listener = try FileDescriptor.listening(on: .unix(path: path))
            _ = feed.describe()
            let connection = try accept(listener)
            try send(answer, connection)
            #expect(words(feed.advance()) == ["described ais"])
            // Nobody gets through any more, even if a process that another test is just starting still has it.
            try listener.shutDown(.reading)
            try hangUp(connection)
        }
        #expect(words(feed.advance()) == ["lost notRunning"])
        #expect(words(feed.describe()) == ["lost notRunning"])
    }

    @Test func `one that closes without an answer is not asked again and again`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.describe()
        try hangUp(accept(listener))
        let reports = words(feed.advance())
        #expect(reports.count == 1 && reports[0].hasPrefix("lost failed"), "\(reports)")
    }

    @Test(arguments: ["garbage\0", "{}\0", #"{"error":"a.B","parameters":{}}"# + "\0"])
    func `what is no description is a failure`(reply: String) throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.describe()
        let connection = try accept(listener)
        try send(Array(reply.utf8), connection)
        let reports = words(feed.advance())
        #expect(reports.count == 1 && reports[0].hasPrefix("lost failed"), "\(reports)")
    }

    @Test func `what was not asked for is a failure`() throws {
        let listener = try FileDescriptor.listening(on: .unix(path: path))
        _ = feed.describe()
        let connection = try accept(listener)
        try send(answer + answer, connection)
        #expect(
            words(feed.advance()) == ["described ais", "lost failed(\"it answers what it was not asked\")"])
    }
}
