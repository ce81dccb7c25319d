import Glibc
import TestSupport
import Testing

@testable import Linux

/// A file that is replaced, in the ways that configurations are.
struct NameWatchTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory("resolv.conf")
    }

    /// A file that nobody has open: that a file which was written is closed is told late while a process that another test is
    /// just starting has it, too.
    private func make(_ name: String) { #expect(mknod(directory(name), S_IFREG | 0o600, 0) == 0) }

    private func write(_ name: String) {
        let raw = open(directory(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(Glibc.write(raw, "x", 1) == 1)
        close(raw)
    }

    private func isReadable(_ watch: NameWatch, within milliseconds: Int32 = 0) -> Bool {
        var wanted = pollfd(fd: watch.descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, milliseconds) == 1
    }

    @Test func `one that is written is told, once`() throws {
        make("resolv.conf")
        let watch = try NameWatch([path])
        #expect(!isReadable(watch) && !watch.reset())
        write("resolv.conf")
        #expect(isReadable(watch, within: 20_000) && watch.reset())
        #expect(!isReadable(watch) && !watch.reset())
    }

    @Test func `one that is replaced is told, again and again`() throws {
        let watch = try NameWatch([path])
        for _ in 0..<3 {
            make("new")
            #expect(!watch.reset())
            try #require(rename(directory("new"), path) == 0)
            #expect(isReadable(watch) && watch.reset())
        }
    }

    @Test func `one that was not there before is told`() throws {
        let watch = try NameWatch([path])
        write("resolv.conf")
        #expect(watch.reset())
    }

    @Test func `other files of the directory are not`() throws {
        let watch = try NameWatch([path])
        let names = ["resolv.con", "resolv.conf.new", "a"]
        for name in names { make(name) }
        #expect(!watch.reset())
        unlink(directory("a"))
        #expect(!isReadable(watch))
        for name in names { write(name) }
        #expect(!watch.reset())
    }

    @Test func `what happens where links lead is told, and where they lead from now on`() throws {
        try #require(mkdir(directory("run"), 0o700) == 0 && mkdir(directory("other"), 0o700) == 0)
        try #require(symlink("run/first", path) == 0)
        try #require(symlink(directory("run/second"), directory("run/first")) == 0)
        let watch = try NameWatch([path])
        make("run/second")
        #expect(watch.reset())
        make("run/third")
        #expect(!watch.reset())
        // The link itself is replaced.
        try #require(symlink("other/file", directory("new")) == 0)
        try #require(rename(directory("new"), path) == 0)
        #expect(watch.reset())
        make("other/file")
        #expect(watch.reset())
    }

    @Test func `links that lead in a circle harm nothing, nor does a directory that is not there`() throws {
        try #require(symlink("there", directory("here")) == 0 && symlink("here", directory("there")) == 0)
        let watch = try NameWatch([directory("none/file"), directory("here"), path])
        write("resolv.conf")
        #expect(watch.reset())
    }

    @Test func `more events than the kernel keeps count as one that concerns the file`() throws {
        let watch = try NameWatch([path])
        let limit = try #require(Self.queueLimit)
        // The same event twice in a row is one; and a process that is just being started may put off the end of a file.
        for number in 0..<limit * 2 { write(number % 2 == 0 ? "a" : "b") }
        #expect(watch.reset())
    }

    /// How many events the kernel keeps, if that is not too many for a test.
    private static let queueLimit: Int? = {
        let raw = open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC)
        defer { close(raw) }
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = read(raw, &buffer, buffer.count)
        let digits = String(decoding: buffer[..<max(0, count)].filter { $0 > 32 }, as: UTF8.self)
        return Int(digits).flatMap { $0 <= 100_000 ? $0 : nil }
    }()
}
