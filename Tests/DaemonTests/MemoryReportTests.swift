import Configuration
import TLS
import Testing

@testable import Bridge
@testable import Daemon
@testable import Linux

/// The bound on memory, and what `--show` tells of it.
struct MemoryReportTests {
    private static func configuration(_ text: String, _ upstream: String = "") throws -> Configuration {
        try Configuration(
            parsing: Array("upstream:\n  address: a:1\n  \(upstream)\n\(text)\n".utf8), path: "ais.yaml",
            runtimeDirectory: "/run")
    }

    @Test func `the bound holds rings, indexes, and one message of each client`() throws {
        let bound = MemoryBound(try Self.configuration("buffer: 4M\noutbox: 1M\nmax-clients: 10"))
        #expect(bound.buffer == MemoryBound.Ring(bytes: 4 << 20, frames: 1 << 16, indexBytes: 1 << 20))
        #expect(bound.outbox == MemoryBound.Ring(bytes: 1 << 20, frames: 1 << 16, indexBytes: 1 << 20))
        // A line of 64K, CR and LF, and 1K of records.
        #expect(bound.clientBytes == 65_536 + 2 + 1024)
        #expect(bound.total == 7 << 20 + 11 * bound.clientBytes)
    }

    @Test func `clients that may not send have no message`() throws {
        let text = "sockets: {a: {send: no}, b: {send: no}}"
        #expect(MemoryBound(try Self.configuration(text)).clientBytes == 1024)
        #expect(
            MemoryBound(try Self.configuration(text.replacing("b: {send: no}", with: "b: "))).clientBytes
                > 65_536)
    }

    @Test func `what is passed over has an index as well`() throws {
        let bound = MemoryBound(try Self.configuration("buffer: 4M", "oversize: skip"))
        #expect(bound.buffer.indexBytes > 2 << 20)
    }

    @Test func `TLS has a part of it where it is spoken`() throws {
        let (plain, encrypted) = (try Self.configuration(""), try Self.configuration("", "tls: yes"))
        #expect(MemoryBound(encrypted).fixedBytes - MemoryBound(plain).fixedBytes == TLSSession.longestMemory)
        #expect("\(MemoryReport(encrypted, kernel: .current))".contains("#   TLS      3.0M"))
        #expect(!"\(MemoryReport(plain, kernel: .current))".contains("TLS"))
    }

    @Test func `a dialogue before everything else is in it`() throws {
        let step = "on-connect: [{send: '12${credential:x}'}, {expect: x, within: 1K, show: yes}]"
        let bound = MemoryBound(try Self.configuration("", step))
        #expect(bound.dialogueBytes == 8192 + 2 + 4097 + 2 * (1024 + 8192))
        let plain = MemoryBound(try Self.configuration(""))
        #expect(plain.dialogueBytes == 0 && bound.fixedBytes == plain.fixedBytes + bound.dialogueBytes)
        let kernel = SocketBufferLimits(tcpReceive: nil, tcpSend: nil, unixSend: nil)
        let report = MemoryReport(try Self.configuration("", step), kernel: kernel).description
        #expect(report.contains("\n#   dialogue 30.1K until a connection is ready\n"))
    }

    @Test func `answers that are hidden have an index as well`() throws {
        let hiding = MemoryBound(
            try Self.configuration("buffer: 4M", "heartbeat: {send: 'a\\n', expect: b, hide: yes}"))
        #expect(hiding.buffer.indexBytes > 2 << 20)
    }

    @Test func `without a number of clients there is no sum, and no overflow with the largest`() throws {
        #expect(MemoryBound(try Self.configuration("")).total == nil)
        for count in [Int.max, .max - 1, .max / 66_562] {
            let configuration = try Self.configuration("max-clients: \(count)")
            #expect(MemoryBound(configuration).total == .max)
            #expect("\(MemoryReport(configuration, kernel: .current))".contains("in all   8589934592.0G"))
        }
    }

    @Test func `what is shown with it is read back the same`() throws {
        let kernel = SocketBufferLimits(tcpReceive: 6 << 20, tcpSend: nil, unixSend: 212_992)
        for text in ["", "max-clients: 1000", "buffer: 1G\nmax-clients: 1"] {
            let configuration = try Self.configuration(text)
            let shown = "\(configuration.yaml())\n\(MemoryReport(configuration, kernel: kernel))"
            let back = try Configuration(
                parsing: Array(shown.utf8), path: "ais.yaml", runtimeDirectory: "/elsewhere")
            #expect(back == configuration)
        }
    }

    @Test func `the report names each part`() throws {
        let kernel = SocketBufferLimits(tcpReceive: 6 << 20, tcpSend: nil, unixSend: 212_992)
        let report = MemoryReport(try Self.configuration("max-clients: 1000"), kernel: kernel).description
        #expect(
            report == """
                # Memory, at the most:
                #   buffer   4.0M, and 1.0M for its index
                #   outbox   1.0M, and 1.0M for its index
                #   clients  65.1K each; max-clients is 1000
                #   control  1.3M for 16 that look at once
                #   in all   71.9M
                # Not in it: the program itself (about 10M), and the kernel's socket buffers:
                #   upstream  6.0M received (net.ipv4.tcp_rmem), an unknown size sent (net.ipv4.tcp_wmem)
                #   clients   208.0K each (net.core.wmem_default), and what their own sockets hold

                """)
    }

    @Test func `the kernel tells how large its buffers may be`() {
        let limits = SocketBufferLimits.current
        #expect(limits.tcpReceive ?? 0 >= 4096)
        #expect(limits.tcpSend ?? 0 >= 4096)
        #expect(limits.unixSend ?? 0 >= 4096)
    }
}
