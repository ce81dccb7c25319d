import Configuration
import Glibc
import TestSupport
import Testing

/// Nothing that a file can hold may crash the decoder, keep it busy or make it silent.
@Suite struct HostileTests {
    @Test(arguments: 0..<8)
    func `random bytes are refused`(seed: UInt64) {
        var random = Seeded(seed)
        for _ in 0..<500 {
            let count = Int.random(in: 0..<200, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if errors(in: bytes).isEmpty { Issue.record("accepted: \(bytes)") }
        }
    }

    @Test(arguments: 0..<8)
    func `random YAML is read or refused`(seed: UInt64) {
        let pieces = [
            "upstream", "address", "sockets", "framing", "kind", "delimiter", "end", "fixed", "size",
            "reconnect", "min", "protocol", "mllp", "gpsd",
            ": ", ":", "\n", "\n  ", "\n    ", "- ", "[", "]", "{", "}", ", ", "'", "\"", "\\", "&a ", "*a",
            "!t ", "#",
            "|\n", ">", "? ", "---\n", "...\n", "%", "~", "a:1", "1K", "\t", "é", "\0", "<<", "@", "`",
            "infinity",
        ]
        var random = Seeded(seed)
        for _ in 0..<1000 {
            let count = Int.random(in: 0..<40, using: &random)
            let text = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
                .joined()
            _ = errors(in: text)
            _ = errors(in: file(top: text))
            _ = errors(in: file(upstream: "protocol: mllp\n\(text)"))
        }
    }

    @Test(arguments: examples)
    func `an example cut anywhere is read or refused`(path: String) throws {
        let bytes = Array(try Configuration(contentsOf: path, runtimeDirectory: "/run").yaml().utf8)
        for count in bytes.indices { _ = errors(in: Array(bytes[..<count])) }
    }

    @Test(arguments: examples, 0..<4 as Range<UInt64>)
    func `an example with wrong bytes is read or refused`(path: String, seed: UInt64) throws {
        let bytes = Array(try Configuration(contentsOf: path, runtimeDirectory: "/run").yaml().utf8)
        var random = Seeded(seed)
        for _ in 0..<500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: damaged.indices, using: &random)
                let byte = UInt8.random(in: 0...255, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged[place] = byte
                case 1: damaged.insert(byte, at: place)
                default: damaged.remove(at: place)
                }
            }
            _ = errors(in: damaged)
        }
    }

    private static let enough = Duration.seconds(20) * slowdown

    /// Of this thread: what others do meanwhile takes as long as it takes.
    private func processorTime(_ body: () -> Void) -> Duration {
        func spent() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = spent()
        body()
        return spent() - start
    }

    @Test(
        .timeLimit(.minutes(minutesToHang)),
        arguments: [
            "[", "{", "[[]", "{a: ", "- ", "? ", ": ", "a: ", "a: 1\n", "a:\n ", "'", "\"", "\"\\x41", "!",
            "!a ",
            "&a ", "*a ", "|", ">\n", "#", "#\n", "%", "%a\n", "---\n", "...\n", "~\n", "\n", " ", "\t", "\r",
            "é",
            "]", ",", "\0", "a", "a ", "a\n", "- a\n", "-\n", "\u{FEFF}", "? - ", "!<", "%TAG ! a\n",
            "%YAML 1.1\n", "\u{2028}",
        ])
    func `a megabyte of anything is refused in time`(piece: String) {
        let text = String(repeating: piece, count: ((1 << 20) - 1024) / piece.utf8.count)
        let spent = processorTime {
            #expect(!errors(in: text).isEmpty)
            _ = errors(in: file() + text)
        }
        #expect(spent < Self.enough)
    }

    @Test func `thousands of unknown keys and sockets are refused in time`() {
        let keys = (0..<2000).map { "key\($0): 1\n" }.joined()
        let sockets = (0..<2000).map { "  s\($0): {path: x}\n" }.joined()
        let spent = processorTime {
            #expect(errors(in: file(top: keys)).count == 2000)
            #expect(errors(in: file(top: "sockets:\n" + sockets)).count == 2000)
        }
        #expect(spent < Self.enough)
    }
}
