import Control
import Glibc
import TestSupport
import Testing

/// `upstream.protocol`, in force.
@Suite(.waits, .timeLimit(.minutes(minutesToHang)))
struct ProtocolTests {
    private static let watch = Array(#"?WATCH={"enable":true,"json":true};"#.utf8) + [0x0A]

    @Test func `gpsd is asked for its reports on each connection, and clients get them`() throws {
        let upstream = try FakeUpstream()
        try DaemonProcess.run("upstream: {address: '\(upstream.address)', protocol: gpsd}") { daemon in
            let program = try daemon.connect()
            for _ in 0..<2 {
                let server = try upstream.accept()
                #expect(try server.receive(Self.watch.count) == Self.watch)
                let report = Array("{\"class\":\"VERSION\",\"proto_major\":3}\r\n".utf8)
                try server.send(report)
                #expect(try program.receive(report.count) == report)
                try program.send(Array("?POLL;\n".utf8))
                #expect(try server.receive(7) == Array("?POLL;\n".utf8))
                daemon.signal(SIGUSR1)
                #expect(try server.receiveToEnd() == [])
            }
            let configuration = try Controller(daemon).describe().bridge.configuration
            #expect(configuration.contains("\n  protocol: gpsd\n"))
        }
    }

    @Test func `the help lists the protocols`() throws {
        let directory = try TemporaryDirectory()
        let help = try ChildProcess(
            [ChildProcess.path(of: "trunklined"), "--help"], environment: [:], output: directory("output"),
            errors: directory("errors"))
        #expect(try help.exitStatus() == 0)
        #expect(text(of: directory("output")).contains("\nmodbus-tcp "))
    }
}
