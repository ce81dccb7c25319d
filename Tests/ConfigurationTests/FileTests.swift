import Configuration
import Glibc
import TestSupport
import Testing

extension TemporaryDirectory {
    fileprivate func create(_ name: String, _ text: String) throws -> String {
        guard let stream = fopen(self(name), "w") else { throw Failure() }
        fputs(text, stream)
        fclose(stream)
        return self(name)
    }

    fileprivate func createPipe(_ name: String) throws -> String {
        guard mkfifo(self(name), 0o600) == 0 else { throw Failure() }
        return self(name)
    }
}

private struct Failure: Error {}

@Suite struct FileTests {
    private func errors(at path: String) -> [String] {
        do {
            _ = try Configuration(contentsOf: path, runtimeDirectory: "/run/trunkline")
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test func `a file is read, and its sockets are in the runtime directory`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.create("feed-1.yaml", file())
        for directory in ["/run/other", "/run/other/", "/run/other//"] {
            let configuration = try Configuration(contentsOf: path, runtimeDirectory: directory)
            #expect(configuration.name == "feed-1")
            #expect(configuration.sockets.map(\.path) == ["/run/other/feed-1.sock"])
        }
    }

    @Test func `the errors of a file name it as it was given`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.create("a.yaml", "x: 1\n")
        #expect(errors(at: path).allSatisfy { $0.hasPrefix("\(path):1:1: ") })
        #expect(errors(at: path).count == 2)
    }

    @Test func `a file that is not there is an error`() {
        #expect(
            errors(at: "/nowhere/a.yaml") == [
                "/nowhere/a.yaml: cannot open: No such file or directory (errno 2)"
            ])
    }

    @Test func `what is no regular file is refused without waiting`() throws {
        let folder = try TemporaryDirectory()
        let pipe = try folder.createPipe("p.yaml")
        #expect(errors(at: pipe) == ["\(pipe): cannot read: not a regular file"])
        #expect(errors(at: folder.path) == ["\(folder.path): cannot read: not a regular file"])
        #expect(errors(at: "/dev/zero") == ["/dev/zero: cannot read: not a regular file"])
    }

    @Test func `a path with a NUL in it is refused`() {
        #expect(errors(at: "/dev\0/null").map { $0.hasSuffix(": cannot open: a NUL in the path") } == [true])
    }

    @Test func `a file that is too large is refused`() throws {
        let folder = try TemporaryDirectory()
        let path = try folder.create("a.yaml", file() + String(repeating: "#", count: 1 << 20))
        #expect(errors(at: path) == ["\(path): larger than 1M"])
        let empty = try folder.create("b.yaml", "")
        #expect(errors(at: empty).count == 1)
    }
}
