import Glibc
import TestSupport
import Testing

/// The memory of another process (proc(5)).
struct ProcessMemory {
    private let pid: pid_t
    /// Those that can be read, and whether a core dump leaves them out.
    private let mappings: [(range: Range<UInt64>, isKept: Bool)]

    init(of pid: pid_t) throws {
        self.pid = pid
        var mappings: [(Range<UInt64>, Bool)] = []
        var range: Range<UInt64>?
        for line in text(of: "/proc/\(pid)/smaps").split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if bounds.count == 2 { range = words[1].hasPrefix("r") ? bounds[0]..<bounds[1] : nil }
            if words[0] == "VmFlags:", let range { mappings.append((range, words.contains("dd"))) }
        }
        self.mappings = mappings
        #expect(mappings.count > 10)
    }

    /// How often a text stands in it.
    func count(of text: String) throws -> (dumped: Int, kept: Int) {
        let raw = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        try #require(raw >= 0)
        defer { close(raw) }
        var found = (dumped: 0, kept: 0)
        for (range, isKept) in mappings {
            let count = contents(of: range, raw).count(of: Array(text.utf8))
            if isKept { found.kept += count } else { found.dumped += count }
        }
        return found
    }

    private func contents(of range: Range<UInt64>, _ raw: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var position = range.lowerBound
        while position < range.upperBound {
            let room = min(chunk.count, Int(range.upperBound - position))
            let count = pread(raw, &chunk, room, off_t(truncatingIfNeeded: position))
            guard count > 0 else { break }
            bytes += chunk[..<count]
            position += UInt64(count)
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate func count(of text: [UInt8]) -> Int {
        var count = 0
        withUnsafeBytes { bytes in
            guard var start = bytes.baseAddress else { return }
            let end = start + bytes.count
            while start < end, let hit = memchr(start, Int32(text[0]), end - start) {
                let place = UnsafeRawPointer(hit)
                if end - place >= text.count, memcmp(place, text, text.count) == 0 { count += 1 }
                start = place + 1
            }
        }
        return count
    }
}
