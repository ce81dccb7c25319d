import Glibc
import TestSupport
import Testing

@testable import Linux

/// A file that somebody removes or renames.
struct FileWatcherTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory("file")
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(raw >= 0)
        close(raw)
    }

    /// How often it is told of the file, now that it is asked.
    private func changes(_ watcher: FileWatcher, _ body: () throws -> Void) throws -> Int {
        var count = 0
        let number = try watcher.watch(path) { count += 1 }
        defer { watcher.end(number) }
        watcher.becameReady([])
        #expect(count == 0)
        try body()
        watcher.becameReady([])
        return count
    }

    private func make(_ path: String) {
        let raw = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(raw >= 0)
        close(raw)
    }

    @Test func `a removal is told, once`() throws {
        let watcher = try FileWatcher()
        #expect(try changes(watcher) { unlink(path) } == 1)
        watcher.becameReady([])
    }

    @Test func `a file that stays open is watched all the same`() throws {
        let raw = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(raw) }
        #expect(try changes(FileWatcher()) { unlink(path) } == 1)
    }

    @Test func `a new name and a file moved into its place are told`() throws {
        let watcher = try FileWatcher()
        let other = directory("other")
        #expect(try changes(watcher) { try #require(rename(path, other) == 0) } == 1)
        make(path)
        #expect(try changes(watcher) { try #require(rename(other, path) == 0) } == 1)
    }

    @Test func `what happens to other files is not told, nor what happens when nobody watches any more`()
        throws
    {
        let watcher = try FileWatcher()
        let other = directory("other")
        make(other)
        var others = 0
        let number = try watcher.watch(other) { others += 1 }
        #expect(try changes(watcher) {} == 0)
        #expect(try changes(watcher) { unlink(other) } == 0)
        #expect(others == 1)
        watcher.end(number)
        unlink(path)
        watcher.becameReady([])
        #expect(others == 1)
    }

    @Test func `a file that is not there cannot be watched`() throws {
        let watcher = try FileWatcher()
        #expect(throws: SystemError(call: "inotify_add_watch", code: ENOENT)) {
            try watcher.watch(directory("none")) {}
        }
    }
}
