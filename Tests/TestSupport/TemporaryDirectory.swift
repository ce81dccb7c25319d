import Foundation
import Glibc

/// A new directory, removed with everything in it when nobody refers to it any more.
public final class TemporaryDirectory {
    public let path: String

    public init() throws {
        // Not $TMPDIR: the path of a Unix socket is short.
        var template = Array("/tmp/trunkline-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CannotMake(errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in it.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    struct CannotMake: Error {
        let errno: Int32
    }
}
