import Framing
import Testing

@testable import Configuration

/// What speakers of each protocol send, as others have written it down, and what it holds.
@Suite struct PresetExampleTests {
    struct Example: Sendable {
        var name: String
        var source: String
        var stream: [UInt8]
        var messages: [[UInt8]]

        init(_ name: String, _ source: String, _ stream: [UInt8], holds messages: [[UInt8]]) {
            (self.name, self.source, self.stream, self.messages) = (name, source, stream, messages)
        }

        /// Lines, each with its end.
        init(_ name: String, _ source: String, _ lines: [String], end: String) {
            self.init(
                name, source, Array(lines.map { $0 + end }.joined().utf8), holds: lines.map { Array($0.utf8) }
            )
        }

        /// Messages that are handed on whole.
        init(_ name: String, _ source: String, whole messages: [[UInt8]]) {
            self.init(name, source, Array(messages.joined()), holds: messages)
        }
    }

    private static let lines = [
        Example(
            "nmea", "gpsinformation.org/dale/nmea.htm",
            ["$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"], end: "\r\n"),
        Example(
            "ais", "gpsd.gitlab.io/gpsd/AIVDM.html; with a TAG block: tests of github.com/adrianmo/go-nmea",
            [
                "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C",
                "!AIVDM,2,1,3,B,55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E53,0*3E",
                "!AIVDM,2,2,3,B,1@0000000000000,2*55",
                #"\s:Satelite_1,c:1553390539*62\!AIVDM,1,1,,A,13M@ah0025QdPDTCOl`K6`nV00Sv,0*52"#,
            ], end: "\r\n"),
        Example(
            "gpsd", "gpsd_json(5), VERSION",
            [
                #"{"class":"VERSION","version":"2.40dev","rev":"06f62e14eae9886cde907dae61c124c53eb1101f","#
                    + #""proto_major":3,"proto_minor":1}"#
            ], end: "\r\n"),
        Example(
            "sbs", "woodair.net/SBS/Article/Barebones42_Socket_Data.htm",
            [
                "STA,,5,179,400AE7,10103,2008/11/28,14:58:51.153,2008/11/28,14:58:51.153,RM",
                "MSG,3,5,211,4CA2D6,10057,2008/11/28,14:53:50.594,2008/11/28,14:58:51.153,,37000,,,51.45735,"
                    + "-1.02826,,,0,0,0,0",
            ], end: "\r\n"),
        Example("avr", "dump1090's README", ["*8D451E8B99019699C00B0A81F36E;"], end: "\n"),
        Example(
            "aprs-is",
            "aprs-is.net/Connecting.aspx; the packet: README of github.com/rossengeorgiev/aprs-python",
            [
                "# logresp N0CALL unverified, server T2EXAMPLE",
                #"M0XER-4>APRS64,TF3RPF,WIDE2*,qAR,TF3SUT-2:!/.(M4I^C,O `DXa/A=040849|#B>@"v90!+|"#,
            ], end: "\r\n"),
        Example(
            "syslog-lf", "RFC 3164, section 5.4, example 1",
            ["<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8"], end: "\n"),
        Example(
            "gelf-tcp", "Graylog's documentation, GELF Payload Specification",
            [
                #"{"version": "1.1", "host": "example.org", "short_message": "A short message that helps you"#
                    + #" identify what is going on", "timestamp": 1385053862.3072, "level": 1}"#
            ], end: "\0"),
        Example(
            "graphite", "Graphite's documentation, Feeding In Your Data",
            ["local.random.diceroll 4 1385053862"], end: "\n"),
        Example(
            "ndjson", "github.com/ndjson/ndjson-spec, section 2",
            [
                #"{"some":"thing"}"#, #"{"foo":17,"bar":false,"quux":true}"#,
                #"{"may":{"include":"nested","objects":["and","arrays"]}}"#,
            ], end: "\n"),
    ]

    private static let squitter: [UInt8] = [
        0x8D, 0x48, 0x40, 0xD6, 0x20, 0x2C, 0xC3, 0x71, 0xC3, 0x2C, 0xE0, 0x57, 0x60, 0x98,
    ]
    private static let health = Array(
        "MSH|^~\\&|MegaReg|XYZHospC|SuperOE|XYZImgCtr|20060529090131-0500||ADT^A01^ADT_A01|01052901|P|2.5\r"
            .utf8)
    private static let log = Array(
        "<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - 'su root' failed".utf8)

