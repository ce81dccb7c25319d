import Glibc
import TestSupport
import Testing

@testable import trunklinectl

/// What is told of a socket to which this user may not connect.
struct PermissionTests {
    private func group() throws -> String {
        let entry = try #require(getgrgid(getgid()))
        return String(cString: entry.pointee.gr_name)
    }

    /// Whoever runs the test owns the file.
    private var owner: String { getuid() == 0 ? "root" : "root, the user \(Users.name(getuid()))" }

    @Test func `who may connect is told as the file's mode has it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory("ais.control")
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(Permission.needed(for: path) == "only \(owner) may connect")
        chmod(path, 0o660)
        let members = "members of the group \(try group())"
        #expect(Permission.needed(for: path) == "only \(owner) and \(members) may connect")
    }

    /// Root may search everything that is a directory.
    @Test func `a directory that stands in the way is named`() throws {
        let directory = try TemporaryDirectory()
        close(open(directory("file"), O_CREAT | O_WRONLY, 0o640))
        let words = "the directory \(directory("file")) may be searched only by \(owner)"
        #expect(Permission.needed(for: directory("file/ais.control")) == words)
    }
}
