import Testing

@testable import Systemd

/// What the journal is sent, byte by byte.
struct JournalEntryTests {
    private static let common = [JournalField("BRIDGE", "ais")]

    private func entry(_ message: String, _ fields: JournalField...) -> JournalEntry {
        JournalEntry(.warning, id: "11f3e84ef7cb4590a1ecb06591123436", message, fields)
    }

    private func text(_ entry: JournalEntry) -> String {
        String(decoding: entry.datagram(with: Self.common), as: UTF8.self)
    }

    @Test func `an entry is its fields, each a line`() {
        #expect(
            text(entry("it rains ä", JournalField("REASON", "a=b"), JournalField("EMPTY", ""))) == """
                MESSAGE=it rains ä
                PRIORITY=4
                MESSAGE_ID=11f3e84ef7cb4590a1ecb06591123436
                BRIDGE=ais
                REASON=a=b
                EMPTY=

                """)
    }

    @Test(arguments: [(LogLevel.error, "3"), (.warning, "4"), (.notice, "5"), (.info, "6")])
    func `a level is a priority of syslog`(level: LogLevel, priority: String) {
        #expect(text(JournalEntry(level, id: "", "", [])).contains("\nPRIORITY=\(priority)\n"))
    }

    @Test func `a value of several lines has its length before it`() {
        let value = "one\n" + String(repeating: "x", count: 600)
        let bytes = entry("m", JournalField("REASON", value)).datagram(with: [])
        let expected = Array("REASON\n".utf8) + [0x5C, 0x02, 0, 0, 0, 0, 0, 0] + Array((value + "\n").utf8)
        #expect(bytes.suffix(expected.count) == expected[...])
    }

    @Test func `a message is one line, whatever a server put into it`() {
        #expect(text(entry("a\nPRIORITY=0\u{1B}b")).hasPrefix("MESSAGE=a PRIORITY=0 b\n"))
    }

    @Test(arguments: 4090...4100)
    func `what is too long is cut, at a whole character and with a mark`(size: Int) {
        let long = String(repeating: "x", count: size) + String(repeating: "€", count: 10)
        let line = entry(long).line
        #expect(line.utf8.count <= JournalEntry.longestValue)
        #expect(line.utf8.count > JournalEntry.longestValue - 4)
        #expect(line.hasSuffix("…") && long.hasPrefix(line.dropLast()))
    }

    @Test func `what just fits is not cut`() {
        let text = String(repeating: "x", count: JournalEntry.longestValue)
        #expect(entry(text).line == text)
    }

    @Test func `no entry is larger than a datagram may be`() {
        let long = String(repeating: "\u{10FFFF}\n", count: 100_000)
        let fields = ["SOCKET", "UPSTREAM", "REASON", "ERRNO"].map { JournalField($0, long) }
        #expect(JournalEntry(.info, id: "", long, fields).datagram(with: Self.common).count < 1 << 15)
    }
}
