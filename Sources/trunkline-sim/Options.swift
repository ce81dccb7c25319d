import Framing
import Linux
import TLS

/// What the command line asks for.
struct Options: Sendable {
    enum Action: Sendable {
        case serve
        case showHelp
        case showVersion
    }
    enum Address: Equatable, Sendable {
        case loopback(port: UInt16)
        case unix(path: String)
    }
    enum Message: Equatable, Sendable {
        case ais
        case counter
        case garbage
        case file(String)
    }
    enum AfterCount: String, CaseIterable, Sendable {
        case keep
        case close
        /// Our direction only.
        case halfClose = "half-close"
    }
    /// What a received message is answered with.
    enum Reply: Sendable {
        case echo
        case java
    }

    var action = Action.serve
    var address = Address.loopback(port: 0)
    var framing = Framing.line()
    var givenReceiveFraming: Framing?
    var message = Message.ais
    var givenSize: Int?
    var seed: UInt64 = 1
    /// Messages per second; 0 is as fast as possible.
    var rate = 10.0
    var count: Int?
    var afterCount = AfterCount.keep
    var firstNumber: UInt64 = 0
    var continuesNumbers = false
    var dropAfter: Int?
    var cut = 0
    var resets = false
    var connections: Int?
    var reply: Reply?
    /// A length to be sent without what it announces.
    var claim: UInt64?
    /// The most bytes of one segment.
    var chunk = Int.max
    /// From one segment to the next.
    var pause = Duration.zero
    var isSilent = false
    var reads = true
    var greeting: [UInt8] = []
    var recordPath: String?
    var receivedPath: String?
    var isVerbose = false
    var tlsCertificate: String?
    var tlsKey: String?
    var tlsClientCA: String?

    var receiveFraming: Framing { givenReceiveFraming ?? framing }

    /// Payload bytes of a counter message.
    var payloadSize: Int {
        if let givenSize { return givenSize }
        if case .fixed(let size) = framing { return size }
        return 64
    }

    /// Every default.
    init() {}

    /// Reads a command line: the program's name and what follows it.
    init(arguments: [String]) throws(UsageError) {
        let table = OptionTable.all
        let parsed = try CommandArguments(arguments, options: table.map(\.names))
        for given in parsed.options { try table[given.index].apply(given.value, &self) }
        guard case .serve = action else { return }
        guard parsed.operands.count == 1 else {
            throw UsageError("one ADDRESS is needed, \(parsed.operands.count) are given")
        }
        address = try Address(parsed.operands[0])
        if case .untilClose = framing { try sendOneMessage() }
        if let claim {
            guard case .length(let field) = framing, let bytes = field.bytes(of: claim) else {
                throw UsageError("--claim needs a framing length whose field can hold \(claim)")
            }
            greeting += bytes
            isSilent = true
            reply = nil
        }
        if tlsCertificate == nil, tlsKey != nil || tlsClientCA != nil {
            throw UsageError("--tls-key and --tls-client-ca need --tls-certificate")
        }
        if resets, case .unix = address {
            throw UsageError("only a TCP connection can be reset, not \(parsed.operands[0])")
        }
    }
}

extension Options {
    /// What ends a message is the end of its connection.
    private mutating func sendOneMessage() throws(UsageError) {
        guard count ?? 1 <= 1 else {
            throw UsageError("with --framing until-close a connection has one message, not \(count ?? 1)")
        }
        count = count ?? 1
        if afterCount == .keep { afterCount = .close }
    }

    /// What encrypts; `nil` when nothing does.
    func tlsServer() throws(StartError) -> TLSServer? {
        guard let tlsCertificate else { return nil }
        do throws(TLSError) {
            return try TLSServer(
                certificate: tlsCertificate, key: tlsKey ?? tlsCertificate, clientCA: tlsClientCA)
        } catch {
            throw StartError(description: error.message)
        }
    }
}

extension LengthField {
    /// The field's bytes; `nil` for a number that needs more.
    func bytes(of number: UInt64) -> [UInt8]? {
        let count = width.rawValue
        guard count == 8 || number >> UInt64(count * 8) == 0 else { return nil }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
        return order == .little ? bytes : bytes.reversed()
    }
}

extension Options.Address {
    init(_ text: String) throws(UsageError) {
        if text.hasPrefix("unix:/") {
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        let start = "127.0.0.1:"
        guard text.hasPrefix(start), let port = UInt16(text.dropFirst(start.count)) else {
            throw UsageError("'\(text)': an address is 127.0.0.1:PORT or unix:/PATH")
        }
        self = .loopback(port: port)
    }

    func socketAddress() throws(SystemError) -> SocketAddress {
        switch self {
        case .loopback(let port): .loopback(port: port)
        case .unix(let path): try .unix(path: path)
        }
    }
}

extension Options.Address: CustomStringConvertible {
    var description: String {
        switch self {
        case .loopback(let port): "127.0.0.1:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
