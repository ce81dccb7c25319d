import TestSupport
import Testing

@testable import Control

/// Messages on the wire, both ways.
struct MessageTests {
    @Test(arguments: seeds)
    func `messages are the same, however they are cut`(seed: UInt64) throws {
        var random = Seeded(seed)
        var stream: [UInt8] = []
        var sent: [[UInt8]] = []
        for _ in 0..<50 {
            let count = Int.random(in: 0...100, using: &random)
            let message = (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
            sent.append(message)
            stream += message + [0]
        }
        var buffer = MessageBuffer(limit: 100)
        var received: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...150, using: &random))
            buffer.append(piece)
            while let message = try buffer.next() { received.append(message) }
            rest = rest.dropFirst(piece.count)
        }
        #expect(received == sent)
    }

    @Test(arguments: [[100, 1], [50, 51], [0, 101], [1, 100]])
    func `a message that is too long is found before it is whole`(pieces: [Int]) throws {
        var buffer = MessageBuffer(limit: 100)
        for count in pieces.dropLast() {
            buffer.append([UInt8](repeating: 0x61, count: count))
            #expect(try buffer.next() == nil)
        }
        buffer.append([UInt8](repeating: 0x61, count: pieces.last ?? 0))
        #expect(throws: ControlError.malformed) { try buffer.next() }
    }

    @Test func `a message that is too long and whole is refused, and those before it are not`() throws {
        var buffer = MessageBuffer(limit: 3)
        buffer.append(Array("one\0four\0".utf8))
        #expect(try buffer.next() == Array("one".utf8))
        #expect(throws: ControlError.malformed) { try buffer.next() }
    }

    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `replies are objects that end with a NUL`() {
        #expect(text(Reply.success) == #"{"parameters":{}}"# + "\0")
        #expect(text(Reply.success(["a": 1], continues: true)).hasSuffix("}\0"))
        #expect(text(Reply.success(["a": 1], continues: true)).contains(#""continues":true"#))
    }

    @Test(
        arguments: [
            (.interfaceNotFound("a"), "org.varlink.service.InterfaceNotFound", #"{"interface":"a"}"#),
            (.methodNotFound("a.B"), "org.varlink.service.MethodNotFound", #"{"method":"a.B"}"#),
            (.invalidParameter("x"), "org.varlink.service.InvalidParameter", #"{"parameter":"x"}"#),
            (.noSuchClient(7), "org.trunkline.Bridge.NoSuchClient", #"{"client":7}"#),
            (.permissionDenied, "org.varlink.service.PermissionDenied", "{}"),
            (.expectedMore, "org.varlink.service.ExpectedMore", "{}"),
        ] as [(ControlError, String, String)])
    func `errors have their names and parameters`(error: ControlError, name: String, parameters: String) {
        let reply = text(Reply.failure(error))
        #expect(reply.contains(#""error":"\#(name)""#) && reply.contains(#""parameters":\#(parameters)"#))
    }

    @Test func `an error is never taken for an answer`() throws {
        let error = #expect(throws: Refusal.self) {
            try Answer<[String: Int]>(Reply.failure(.noSuchClient(7)).dropLast())
        }
        #expect(error == Refusal(error: "org.trunkline.Bridge.NoSuchClient"))
        #expect(throws: Refusal.self) { try Answer<[String: Int]>(Array("garbage".utf8)) }
    }

    @Test(arguments: [0, 1, 3])
    func `a description in pieces is one object`(clients: Int) throws {
        let bridge = Sample.bridge
        var writer = DescriptionWriter()
        var bytes = writer.head(bridge)
        let all = (0..<clients).map { Sample.client($0 + 1) }
        for client in all { bytes += writer.client(client) }
        bytes += writer.tail
        #expect(bytes.last == 0)
        let answer = try Answer<Description>(bytes.dropLast())
        #expect(answer.parameters == Description(bridge: bridge, clients: all))
    }
}

enum Sample {
    static let rates = RatesDescription(
        second: RateDescription(messages: 1, bytes: 100),
        tenSeconds: RateDescription(messages: 0.5, bytes: 50),
        minute: RateDescription(messages: 0, bytes: 0))
    static let bridge = BridgeDescription(
        name: "ais", version: "1", pid: 7, since: 1, status: "waiting", configuration: "upstream:\n",
        logLevel: "info",
        uplink: UplinkDescription(
            state: .waiting, upstream: "host:1", since: 2, reason: "\"quoted\" – € 😀", nextAttempt: 3,
            attempts: 4, connections: 5,
            addresses: [AddressDescription(address: "192.0.2.1:1", reason: "why")]),
        received: AmountDescription(messages: 1, bytes: 2), sent: AmountDescription(messages: 3, bytes: 4),
        receiveRates: rates, sendRates: rates,
        counters: [CounterDescription(reason: "cut-off", times: 1, messages: 0, bytes: 5)],
        buffer: FillDescription(used: 6, size: 7), outbox: FillDescription(used: 8, size: 9),
        sockets: [SocketDescription(name: "default", path: "/run/a.sock", clients: 1, trouble: nil)])

    static func client(_ number: Int) -> ClientDescription {
        let amount = AmountDescription(messages: number, bytes: 10 * number)
        return ClientDescription(
            number: number, socket: "default", pid: 1, uid: 2, command: number == 2 ? nil : "cat", since: 9,
            lag: amount, sent: amount, received: amount, missed: amount, skipping: number == 3)
    }
}
