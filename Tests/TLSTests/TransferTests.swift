import TestSupport
import Testing

@testable import TLS

/// Bytes in and bytes out, and how a connection ends.
@Suite struct TransferTests {
    private let authority = CertificateAuthority()
    private let directory: TemporaryDirectory
    private let client: TLSClient

    init() throws {
        directory = try TemporaryDirectory()
        client = TLSClient(.init(caFile: try directory.write(authority.certificate, to: "ca")))
    }

    private func connected(tickets: Int = 2, isOld: Bool = false) throws -> Pair {
        let server = try TLSPeer.Server(authority.issue(), tickets: tickets, isOld: isOld)
        let pair = try Pair(client, server, in: directory)
        #expect(try pair.handshake() == .done)
        return pair
    }

    @Test(arguments: [(1, 600), (7, 20_000), (1 << 14, 100_000)])
    func `what is received is what was sent, whatever the records' sizes`(size: Int, count: Int) throws {
        let pair = try connected()
        let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try pair.server.send(sent, recordSize: size)
        let (end, received) = pair.receiveAll()
        #expect(received == sent && end == .wouldBlock)
        #expect(!pair.session.hasMore)
    }

    @Test func `what does not fit is not told of by the socket, but by the session`() throws {
        let pair = try connected()
        try pair.server.send(Array(repeating: 7, count: 50_000))
        var count = 0
        while count < 50_000 {
            let bytes = pair.receive(atMost: 100).bytes
            #expect(bytes.count == 100)
            count += bytes.count
            if count < 50_000 { #expect(pair.session.hasMore) }
        }
        #expect(pair.receive().received == .wouldBlock)
        #expect(!pair.session.hasMore)
    }

    @Test func `one read does not go on for ever through tiny records`() throws {
        let pair = try connected()
        try pair.server.send(Array(repeating: 7, count: 1000), recordSize: 1)
        let first = pair.receive(atMost: 1 << 16).bytes.count
        #expect(first < 1000 && pair.session.hasMore)
        #expect(pair.receiveAll().bytes.count == 1000 - first)
    }

    @Test func `only bytes of whole records are gone`() throws {
        let pair = try connected()
        let bytes = [UInt8](repeating: 7, count: 100_000)
        #expect(pair.seal(bytes) == 4 << 14)
        let total = pair.session.withOutput { $0.count }
        #expect(total > 4 << 14 && total < (4 << 14) + 400)
        // All of the first record but a byte, then that byte.
        let record = total / 4
        #expect(pair.session.moved(record - 1) == 0)
        #expect(pair.session.moved(1) == 1 << 14)
        #expect(pair.session.moved(record * 3 - 1) == 2 << 14)
        #expect(!pair.session.isOutputEmpty && pair.session.hasSealed)
        #expect(pair.session.moved(1) == 1 << 14)
        #expect(pair.session.isOutputEmpty && !pair.session.hasSealed)
    }

    @Test func `what does not count is sent, and not told of`() throws {
        let pair = try connected()
        #expect(pair.seal([1, 2], counts: false) == 2)
        #expect(!pair.session.isOutputEmpty && !pair.session.hasSealed)
        #expect(try pair.flush() == 0)
        #expect(try pair.server.receiveNow() == [1, 2])
    }

    @Test func `a server that says that it ends, and one that does not`() throws {
        let polite = try connected()
        try polite.server.send([1])
        try polite.server.closeNotify()
        #expect(polite.receiveAll() == (.ended, [1]))
        #expect(polite.receive().received == .ended)
        let rude = try connected()
        try rude.server.send([1])
        rude.cut()
        #expect(rude.receiveAll() == (.truncated, [1]))
        #expect(rude.receive().received == .truncated)
    }

    @Test func `a record that is cut off gives nothing, and one that was changed ends the connection`() throws
    {
        let cut = try connected()
        let record = cut.server.seal(Array(repeating: 7, count: 100))
        try cut.server.sendRaw(Array(record.dropLast()))
        cut.cut()
        #expect(cut.receiveAll() == (.truncated, []))
        let changed = try connected()
        var other = changed.server.seal(Array(repeating: 7, count: 100))
        other[50] ^= 1
        try changed.server.sendRaw(other)
        guard case .failed(let error) = changed.receiveAll().end else {
            Issue.record("taken")
            return
        }
        #expect(error.message.hasPrefix("TLS was broken off: "))
    }

    @Test func `we say that we end`() throws {
        let pair = try connected()
        pair.session.shutDown()
        try pair.flush()
        #expect(try pair.server.receiveNow() == nil)
    }

    @Test func `new keys are taken, and answered`() throws {
        let pair = try connected()
        for round in 0..<3 as Range<UInt8> {
            try pair.server.updateKey()
            try pair.server.send([round])
            #expect(pair.receiveAll().bytes == [round])
            #expect(pair.seal([round]) == 1)
            #expect(try pair.flush() == 1)
            #expect(try pair.server.receiveNow() == [round])
        }
    }

    @Test func `a server that asks for new keys and takes no answer is left`() throws {
        let pair = try connected()
        // Nothing of what is said to that is sent.
        for _ in 0..<10_000 {
            try pair.server.updateKey()
            if case .failed(let error) = pair.receive().received {
                #expect(!error.isLasting && error.message.contains("takes none of the answers"))
                return
            }
        }
        Issue.record("answered without end")
    }

    @Test(arguments: [false, true])
    func `the next connection goes on with the session of the last, however that ended`(isOld: Bool) throws {
        let server = try TLSPeer.Server(authority.issue(), isOld: isOld)
        for round in 0..<4 {
            let pair = try Pair(client, server, in: directory)
            #expect(try pair.handshake() == .done)
            #expect(pair.session.details?.isResumed == (round > 0))
            #expect(pair.session.details?.certificate?.subject == "CN=server")
            try pair.server.send([1])
            _ = pair.receiveAll()
            if round % 2 == 0 { try pair.server.closeNotify() }
            pair.cut()
            _ = pair.receiveAll()
        }
    }

    @Test func `a session is forgotten when a file has changed, and is not of another server's name`() throws
    {
        let server = try TLSPeer.Server(authority.issue())
        func isResumed(_ name: String = "localhost") throws -> Bool? {
            let pair = try Pair(client, server, name: name, in: directory)
            #expect(try pair.handshake() == .done)
            _ = pair.receiveAll()
            return pair.session.details?.isResumed
        }
        #expect(try isResumed() == false)
        #expect(try isResumed() == true)
        #expect(try isResumed("127.0.0.1") == false)
        try directory.write(authority.certificate + "\n", to: "ca")
        #expect(try isResumed() == false)
        try directory.write(CertificateAuthority("Other").certificate, to: "ca")
        guard case .failed = try Pair(client, server, in: directory).handshake() else {
            Issue.record("a session of who is not trusted any more")
            return
        }
    }

    @Test func `many tickets are nothing to be read, and end nothing`() throws {
        let pair = try connected(tickets: 0)
        for _ in 0..<150 { try pair.server.sendTicket() }
        #expect(pair.receiveAll() == (.wouldBlock, []))
    }
}
