/// Every protocol that is known by name: the one place that says what each needs, and where that is written.
/// `upstream.protocol`, the help and docs/PROTOCOLS.md come from it.
///
/// A feed is not made anew because of one garbled line (`oversize: skip`), and lines may be longer than their standards want
/// them, for software sends such. Silence ends a connection (`idle-timeout`) only where something is sent at known intervals.
extension Preset {
    private static let crlf = "{kind: line, ending: crlf}"

    static let all = navigation + aviation + radio + industry + logs + general

    private static let navigation = [
        Preset(
            "nmea", "NMEA 0183 sentences", port: 10110,
            ["upstream.framing": crlf, "upstream.max-message": "4K", "upstream.oversize": "skip"],
            source: "NMEA 0183 (IEC 61162-1): at most 82 characters, CR LF among them; port: IANA"),
        Preset(
            "ais", "AIS in NMEA sentences, also with TAG blocks", port: 10110,
            [
                "upstream.framing": crlf, "upstream.max-message": "4K", "upstream.oversize": "skip",
                "upstream.idle-timeout": "10min",
            ],
            source:
                "IEC 61162-1 (VDM, VDO), NMEA 0183 4.10 (TAG blocks); ITU-R M.1371-5, annex 1, tables 1 and 2: "
                + "stations report every 3 min at least"),
        Preset(
            "gpsd", "gpsd's reports, for which it is asked", port: 2947,
            [
                "upstream.framing": crlf, "upstream.max-message": "16K",
                "upstream.on-connect": #"[{send: '?WATCH={"enable":true,"json":true};\n'}]"#,
            ],
            source: "gpsd_json(5): JSON objects that end with CR LF, 10240 characters at most; ?WATCH"),
    ]

    private static let aviation = [
        Preset(
            "sbs", "aircraft, as BaseStation has them", port: 30003,
            ["upstream.framing": crlf, "upstream.max-message": "4K", "upstream.oversize": "skip"],
            source: "woodair.net/SBS/Article/Barebones42_Socket_Data.htm: the lines, and the port; "
                + "live-military-mode-s.eu, post 3104: CR LF"),
        Preset(
            "avr", "Mode S messages in hexadecimal", port: 30002,
            ["upstream.framing": "line", "upstream.max-message": "4K", "upstream.oversize": "skip"],
            source: "dump1090's README (raw output): *…; and LF"),
        Preset(
            "beast", "Mode S messages in binary", port: 30005, ["upstream.framing": "beast"],
            source:
                "wiki.jetvision.de/wiki/Mode-S_Beast:Data_Output_Formats; port: dump1090's option --net-bo-port"
        ),
        Preset(
            "asterix", "radar data, a block each",
            ["upstream.framing": "{kind: length, bytes: 2, offset: 1, adjust: -3}"],
            source:
                "EUROCONTROL-SPEC-0149 (ASTERIX, part 1): category, and two bytes that count the whole block"),
    ]

    private static let radio = [
        Preset(
            "aprs-is", "APRS-IS; the login is yours, in on-connect", port: 14580,
            [
                "upstream.framing": crlf, "upstream.max-message": "4K", "upstream.oversize": "skip",
                "upstream.idle-timeout": "1min",
            ],
            source:
                "aprs-is.net/Connecting.aspx: lines of at most 512 bytes with CR LF, and the port; aprsc, "
                + "src/worker.c: a comment after 20 s of silence"),
        Preset(
            "kiss", "packet radio's TNCs over TCP", port: 8001, ["upstream.framing": "slip"],
            source: "Chepponis, Karn: The KISS TNC (1987), section 2; port: Dire Wolf's User Guide"),
    ]

    private static let industry = [
        Preset(
            "mllp", "HL7 version 2", port: 2575,
            [
                "upstream.framing": #"{kind: block, start: '\v', end: '\x1c\r'}"#,
                "upstream.max-message": "4M", "buffer": "8M", "outbox": "8M",
            ],
            source: "HL7 Transport Specification: MLLP, Release 2, section 2.1; port: IANA"),
        Preset(
            "modbus-tcp", "Modbus, whole messages with their headers", port: 502,
            [
                "upstream.framing": "{kind: length, bytes: 2, offset: 4}", "upstream.max-message": "260",
            ],
            source:
                "Modbus Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3: a header of 7 bytes; Modbus Application "
                + "Protocol V1.1b3, section 4.1: 260 bytes in all; port: IANA"),
        Preset(
            "tpkt", "ISO transport (S7, IEC 61850); the request to connect is yours, in on-connect",
            port: 102,
            ["upstream.framing": "{kind: length, bytes: 2, offset: 2, adjust: -4}"],
            source: "RFC 1006, section 6: the length counts the whole packet; and the port"),
    ]

    private static let logs = [
        Preset(
            "syslog-tcp", "syslog, each message after its length",
            ["upstream.framing": "octet-counted"], source: "RFC 6587, section 3.4.1; over TLS RFC 5425"),
        Preset(
            "syslog-lf", "syslog, each message in a line", ["upstream.framing": "line"],
            source: "RFC 6587, section 3.4.2"),
        Preset(
            "gelf-tcp", "Graylog's GELF, not compressed", port: 12201,
            [
                "upstream.framing": #"{kind: delimiter, end: '\0'}"#, "upstream.max-message": "2M",
                "outbox": "4M",
            ],
            source: "Graylog's documentation, GELF via TCP: a zero byte ends a message; its input's "
                + "max_message_size, 2097152"),
        Preset(
            "graphite", "Carbon's plaintext protocol", port: 2003, ["upstream.framing": "line"],
            source: "Graphite's documentation, Feeding in Your Data"),
    ]

    private static let general = [
        Preset(
            "ndjson", "a JSON value in each line",
            ["upstream.framing": "line", "upstream.max-message": "512K"],
            source: "github.com/ndjson/ndjson-spec"),
        Preset(
            "java-data-output", "Java's DataOutputStream.writeUTF",
            ["upstream.framing": "{kind: length, bytes: 2}"],
            source: "java.io.DataOutput, writeUTF: two bytes of length, the high one first"),
        Preset(
            "java-int", "Java's writeInt(length), and so many bytes",
            ["upstream.framing": "{kind: length, bytes: 4}"],
            source: "java.io.DataOutput, writeInt: four bytes, the high one first"),
    ]
}
