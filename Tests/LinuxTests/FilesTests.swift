import Glibc
import Linux
import TestSupport
import Testing

struct FilesTests {
    private func contents(_ path: String) throws -> String {
        String(decoding: try FileDescriptor.reading(path).readToEnd(), as: UTF8.self)
    }

    @Test func `a file is replaced as a whole, and nothing is left beside it`() throws {
        let directory = try TemporaryDirectory()
        try FileDescriptor.appending(to: directory("file.new")).writeAll(Array("of a crash".utf8).span)
        for text in ["first", "2nd"] {
            try replaceFile(directory("file"), with: Array(text.utf8).span)
            #expect(try contents(directory("file")) == text)
        }
        #expect(try entries(of: directory.path) == ["file"])
    }

    @Test func `a file that cannot be replaced stays as it was`() throws {
        let directory = try TemporaryDirectory()
        mkdir(directory("file"), 0o700)
        #expect(throws: SystemError(call: "rename", code: EISDIR)) {
            try replaceFile(directory("file"), with: Array("new".utf8).span)
        }
        #expect(try entries(of: directory.path) == ["file"])
    }
}
