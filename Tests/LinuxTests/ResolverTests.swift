import Glibc
import Testing

@testable import Linux

struct ResolverTests {
    let loop: EventLoop

    init() throws { loop = try EventLoop() }

    /// Waits for so many answers.
    func answers(of resolver: Resolver, _ count: Int) throws -> [Resolution] {
        let ear = Ear()
        var answers: [Resolution] = []
        ear.then = { answers += resolver.answers.takeAll() }
        let registration = try loop.add(resolver.answers, handler: ear)
        defer { loop.remove(registration) }
        // A name server that does not answer costs 5 s for each try.
        try loop.turn(for: .seconds(60)) { answers.count >= count }
        #expect(answers.count == count)
        return answers
    }

    @Test(arguments: [
        ("127.0.0.1", ["127.0.0.1:10110"]), ("192.0.2.7", ["192.0.2.7:10110"]),
        ("2001:db8::1", ["[2001:db8::1]:10110"]), ("::1", ["[::1]:10110"]),
    ])
    func `an address in digits is its own, whatever this machine has configured`(
        host: String, addresses: [String]
    ) throws {
        let resolver = try Resolver()
        resolver.resolve(host: host, port: 10110, ticket: 7)
        let answer = try answers(of: resolver, 1)[0]
        #expect(answer.ticket == 7)
        #expect(try answer.result.get().map(\.description) == addresses)
    }

    @Test func `localhost is this machine`() throws {
        let resolver = try Resolver()
        resolver.resolve(host: "localhost", port: 80, ticket: 1)
        let found = try answers(of: resolver, 1)[0].result.get().map(\.description)
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { $0 == "127.0.0.1:80" || $0 == "[::1]:80" })
        #expect(Set(found).count == found.count, "each address once, not once for each type of socket")
    }

    @Test(arguments: ["nonexistent.invalid", "", "a..b"])
    func `a name that does not exist is told in the resolver's words`(host: String) throws {
        let answer = try answer(for: host)
        #expect(answer.ticket == 3)
        guard case .failure(let error) = answer.result, case .unknown(let words) = error else {
            Issue.record("\(answer.result)")
            return
        }
        #expect(words.count > 5)
        #expect("\(error)" == words && error.isOfName)
    }

    /// Asks, and asks again while name servers do not answer in time.
    private func answer(for host: String) throws -> Resolution {
        let resolver = try Resolver()
        var answer: Resolution
        var attempts = 0
        repeat {
            resolver.resolve(host: host, port: 80, ticket: 3)
            answer = try answers(of: resolver, 1)[0]
            attempts += 1
        } while isUnanswered(answer) && attempts < 5
        return answer
    }

    private func isUnanswered(_ answer: Resolution) -> Bool {
        if case .failure(.failed) = answer.result { true } else { false }
    }

    @Test func `four look-ups wait at most, a fifth is refused at once, and one that ends makes room`() throws
    {
        let gate = try Gate()
        let resolver = try Resolver { host, port in
            gate.pass()
            return .success([.loopback(port: port)])
        }
        for ticket in UInt64(1)...4 {
            resolver.resolve(host: "blocked", port: UInt16(ticket), ticket: ticket)
        }
        for ticket in UInt64(5)...6 { resolver.resolve(host: "refused", port: 1, ticket: ticket) }
        let refused = try answers(of: resolver, 2)
        #expect(refused.map(\.ticket) == [5, 6])
        for answer in refused {
            #expect(throws: ResolverError.busy(limit: 4)) { try answer.result.get() }
        }
        #expect(
            "\(ResolverError.busy(limit: 4))" == "4 earlier look-ups still wait for a name server")

        gate.open(1)
        var done = try answers(of: resolver, 1)
        resolver.resolve(host: "blocked", port: 7, ticket: 7)
        resolver.resolve(host: "refused", port: 8, ticket: 8)
        #expect(try answers(of: resolver, 1).map(\.ticket) == [8])
        gate.open(4)
        done += try answers(of: resolver, 4)
        #expect(done.map(\.ticket).sorted() == [1, 2, 3, 4, 7])
        for answer in done {
            #expect(try answer.result.get().map(\.description) == ["127.0.0.1:\(answer.ticket)"])
        }
    }

    /// Lets so many through as it is told to.
    final class Gate: Sendable {
        private let reading: FileDescriptor
        private let writing: FileDescriptor

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            reading = FileDescriptor(owning: ends[0])
            writing = FileDescriptor(owning: ends[1])
        }

        func pass() {
            var bytes: [UInt8] = [0]
            var span = bytes.mutableSpan
            #expect(throws: Never.self) { _ = try reading.read(into: &span) }
        }

        func open(_ count: Int) {
            #expect(throws: Never.self) { _ = try writing.write([UInt8](repeating: 0, count: count).span) }
        }
    }

    @Test func `digits are told from names`() {
        #expect(SocketAddress.numeric(host: "192.0.2.1", port: 80)?.description == "192.0.2.1:80")
        #expect(SocketAddress.numeric(host: "2001:db8::1", port: 80)?.description == "[2001:db8::1]:80")
        #expect(SocketAddress.numeric(host: "localhost", port: 80) == nil)
        #expect(SocketAddress.numeric(host: "", port: 80) == nil)
    }
}
