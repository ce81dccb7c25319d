import Glibc

/// Why a credential is not to be had, and what to do.
public struct CredentialError: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}

/// A file that the service manager has put into `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
public struct Credential: Sendable {
    private let name: String

    /// - Parameter name: A file's name, without a directory.
    public init(_ name: String) { self.name = name }

    /// Opens it.
    ///
    /// - Throws: Also where it is no regular file, which could keep us waiting.
    public func open() throws(CredentialError) -> FileDescriptor { try open(path) }

    /// Where it is, for a library that opens it by itself.
    ///
    /// - Throws: What `open` would throw.
    public func readablePath() throws(CredentialError) -> String {
        let path = try path
        _ = try open(path)
        return path
    }

    private var path: String {
        get throws(CredentialError) {
            guard let directory = Program.environment("CREDENTIALS_DIRECTORY"), !directory.isEmpty else {
                throw CredentialError("$CREDENTIALS_DIRECTORY is not set; \(advice)")
            }
            return "\(directory)/\(name)"
        }
    }

    private var advice: String { "the unit needs LoadCredential=\(name):PATH" }

    private func open(_ path: String) throws(CredentialError) -> FileDescriptor {
        let file: FileDescriptor?
        do throws(SystemError) {
            file = try FileDescriptor.regularFile(path)
        } catch {
            let advice = error.code == ENOENT ? "; \(advice)" : ""
            throw CredentialError("\(describe(errno: error.code))\(advice)")
        }
        guard let file else { throw CredentialError("not a regular file") }
        return file
    }
}
