import Glibc
import Linux
import TestSupport

extension TemporaryDirectory {
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = FileDescriptor(owning: open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
        try file.writeAll(Array(text.utf8).span)
        return self(name)
    }

    /// Makes a pipe with a name.
    ///
    /// - Returns: Its reading end.
    func makePipe(_ name: String) throws -> Stream {
        guard mkfifo(self(name), 0o600) == 0 else { throw SystemError(call: "mkfifo", code: errno) }
        let raw = open(self(name), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else { throw SystemError(call: "open", code: errno) }
        return Stream(owning: raw)
    }

    /// Waits until nobody has the reading end any more: a process that is just being started has a copy for a moment.
    func awaitNoReader(of name: String) throws {
        try eventually("nobody to read \(name)") {
            let raw = open(self(name), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            guard raw < 0 else {
                close(raw)
                return false
            }
            return errno == ENXIO
        }
    }
}

/// Everything that a file holds by now; empty when there is none.
func contents(of path: String) -> [UInt8] {
    let raw = open(path, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return [] }
    let file = FileDescriptor(owning: raw)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(file.raw, &chunk, chunk.count)
        guard count > 0 else { return bytes }
        bytes += chunk[..<count]
    }
}

func text(of path: String) -> String { String(decoding: contents(of: path), as: UTF8.self) }
