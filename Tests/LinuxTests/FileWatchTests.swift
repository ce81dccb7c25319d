import Glibc
import TestSupport
import Testing

@testable import Linux

/// A file that somebody removes or renames.
struct FileWatchTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory("file")
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(raw >= 0)
        close(raw)
    }

    private func isReadable(_ watch: FileWatch) -> Bool {
        var wanted = pollfd(fd: watch.descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, 0) == 1
    }

    @Test func `a removal is told`() throws {
        let watch = try FileWatch(path: path)
        #expect(!isReadable(watch))
        unlink(path)
        #expect(isReadable(watch))
        watch.reset()
        #expect(!isReadable(watch))
    }

    @Test func `a file that stays open is watched all the same`() throws {
        let raw = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(raw) }
        let watch = try FileWatch(path: path)
        unlink(path)
        #expect(isReadable(watch))
    }

    @Test func `a new name and a file moved into its place are told`() throws {
        let other = directory("other")
        var watch = try FileWatch(path: path)
        try #require(rename(path, other) == 0)
        #expect(isReadable(watch))
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        close(raw)
        watch = try FileWatch(path: path)
        try #require(rename(other, path) == 0)
        #expect(isReadable(watch))
    }

    @Test func `what happens to other files is not told`() throws {
        let watch = try FileWatch(path: path)
        let raw = open(directory("other"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        close(raw)
        unlink(directory("other"))
        #expect(!isReadable(watch))
    }

    @Test func `a file that is not there cannot be watched`() {
        #expect(throws: SystemError(call: "inotify", code: ENOENT)) { try FileWatch(path: directory("none")) }
    }
}
