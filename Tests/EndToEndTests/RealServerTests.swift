import Glibc
import Linux
import TestSupport
import Testing

/// Servers that people have, with the framings that they speak.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct RealServerTests {
    private static func configuration(_ place: FakeUpstream, framing: String) -> String {
        """
        upstream:
          address: \(place.address)
          reconnect: {min: 10ms, max: 20ms}
          framing: \(framing)
        """
    }

    /// https://redis.io/docs/latest/develop/reference/protocol-spec/: simple strings, ended by CR and LF.
    @Test func `Redis: what its monitor prints comes to all`() throws {
        let place = try FakeUpstream(isListening: false)
        let redis = try RealServer([
            "redis-server", "--bind", place.host, "--port", place.port, "--save", "", "--dir", "data",
        ])
        try redis.await("Redis to listen") { place.isServed }
        let configuration = Self.configuration(place, framing: "{kind: line, ending: crlf}")
        try DaemonProcess.run(configuration) { daemon in
            let programs = try daemon.connect(2)
            for command in ["SET greeting hello", "MONITOR"] {
                try programs[0].send(Array("\(command)\r\n".utf8))
                for program in programs { #expect(try program.receive(5) == Array("+OK\r\n".utf8)) }
            }
            // Past the bridge, for whoever monitors is not answered any more.
            let descriptor = try FileDescriptor.connecting(to: try place.target).take()
            let peer = try descriptor.localAddress()
            let other = Stream(owning: descriptor.release())
            try other.send(Array("GET greeting\r\n*2\r\n$4\r\nECHO\r\n$4\r\na\r\nb\r\n".utf8))
            let answer = Array("$5\r\nhello\r\n$4\r\na\r\nb\r\n".utf8)
            #expect(try other.receive(answer.count) == answer)
            // 1700000000.123456 [0 127.0.0.1:40000] "GET" "greeting"
            let end = Array("\"ECHO\" \"a\\r\\nb\"\r\n".utf8)
            let first = try programs[0].receive(through: end)
            let lines = String(decoding: first, as: UTF8.self).split(separator: "\r\n")
            #expect(
                lines.map { $0.drop { $0 != "[" } } == [
                    "[0 \(peer)] \"GET\" \"greeting\"", "[0 \(peer)] \"ECHO\" \"a\\r\\nb\"",
                ])
            #expect(lines.allSatisfy { $0.hasPrefix("+1") })
            #expect(try programs[1].receive(first.count) == first)
        }
    }

    /// MQTT 3.1.1, sections 2.2 (the fixed header), 3.1 (CONNECT), 3.8 (SUBSCRIBE) and 3.3 (PUBLISH).
    @Test func `Mosquitto: what is published comes to all, each packet whole`() throws {
        let place = try FakeUpstream(isListening: false)
        let mosquitto = try RealServer(
            ["mosquitto", "-c", "conf"],
            configuration: """
                listener \(place.port) \(place.host)
                allow_anonymous true
                user root

                """)
        try mosquitto.await("Mosquitto to listen") { place.isServed }
        let configuration = Self.configuration(place, framing: "{kind: varint, bytes: 4, offset: 1}")
        try DaemonProcess.run(configuration) { daemon in
            let programs = try daemon.connect(2)
            func answers(_ packet: [UInt8]) throws {
                for program in programs { #expect(try program.receive(packet.count) == packet) }
            }
            try programs[0].send(
                [0x10, 18, 0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0, 0, 6] + Array("bridge".utf8))
            try answers([0x20, 2, 0, 0])
            try programs[1].send([0x82, 9, 0, 1, 0, 4] + Array("news".utf8) + [0])
            try answers([0x90, 3, 0, 1, 0])
            // The remaining length, with the topic's 6 bytes, takes one byte, two and three.
            for (payload, length) in [
                ("one\ntwo", [13]), (String(repeating: "a", count: 122), [0x80, 0x01]),
                (String(repeating: "b", count: 16378), [0x80, 0x80, 0x01]),
            ] as [(String, [UInt8])] {
                let publisher = try RealServer(
                    ["mosquitto_pub", "-h", place.host, "-p", place.port, "-t", "news", "-f", "conf"],
                    configuration: payload)
                #expect(try publisher.exitStatus() == 0)
                try answers([0x30] + length + [0, 4] + Array("news\(payload)".utf8))
            }
        }
    }

    /// RFC 6587, section 3.4.1, as rsyslog's omfwd writes it; both connect, and socat(1) stands between them.
    @Test func `rsyslog: messages with line feeds stay whole`() throws {
        let (inner, outer) = (try FakeUpstream(isListening: false), try FakeUpstream(isListening: false))
        let socat = try RealServer(
            ["socat"] + [inner, outer].map { "TCP-LISTEN:\($0.port),bind=\($0.host),reuseaddr" })
        try socat.await("socat to listen") { inner.isServed }
        let rsyslog = try RealServer(
            ["rsyslogd", "-n", "-f", "conf", "-i", "NONE"],
            configuration: """
                global(workDirectory="DATA" parser.escapeControlCharactersOnReceive="off" maxMessageSize="32k")
                module(load="imuxsock" SysSock.Use="off")
                input(type="imuxsock" Socket="DATA/log" RateLimit.Interval="0")
                template(name="plain" type="string" string="<%PRI%>%syslogtag%%msg%")
                action(type="omfwd" Target="\(inner.host)" Port="\(inner.port)" Protocol="tcp"
                       TCP_Framing="octet-counted" Template="plain" action.resumeRetryCount="-1")

                """)
        try DaemonProcess.run(Self.configuration(outer, framing: "octet-counted")) { daemon in
            let programs = try daemon.connect(2)
            let texts = ["one\ntwo\n\nthree", String(repeating: "a", count: 20_000), "\n9 is no count"]
            for text in texts {
                try rsyslog.await("rsyslog to take a message") {
                    sendDatagram("<13>Nov 30 12:00:00 app: \(text)", to: rsyslog.directory("log"))
                }
            }
            let frames = texts.map { text in
                let message = "<13>app: \(text)"
                return Array("\(message.utf8.count) \(message)".utf8)
            }
            for program in programs {
                for frame in frames { #expect(try program.receive(frame.count) == frame) }
            }
        }
    }

    /// RFC 867: the time, and the end of the connection.
    @Test func `xinetd: each connection to its daytime is one message`() throws {
        let place = try FakeUpstream(isListening: false)
        let configuration = Self.configuration(place, framing: "{kind: until-close, every: 1s}")
        try DaemonProcess.run(configuration) { daemon in
            let programs = try daemon.connect(2)
            let before = time(nil)
            let xinetd = try RealServer(
                ["xinetd", "-dontfork", "-f", "conf", "-pidfile", "pid", "-filelog", "/dev/stderr"],
                configuration: """
                    service daytime
                    {
                      type        = INTERNAL UNLISTED
                      id          = daytime
                      socket_type = stream
                      protocol    = tcp
                      wait        = no
                      bind        = \(place.host)
                      port        = \(place.port)
                    }

                    """)
            try xinetd.await("xinetd to listen") { place.isServed }
            let size = "30 NOV 2026 17:57:44 UTC\r\n".utf8.count
            let messages = try [programs[0].receive(size), programs[0].receive(size)]
            let times = (before...time(nil)).map(Self.daytime)
            #expect(messages.allSatisfy(times.contains))
            #expect(messages[0] != messages[1])
            #expect(try programs[1].receive(2 * size) == messages[0] + messages[1])
        }
    }

    /// As xinetd writes it, in UTC.
    private static func daytime(_ time: time_t) -> [UInt8] {
        var (time, parts) = (time, tm())
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%d %b %Y %H:%M:%S UTC", &parts)
        let bytes = text.prefix(count).map { UInt8(bitPattern: $0) }
        return Array(String(decoding: bytes, as: UTF8.self).uppercased().utf8) + [0x0D, 0x0A]
    }
}

/// - Returns: Whether somebody has it.
private func sendDatagram(_ text: String, to path: String) -> Bool {
    guard let socket = try? FileDescriptor.datagramSocket(connectedTo: path) else { return false }
    return (try? socket.send(Array(text.utf8).span)) == .moved(text.utf8.count)
}