    private static let binary = [
        Example(
            "beast", "Sun, The 1090 Megahertz Riddle, section 3.1; framed as the source says",
            [0x1A, 0x33, 0, 0, 0x1A, 0x1A, 1, 2, 3, 0x7F] + squitter,
            holds: [[0x33, 0, 0, 0x1A, 1, 2, 3, 0x7F] + squitter]),
        Example(
            "asterix", "README of github.com/CroatiaControlLtd/asterix: category 48",
            whole: [
                [
                    0x30, 0x00, 0x30, 0xFD, 0xF7, 0x02, 0x19, 0xC9, 0x35, 0x6D, 0x4D, 0xA0, 0xC5, 0xAF, 0xF1,
                    0xE0, 0x02, 0x00, 0x05, 0x28, 0x3C, 0x66, 0x0C, 0x10, 0xC2, 0x36, 0xD4, 0x18, 0x20, 0x01,
                    0xC0, 0x78, 0x00, 0x31, 0xBC, 0x00, 0x00, 0x40, 0x0D, 0xEB, 0x07, 0xB9, 0x58, 0x2E, 0x41,
                    0x00, 0x20, 0xF5,
                ]
            ]),
        Example(
            "kiss", "en.wikipedia.org/wiki/KISS_(amateur_radio_protocol), packet examples",
            [0xC0, 0x00, 0x54, 0x45, 0x53, 0x54, 0xC0, 0xC0, 0x00, 0xDB, 0xDC, 0xDB, 0xDD, 0xC0],
            holds: [[0x00, 0x54, 0x45, 0x53, 0x54], [0x00, 0xC0, 0xDB]]),
        Example(
            "mllp", "en.wikipedia.org/wiki/Health_Level_7, an ADT message's header",
            [0x0B] + health + [0x1C, 0x0D], holds: [health]),
        Example(
            "modbus-tcp", "Modbus Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3",
            whole: [[0x15, 0x01, 0, 0, 0, 0x06, 0xFF, 0x03, 0, 0x04, 0, 0x01]]),
        Example(
            "tpkt", "Nmap's s7-info.nse: a request to connect, and an answer",
            whole: [
                [
                    0x03, 0x00, 0x00, 0x16, 0x11, 0xE0, 0x00, 0x00, 0x00, 0x14, 0x00, 0xC1, 0x02, 0x01, 0x00,
                    0xC2, 0x02, 0x01, 0x02, 0xC0, 0x01, 0x0A,
                ],
                [
                    0x03, 0x00, 0x00, 0x16, 0x11, 0xD0, 0x00, 0x05, 0x00, 0x10, 0x00, 0xC0, 0x01, 0x0A, 0xC1,
                    0x02, 0x01, 0x00, 0xC2, 0x02, 0x02, 0x00,
                ],
            ]),
        Example(
            "syslog-tcp", "RFC 6587, section 3.4.1; RFC 5424, section 6.5, example 1, shortened",
            Array("\(log.count) ".utf8) + log, holds: [log]),
        Example(
            "java-data-output", "java.io.DataOutput, writeUTF: as it says, of \"writeUTF\" and \"é\"",
            [0, 8] + Array("writeUTF".utf8) + [0, 2, 0xC3, 0xA9],
            holds: [Array("writeUTF".utf8), [0xC3, 0xA9]]),
        Example(
            "java-int", "java.io.DataOutput, writeInt: as it says, of 258 and as many bytes",
            [0, 0, 1, 2] + [UInt8](repeating: 0x61, count: 258), holds: [[UInt8](repeating: 0x61, count: 258)]
        ),
    ]

    private static let examples = lines + binary

    @Test func `every protocol has an example`() {
        #expect(Set(Self.examples.map(\.name)) == Set(Preset.all.map(\.name)))
    }

    @Test(arguments: examples.indices)
    func `what is sent is divided into the messages that it holds`(number: Int) throws {
        let example = Self.examples[number]
        let upstream = try read(file(upstream: "protocol: \(example.name)")).upstream
        for size in [example.stream.count, 1] {
            var stream = Reader(upstream)
            for start in Swift.stride(from: 0, to: example.stream.count, by: size) {
                try stream.receive(example.stream[start..<min(start + size, example.stream.count)])
            }
            #expect(stream.payloads == example.messages, "\(example.name): \(example.source)")
            #expect(stream.rest.isEmpty && !stream.hasSkipped, "\(example.name): \(example.source)")
        }
    }

    @Test(arguments: examples.indices)
    func `what clients send goes out as the protocol has it`(number: Int) throws {
        let example = Self.examples[number]
        let upstream = try read(file(upstream: "protocol: \(example.name)")).upstream
        var stream: [UInt8] = []
        for message in example.messages { try upstream.sendFraming.encode(message, into: &stream) }
        var reader = Reader(upstream)
        try reader.receive(stream[...])
        #expect(reader.payloads == example.messages)
        // A client's SLIP has an end before each packet, or has not.
        if example.name != "kiss" { #expect(stream == example.stream) }
    }
}

/// What a stream holds, as a bridge with these settings finds it.
private struct Reader: FrameSink {
    private(set) var payloads: [[UInt8]] = []
    private(set) var hasSkipped = false
    private(set) var rest: [UInt8] = []
    private let framing: Framing
    private var decoder: Decoder
    private var consumed = 0

    init(_ upstream: UpstreamSettings) {
        framing = upstream.framing
        decoder = Decoder(framing, limit: upstream.maxMessage, skipsOversize: upstream.oversize == .skip)
    }

    mutating func append(_ frame: Frame) {
        let bytes = Array(rest[consumed..<consumed + Int(frame.length)])
        var payload: [UInt8] = []
        framing.appendPayload(of: frame, in: bytes.span, to: &payload)
        payloads.append(payload)
        consumed += bytes.count
    }

    mutating func skip(_ count: Int, _ reason: SkipReason) {
        hasSkipped = true
        consumed += count
    }

    mutating func receive(_ bytes: ArraySlice<UInt8>) throws {
        rest += bytes
        let all = rest
        var decoder = decoder
        defer {
            self.decoder = decoder
            rest.removeFirst(consumed)
            consumed = 0
        }
        _ = try decoder.decode(all.span, atMost: .max, into: &self)
    }
}
