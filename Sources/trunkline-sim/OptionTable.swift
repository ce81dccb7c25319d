import Framing
import Linux

/// One option: its names and help, and what it does.
struct OptionTable: Sendable {
    let names: CommandOption
    let apply: @Sendable (String, inout Options) throws(UsageError) -> Void

    private init(
        _ name: String, _ short: Character? = nil, _ value: String? = nil, _ help: String,
        _ apply: @escaping @Sendable (String, inout Options) throws(UsageError) -> Void
    ) {
        names = CommandOption(name, short: short, value: value, help: help)
        self.apply = apply
    }

    /// Every option, in the order of the help.
    static let all = messages + pace + faults + behaviour + encryption + records + general

    static var help: String {
        """
        Usage: trunkline-sim [OPTION...] ADDRESS
        Simulates a server that sends messages to everyone who connects.

        ADDRESS is 127.0.0.1:PORT (port 0: a free one) or unix:/PATH. The first line on
        standard output is "listening on ADDRESS". SIGTERM and SIGINT end it, with
        status 0.


        """ + CommandOption.help(for: all.map(\.names)) + """

            FRAMING is line, delimiter:end=BYTES, length:bytes=1|2|3|4|8,order=big|little
            (4, big), varint, fixed:size=N, netstring, octet-counted, header,
            block:start=BYTES,end=BYTES, slip, cobs, beast, json, until-close or none. Its
            keys are those of a configuration. With until-close, each connection is closed
            after one message; with none, a --rate tells messages apart by time. BYTES and
            TEXT may hold the escapes of C: \\r, \\0, \\x1a, \\\\.

            Servers that misbehave:
              never read, never write      --no-read --silent
              close, or reset, at once     --drop-after 0 [--reset]
              greet and close              --greeting TEXT --drop-after 0
              break off inside a message   --drop-after N --cut BYTES
              end their direction only     --count N --then half-close
              send byte by byte; trickle   --chunk 1; --chunk 1 --pause 100
              flood                        --rate 0
              send garbage                 --message garbage --seed N
              claim an absurd length       --framing length:bytes=8 --claim N

            """
    }
}

// MARK: Groups

extension OptionTable {
    private static let messages = [
        OptionTable("framing", "f", "FRAMING", "how sent messages are framed (line)") {
            value, options throws(UsageError) in
            options.framing = try Framing(notation: value)
        },
        OptionTable("receive-framing", nil, "FRAMING", "how received messages are framed (as sent ones)") {
            value, options throws(UsageError) in
            options.givenReceiveFraming = try Framing(notation: value)
        },
        OptionTable(
            "message", "m", "KIND",
            "ais: position reports of a few ships; counter: a number, then filler; garbage: random bytes without framing (ais)"
        ) { value, options throws(UsageError) in
            switch value {
            case "ais": options.message = .ais
            case "counter": options.message = .counter
            case "garbage": options.message = .garbage
            default: throw UsageError("--message is ais, counter or garbage, not '\(value)'")
            }
        },
        OptionTable("file", nil, "FILE", "each line of FILE is a message, over and over") {
            value, options throws(UsageError) in
            options.message = .file(value)
        },
        OptionTable(
            "size", "s", "N", "bytes of a message of counter or garbage (64, or those of a fixed framing)"
        ) {
            value, options throws(UsageError) in
            options.givenSize = try number(value, "size", 1...Framing.longestMessage)
        },
        OptionTable("seed", nil, "N", "which ships there are, or which garbage (1)") {
            value, options throws(UsageError) in
            options.seed = try number(value, "seed", 0...UInt64.max)
        },
        OptionTable("greeting", "g", "TEXT", "send these bytes first, outside any message") {
            value, options throws(UsageError) in
            options.greeting = try unescaped(value)
        },
    ]

    private static let pace = [
        OptionTable("rate", "r", "N", "messages per second, 0 is as fast as possible (10)") {
            value, options throws(UsageError) in
            guard let rate = Double(value), rate == 0 || 0.001...1e9 ~= rate else {
                throw UsageError("--rate is 0, or a number from 0.001 to 1e9, not '\(value)'")
            }
            options.rate = rate
        },
        OptionTable("count", "n", "N", "messages for each connection, then no more") {
            value, options throws(UsageError) in
            options.count = try number(value, "count", 0...Int.max)
        },
        OptionTable(
            "then", nil, "WHAT",
            "after --count: keep, close or half-close the connection, which ends our direction only (keep)"
        ) {
            value, options throws(UsageError) in
            guard let what = Options.AfterCount(rawValue: value) else {
                throw UsageError("--then is keep, close or half-close, not '\(value)'")
            }
            options.afterCount = what
        },
        OptionTable("start-at", nil, "N", "number of the first message (0)") {
            value, options throws(UsageError) in
            options.firstNumber = try number(value, "start-at", 0...UInt64.max / 2)
        },
        OptionTable(
            "continue", nil, nil, "a new connection goes on with the first message not yet wholly sent"
        ) { _, options throws(UsageError) in
            options.continuesNumbers = true
        },
    ]

