import Glibc

/// Why a credential is not to be had, and what to do.
public struct CredentialError: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) { self.reason = reason }
}

extension FileDescriptor {
    /// Opens a credential that the service manager has put into `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
    ///
    /// - Throws: Also where it is no regular file, which could keep us waiting.
    public static func credential(_ name: String) throws(CredentialError) -> FileDescriptor {
        guard let directory = Program.environment("CREDENTIALS_DIRECTORY"), !directory.isEmpty else {
            throw CredentialError(
                "$CREDENTIALS_DIRECTORY is not set; the unit needs LoadCredential=\(name):PATH")
        }
        let file: FileDescriptor?
        do throws(SystemError) {
            file = try regularFile("\(directory)/\(name)")
        } catch {
            let advice = error.code == ENOENT ? "; the unit needs LoadCredential=\(name):PATH" : ""
            throw CredentialError("\(describe(errno: error.code))\(advice)")
        }
        guard let file else { throw CredentialError("it is no regular file") }
        return file
    }
}
