import COpenSSL
import Glibc

/// The certificates that are trusted to vouch for others.
///
/// A bundle of a hundred takes some milliseconds to parse: it is kept as long as its file is the same.
final class TrustStore {
    /// The only file; `nil` for what the system trusts.
    private let file: String?
    private var kept: (state: FileState, store: Store)?

    init(file: String?) { self.file = file }

    @safe final class Store {
        let raw: OpaquePointer

        fileprivate init() {
            guard let raw = unsafe X509_STORE_new() else { preconditionFailure("no memory for a store") }
            unsafe self.raw = unsafe raw
        }

        deinit { unsafe X509_STORE_free(raw) }
    }

    /// What is in the file now.
    func store() throws(TLSError) -> Store {
        guard let file else { return systemStore() }
        let state = try FileState(file, key: "ca-file")
        if let kept, kept.state == state { return kept.store }
        let store = Store()
        ErrorQueue.clear()
        guard unsafe X509_STORE_load_file(store.raw, file) == 1 else {
            throw TLSError("cannot read ca-file \(file): \(ErrorQueue.takeText())", isLasting: true)
        }
        // Whoever names a certificate trusts it, though somebody else may have signed it.
        _ = unsafe X509_STORE_set_flags(store.raw, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        kept = (state, store)
        return store
    }

    /// Debian has a directory, of which only what is asked for is read; others have a bundle.
    private func systemStore() -> Store {
        let path =
            unsafe getenv(X509_get_default_cert_file_env()).map { unsafe String(cString: $0) }
            ?? String(cString: X509_get_default_cert_file())
        let state = try? FileState(path)
        if let state, let kept, kept.state == state { return kept.store }
        let store = Store()
        _ = unsafe X509_STORE_set_default_paths(store.raw)
        kept = state.map { ($0, store) }
        return store
    }
}