    private static let faults = [
        OptionTable("drop-after", "d", "N", "close each connection after N messages") {
            value, options throws(UsageError) in
            options.dropAfter = try number(value, "drop-after", 0...Int.max)
        },
        OptionTable(
            "cut", nil, "BYTES",
            "before closing, send the first BYTES bytes of one more message, never all of it"
        ) { value, options throws(UsageError) in
            options.cut = try number(value, "cut", 0...Framing.longestMessage)
        },
        OptionTable("reset", nil, nil, "close with a reset, once what was sent has arrived (TCP only)") {
            _, options throws(UsageError) in
            options.resets = true
        },
        OptionTable("chunk", nil, "BYTES", "send at most BYTES bytes at once (all)") {
            value, options throws(UsageError) in
            options.chunk = try number(value, "chunk", 1...Int.max)
        },
        OptionTable("pause", nil, "MS", "milliseconds from one chunk to the next (0)") {
            value, options throws(UsageError) in
            options.pause = .milliseconds(try number(value, "pause", 0...3_600_000))
        },
        OptionTable("claim", nil, "N", "send a length of N, as a framing length has it, and then nothing") {
            value, options throws(UsageError) in
            options.claim = try number(value, "claim", 0...UInt64.max)
        },
        OptionTable("connections", "c", "N", "end after N connections have ended") {
            value, options throws(UsageError) in
            options.connections = try number(value, "connections", 1...Int.max)
        },
    ]

    private static let behaviour = [
        OptionTable("echo", "e", nil, "send every received message back") { _, options throws(UsageError) in
            options.reply = .echo
        },
        OptionTable(
            "service", nil, "java",
            "answer as a Java server does: a request is two bytes, an action and an argument; the answer is a length of four bytes, big-endian, and a text in UTF-8"
        ) { value, options throws(UsageError) in
            guard value == "java" else { throw UsageError("--service is java, not '\(value)'") }
            options.useJavaService()
        },
        OptionTable("silent", "q", nil, "send no messages but answers") { _, options throws(UsageError) in
            options.isSilent = true
        },
        OptionTable("no-read", nil, nil, "never read") { _, options throws(UsageError) in
            options.reads = false
        },
    ]

    private static let encryption = [
        OptionTable(
            "tls-certificate", nil, "FILE", "speak TLS, with the certificate in FILE, which is PEM"
        ) { value, options throws(UsageError) in
            options.tlsCertificate = value
        },
        OptionTable("tls-key", nil, "FILE", "the certificate's key (in the same file)") {
            value, options throws(UsageError) in
            options.tlsKey = value
        },
        OptionTable("tls-client-ca", nil, "FILE", "demand certificates that one in FILE has signed") {
            value, options throws(UsageError) in
            options.tlsClientCA = value
        },
    ]

    private static let records = [
        OptionTable("record", nil, "FILE", "append each message that was wholly sent, and a line feed") {
            value, options throws(UsageError) in
            options.recordPath = value
        },
        OptionTable("received", nil, "FILE", "append each message received, and a line feed") {
            value, options throws(UsageError) in
            options.receivedPath = value
        },
        OptionTable("verbose", "v", nil, "tell of each connection on standard error") {
            _, options throws(UsageError) in
            options.isVerbose = true
        },
    ]

    private static let general = [
        OptionTable("help", "h", nil, "show this and exit") { _, options throws(UsageError) in
            options.action = .showHelp
        },
        OptionTable("version", nil, nil, "show the version and exit") { _, options throws(UsageError) in
            options.action = .showVersion
        },
    ]

    private static func number<N: FixedWidthInteger>(
        _ text: String, _ name: String, _ range: ClosedRange<N>
    ) throws(UsageError) -> N {
        guard let number = N(text), range ~= number else {
            let upper = range.upperBound == N.max ? "or more" : "to \(range.upperBound)"
            throw UsageError("--\(name) is a number, \(range.lowerBound) \(upper), not '\(text)'")
        }
        return number
    }
}
